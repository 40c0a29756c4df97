"""The bodies and lines of lichess's API as its clients read them. What may lack is left out, not
null.
"""

from typing import Literal, NotRequired, TypedDict

ColorName = Literal["white", "black"]
Source = Literal["friend", "lobby", "ai"]
Status = Literal[
    "started", "aborted", "mate", "resign", "stalemate", "outoftime", "draw", "unknownFinish"
]


class Variant(TypedDict):
    key: Literal["standard", "chess960", "fromPosition"]
    name: Literal["Standard", "Chess960", "From Position"]
    short: Literal["Std", "960", "FEN"]


class StatusName(TypedDict):
    id: int
    name: Status


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


class GameState(TypedDict):
    """Times in milliseconds; ``expiration`` is the time for a first move."""

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
    expiration: NotRequired[dict[Literal["idleMillis", "millisToMove"], int]]


class GameFull(TypedDict):
    rated: bool
    variant: Variant
    speed: str
    type: Literal["gameFull"]
    id: str
    perf: dict[Literal["name"], str]
    createdAt: int
    white: Player
    black: Player
    initialFen: str
    clock: NotRequired[dict[Literal["initial", "increment"], int]]
    daysPerTurn: NotRequired[int]
    state: GameState


class ChatLine(TypedDict):
    type: Literal["chatLine"]
    room: Literal["player", "spectator"]
    username: str
    text: str


class Game(TypedDict):
    """A game of the player's, in events and in the list of those that go on."""

    rated: bool
    variant: Variant
    speed: str
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
    secondsLeft: NotRequired[int]
    source: Source
    status: StatusName
    compat: dict[Literal["bot", "board"], bool]
    winner: NotRequired[ColorName]
    ratingDiff: NotRequired[int]


class GameEvent(TypedDict):
    type: Literal["gameStart", "gameFinish"]
    game: Game


class TimeControl(TypedDict):
    """``limit`` and ``increment`` in seconds."""

    type: Literal["clock", "correspondence", "unlimited"]
    limit: NotRequired[int]
    increment: NotRequired[int]
    show: NotRequired[str]
    daysPerTurn: NotRequired[int]


class Challenge(TypedDict):
    rated: bool
    variant: Variant
    speed: str
    id: str
    url: str
    status: Literal["created", "canceled", "declined"]
    perf: dict[Literal["name"], str]
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


class AiGame(TypedDict):
    rated: bool
    variant: Variant
    speed: str
    id: str
    fullId: str
    perf: str
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
    createdAt: int
    url: str


class UserStatus(TypedDict):
    id: str
    name: str
    online: bool


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
