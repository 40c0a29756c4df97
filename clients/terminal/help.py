"""The pages of `help`, one a topic. Invariant: each has at most `MAX_LINES` lines of `MAX_COLUMNS`
columns, so that it fits under the board on 78 columns and 20 rows.
"""

MAX_LINES = 7
MAX_COLUMNS = 76

_PLAYER = {
    "": """\
e4, Nf3, exd5, O-O, e8=Q or e2e4   play a move               help moves
draw, takeback, claim, resign      offer, claim, give up     help offers
new 3+2 rated, cancel              ask for a game, stop      help games
challenge, challenges, accept 1    play one you choose       help challenges
house 3; events, join 1      the computer; events   help house, help events
board, moves, pgn; say TEXT        look; talk         help board, help chat
if Nf3 d6; block, report; quit     leave   help lines, help block, help quit""",
    "moves": """\
e4, Nf3, exd5, O-O, e8=Q   as in books (SAN); e.p., + and # may be left out
e2e4, e7e8q                by the squares it leaves and reaches (UCI)
In Chess960 the king castles by O-O, or by taking its own rook.
Illegal moves are refused here and never sent: three sent ones lose.
abort    end a game hardly begun; or a slow one left silent: ask twice
flag     your opponent's time is up; after three seconds sent for you
claim-left   your opponent left a minute ago, or up to three: you win""",
    "offers": """\
draw       offer a draw, or agree to one; once in twenty half-moves
takeback   ask to take your last move back, or agree; casual games only
rematch    after the game: once more with colours swapped
accept     agree to what your opponent offers
decline    turn it down; a move declines it too
claim      a draw by threefold repetition or by fifty moves
resign     give up the game; you are asked once more""",
    "lines": """\
if Nf3 d6            in a game by days, or without a clock: if your
if Nf3 d6 Bb5 a6     opponent plays Nf3, the arbiter plays d6 for you
In your own turn a line begins with your own move, which you play after.
lines                show your lines, which only you and the arbiter see
lines clear          drop them; another move than theirs drops them too
vacation 7           your clock rests for seven days, which do not come back""",
    "games": """\
new              ask for a game on the same terms as before
new 3+2 white chess960 1400-1800 bots              words in any order
  3+2      3 minutes for each side, and 2 seconds more with every move
  3+0      3 minutes;  0:30+0 half a minute;  3d three days for each move
  1400-1800   your opponent's rating;  bots   bots are welcome
Without a time the game is unlimited. Rated: with a time, without a colour.
cancel           stop waiting;  games, go 2   list your games, play one""",
    "challenges": """\
challenge npub1... 3+2 rated   ask one opponent; terms as in help games
challenge open 3d              ask the first who accepts: pass on its link
challenge link 3d              ask only those who get the link from you
challenge open start FEN       from a given position, casual
challenges                     list those that wait for your answer
accept 1, accept ID or LINK    play it; without a number the newest
decline 1 later|tooFast|tooSlow|timeControl|rated|casual|variant|noBot""",
    "house": """\
house 3             play the computer at level 3: 1 is the weakest level,
                    8 the strongest. Casual games, and only if you ask
house 3 5+3 black   on these terms; words as in help games
house               which levels there are
If it is busy at a level you are told so: take another, or ask again.""",
    "events": """\
events           the events (tournaments) of this arbiter, with numbers
join 1           enter; join 1 SECRET or its link where one is needed
leave 1          leave for good; pause 1 and back 1 rest for some rounds
standings 1      who leads; in a Swiss, bye 1 is half a point next round
here 1           needed from an hour before, where you are shown as asked
A game of an event begins by itself. Without a number: the last named.""",
    "board": """\
board      show the board again
flip       look from the other side, and back
moves      list all the moves
pgn        show the game as PGN
pgn FILE   save it to a file""",
    "chat": """\
say TEXT              only your opponent can read it; at most 140 letters
chat off, chat on     hide the chat, or show it again
chat off players      your opponent only
chat off spectators   spectators only; they are shown after the game
notify on, off        direct messages (NIP-17) when you are away and it is
                      your turn in a slow game; notify says what is set""",
    "block": """\
block                  never be paired with your opponent, nor hear of them
block npub1...         another player;  unblock, unblock npub1...  again
blocked                whom you block
report                 your opponent's last lines of chat, with numbers
report spam 1 2 TEXT   tell the arbiter's operator, and disclose these lines
    or profanity, impersonation, illegal, other; without lines, without TEXT""",
    "quit": """\
quit     leave. In a game you are asked whether to keep it for later
Ctrl-C   leave at once, and keep the game
A kept game goes on with the next `make play` of the same player.
A clock that runs goes on running while you are away.""",
}

_SPECTATOR = {
    "": """\
board      show the board again
flip       look from the other side, and back
moves      list all the moves
pgn        show the game as PGN;  pgn FILE saves it to a file
say TEXT   talk to the other spectators; players see it after the game
chat off   hide their chat;  chat on shows it again
quit       leave"""
}

TOPICS = tuple(topic for topic in _PLAYER if topic)
_ALIASES = {
    "move": "moves",
    **dict.fromkeys(("draw", "takeback", "rematch", "claim", "resign", "offer"), "offers"),
    **dict.fromkeys(("if", "conditional", "vacation"), "lines"),
    **dict.fromkeys(("new", "cancel", "game", "time", "terms", "rated"), "games"),
    **dict.fromkeys(("challenge", "accept", "decline"), "challenges"),
    **dict.fromkeys(("flip", "pgn"), "board"),
    **dict.fromkeys(("program", "bot", "level"), "house"),
    **dict.fromkeys(("abort", "flag", "claim-left"), "moves"),
    **dict.fromkeys(("say", "notify"), "chat"),
    **dict.fromkeys(("unblock", "blocked", "report"), "block"),
    **dict.fromkeys(("event", "join", "leave", "standings", "pause", "back", "bye"), "events"),
    **dict.fromkeys(("exit", "leaving"), "quit"),
}


def help_page(topic: str, *, watched: bool) -> str:
    """The page about a topic, or about a command; the overview for a topic that there is not."""
    if watched:
        return _SPECTATOR[""]
    name = topic.strip().lower()
    page = _PLAYER.get(_ALIASES.get(name, name))
    if page is not None:
        return page
    return f"There is no such topic. There are:\n{' '.join(TOPICS)}"
