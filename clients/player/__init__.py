"""A player's side of PROTOCOL.md, for the terminal, the bots, the house and lichess's API.

Relays tell what comes (`relays`, `heard`); an inbox lets in what the arbiter signed (`inbox`,
`messages`, `terms`), and chat (`chat`); drafts say what is sent (`drafts`, `events`). A `session`
knows the games and challenges of a key (`model`, `lobby`, `playing`, `arenas`) and sends again what
is uncertain (`outgoing`); a `client` carries it out. All but `client`, `relays`, `bunker`, `chat`,
`keys` and `address` is pure.
"""
