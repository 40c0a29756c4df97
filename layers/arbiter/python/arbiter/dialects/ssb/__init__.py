"""ssb-chess: messages of Secure Scuttlebutt (SSB), carried by the bridge."""
