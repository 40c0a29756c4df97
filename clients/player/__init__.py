"""A player's side of PROTOCOL.md, for the terminal, the bots and whatever else plays.

Relays tell what comes (`relays`, `heard`); an inbox lets in what the arbiter signed (`inbox`,
`messages`, `terms`), and chat (`chat`); drafts say what is sent (`drafts`, `events`), and `sent`
remembers what for. All but `relays`, `chat`, `keys` and `address` is pure.
"""
