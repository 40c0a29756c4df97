"""The game itself: values in, values out. No AWS, no Nostr, no clock, no chance."""
