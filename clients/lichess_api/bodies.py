"""The bodies and lines of lichess's API, as its clients read them; declared here alone.

What is not required is left out, not null: clients take a missing field for its default.
"""

from typing import Literal, NotRequired, TypedDict

ColorName = Literal["white", "black"]
Status = Literal[
    "started", "aborted", "mate", "resign", "stalemate", "outoftime", "draw", "unknownFinish"
]


class Error(TypedDict):
    error: str


class Wait(TypedDict):
    key: Literal["arbiter"]
    seconds: int


class Limited(TypedDict):
    error: str
    ratelimit: Wait


class Ok(TypedDict):
    ok: Literal[True]


class Id(TypedDict):
    id: str


class Variant(TypedDict):
    key: Literal["standard", "chess960", "fromPosition"]
    name: Literal["Standard", "Chess960", "From Position"]
    short: Literal["Std", "960", "FEN"]


class Named(TypedDict):
    name: str


class StatusName(TypedDict):
    id: int
    name: Status


class Clock(TypedDict):
    """Milliseconds."""

    initial: int
    increment: int


class Player(TypedDict):
    """Id and name are one lower-case text."""

    id: str
    name: str
    title: NotRequired[Literal["BOT"]]
    rating: int
    provisional: NotRequired[Literal[True]]


class Opponent(TypedDict):
    id: str
    username: str
    rating: int


class Expiration(TypedDict):
    """The time for a first move; milliseconds."""

    idleMillis: int
    millisToMove: int


class GameState(TypedDict):
    """Times in milliseconds."""

    type: Literal["gameState"]
    moves: str
    wtime: int
    btime: int
    winc: int
    binc: int
    status: Status
    winner: NotRequired[ColorName]
    wdraw: NotRequired[Literal[True]]
    bdraw: NotRequired[Literal[True]]
    wtakeback: NotRequired[Literal[True]]
    btakeback: NotRequired[Literal[True]]
    expiration: NotRequired[Expiration]


class GameFull(TypedDict):
    type: Literal["gameFull"]
    id: str
    rated: bool
    variant: Variant
    speed: str
    perf: Named
    createdAt: int
    white: Player
    black: Player
    initialFen: str
    clock: NotRequired[Clock]
    daysPerTurn: NotRequired[int]
    state: GameState


class ChatLine(TypedDict):
    type: Literal["chatLine"]
    room: Literal["player", "spectator"]
    username: str
    text: str


class Said(TypedDict):
    user: str
    text: str


class Compat(TypedDict):
    bot: bool
    board: bool


class Game(TypedDict):
    """A game of the player's, in events and in the list of those that go on."""

    id: str
    gameId: str
    fullId: str
    color: ColorName
    fen: str
    hasMoved: bool
    isMyTurn: bool
    lastMove: str
    opponent: Opponent
    perf: str
    rated: bool
    secondsLeft: NotRequired[int]
    source: Literal["friend", "lobby", "ai"]
    speed: str
    status: StatusName
    variant: Variant
    compat: Compat
    winner: NotRequired[ColorName]
    ratingDiff: NotRequired[int]


class GameEvent(TypedDict):
    type: Literal["gameStart", "gameFinish"]
    game: Game


class Playing(TypedDict):
    nowPlaying: list[Game]
    nbMyTurn: int


class TimeControl(TypedDict):
    """``limit`` and ``increment`` in seconds."""

    type: Literal["clock", "correspondence", "unlimited"]
    limit: NotRequired[int]
    increment: NotRequired[int]
    show: NotRequired[str]
    daysPerTurn: NotRequired[int]


class Challenge(TypedDict):
    id: str
    url: str
    status: Literal["created", "canceled", "declined"]
    rated: bool
    variant: Variant
    perf: Named
    speed: str
    color: Literal["white", "black", "random"]
    finalColor: ColorName
    timeControl: TimeControl
    challenger: Player
    destUser: Player
    direction: Literal["in", "out"]
    initialFen: NotRequired[str]
    rematchOf: NotRequired[str]
    declineReason: NotRequired[str]
    declineReasonKey: NotRequired[str]


class ChallengeEvent(TypedDict):
    type: Literal["challenge", "challengeCanceled", "challengeDeclined"]
    challenge: Challenge


# A key of this body is a keyword of Python.
Challenges = TypedDict("Challenges", {"in": list[Challenge], "out": list[Challenge]})


class Done(TypedDict):
    done: Literal["accepted", "declined", "canceled"]


class AiGame(TypedDict):
    id: str
    fullId: str
    variant: Variant
    speed: str
    perf: str
    rated: bool
    source: Literal["ai"]
    status: StatusName
    player: ColorName
    createdAt: int


class Perf(TypedDict):
    games: int
    rating: int
    rd: int
    prog: int
    prov: NotRequired[Literal[True]]


class User(TypedDict):
    id: str
    username: str
    title: NotRequired[Literal["BOT"]]
    perfs: dict[str, Perf]
    createdAt: NotRequired[int]
    disabled: NotRequired[Literal[True]]
    url: NotRequired[str]


class UserStatus(TypedDict):
    id: str
    name: str
    online: bool
    title: NotRequired[Literal["BOT"]]


class Token(TypedDict):
    userId: str
    scopes: str
    expires: None


class Export(TypedDict):
    """A finished or running game for who asks for JSON."""

    id: str
    rated: bool
    variant: str
    speed: str
    perf: str
    createdAt: int
    lastMoveAt: int
    status: Status
    players: dict[ColorName, Player]
    moves: str
    initialFen: NotRequired[str]
    winner: NotRequired[ColorName]
    pgn: NotRequired[str]


Line = GameState | GameFull | ChatLine | GameEvent | ChallengeEvent | Challenge | User | Done
Body = (
    Error
    | Limited
    | Ok
    | Id
    | Playing
    | Challenge
    | Challenges
    | AiGame
    | User
    | Export
    | list[Said]
    | list[UserStatus]
    | dict[str, Token | None]
)
