"""ssb-chess: messages of Scuttlebutt, relayed by the bridge."""
