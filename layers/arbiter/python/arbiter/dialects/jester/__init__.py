"""jester: kind 30, the chess of jesterui, Amethyst and nostr.blue."""
