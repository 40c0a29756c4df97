"""In the end, when all is healed and quiet, players know where their games are, on every wire."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator

from tests.simulation.checker.items import Stored
from tests.simulation.checker.parsed_history import GATEWAY, ParsedHistory, Version
from tests.simulation.checker.permitted_changes import fen_of
from tests.simulation.checker.violation import Invariant, Violation
from tests.simulation.checker.wire import (
    MOVE,
    NOTE,
    RATING,
    REQUEST,
    RESPONSE,
    STATE,
)
from tests.simulation.history import Belief

PLIES_IN_A_NOTE = 5000

KEY_EXCHANGE = "F43"

EXCHANGE_MS = 60_000
"""So long after the key was exchanged whatever has begun by the old one is over."""

ENOUGH_WORDS = 10
"""So many on one relay, and on another none, is no accident."""

STILL_UP_MS = 5_000
"""So long after players were heard over a relay, the answers are said over it, too."""

HARMLESS = (
    "H",
    "F14",
    "F15",
    "F17",
    "F18",
    "F19",
    "F41",
    "F49",
    "expired",
    "takeback",
    "impatient",
    "cheat",
)
"""What players and strangers do: no word of the arbiter's is lost by it."""

WAITING = frozenset({"queued", "challenged", "cancelled"})
"""What comes of a request that begins no game."""

REFUSED = frozenset({"not-your-turn", "illegal-move", "no-offer", "no-claim", "stale", "bad-time"})


def players_know_their_games(parsed: ParsedHistory) -> Iterator[Violation]:
    if not parsed.history.is_quiet:
        return
    honest = {actor.name: actor for actor in parsed.honest.values()}
    for belief in parsed.history.beliefs:
        if belief.who not in honest:
            continue
        for id_ in belief.asked:
            sentence = f"{belief.who} was never answered"
            yield Violation(Invariant.TOLD, (belief.game or "", id_), sentence)
        versions = parsed.games.get(belief.game or "")
        if versions:
            yield from _differs(parsed, belief, versions[-1].after)
        elif belief.game is not None:
            sentence = f"{belief.who} believes in a game that never was"
            yield Violation(Invariant.TOLD, (belief.game,), sentence)
        else:
            yield from _unaware(parsed, belief.who, honest[belief.who].pubkeys)


def _differs(parsed: ParsedHistory, belief: Belief, game: Stored) -> Iterator[Violation]:
    due: dict[str, object] = {
        "version": belief.version if _missed_an_offer(parsed, belief, game) else game.state_version,
        "ply": len(game.moves),
        "fen": fen_of(game),
        "result": game.result if game.is_over else "*",
    }
    for name, stored in due.items():
        known = getattr(belief, name)
        if known is not None and known != stored:
            sentence = f"{belief.who} believes {name} {known}, and stored is {stored}"
            yield Violation(Invariant.TOLD, (game.id,), sentence)
            return


def _missed_an_offer(parsed: ParsedHistory, belief: Belief, game: Stored) -> bool:
    """Whether they know how the game ended, and what it became by an offer of a rematch was taken
    by one relay of it and not by another: a relay that held us back then is not told later.
    """
    if not game.is_over or belief.result != game.result:
        return False
    states = [
        published
        for published in parsed.published_events
        if published.event.kind == STATE
        and published.event.value("d") == game.id
        and published.seemed_to_arrive
    ]
    last = {one.way for one in states if one.event.value("version") == str(game.state_version)}
    return last != {one.way for one in states}


def _unaware(parsed: ParsedHistory, who: str, pubkeys: tuple[str, ...]) -> Iterator[Violation]:
    for versions in parsed.games.values():
        game = versions[-1].after
        if not game.is_over and any(game.color_of(key) for key in pubkeys):
            yield Violation(
                Invariant.TOLD, (game.id,), f"{who} plays a game that they know nothing of"
            )


def the_last_word_got_out(parsed: ParsedHistory) -> Iterator[Violation]:
    """Some relay took the last state of each game, the note of each that was played to its end, and
    the ratings of each that was rated. Where there is no relay, some socket heard the state.
    """
    if not parsed.history.is_quiet:
        return
    states, notes, ratings = _taken(parsed)
    for game_id, versions in parsed.games.items():
        game = versions[-1].after
        # Once the rematch has begun, that is the last word; it made a state version of what it
        # followed.
        goes_on = {state_version for known, state_version in states if known == game.next_game}
        is_told = (game_id, str(game.state_version)) in states or (
            bool(goes_on) and (game_id, str(game.state_version - 1)) in states
        )
        may_be_half_told = _may_be_half_told(parsed, versions)
        if not is_told and not (game.is_over and may_be_half_told):
            sentence = f"no relay took its last state, version {game.state_version}"
            yield Violation(Invariant.TOLD, (game_id,), sentence)
        if may_be_half_told or _was_never_given_back(parsed, game_id):
            continue
        is_noted = game.is_over and game.termination != "aborted"
        if is_noted and len(game.moves) <= PLIES_IN_A_NOTE and game_id not in notes:
            yield Violation(Invariant.TOLD, (game_id,), "no relay took the note of a finished game")
        if f"rated#{game_id}" in parsed.history.table and ratings.get(game_id, 0) < len("wb"):
            yield Violation(Invariant.TOLD, (game_id,), "no relay took the ratings that it changed")


def _may_be_half_told(parsed: ParsedHistory, versions: tuple[Version, ...]) -> bool:
    """Whether the key was exchanged after this game ended, or while it did: what was half told by
    then comes again for a key that no player has.
    """
    exchanged = [one.at_ms for one in parsed.faults if one.kind == KEY_EXCHANGE]
    ended_ms = next((one.at_ms for one in versions if one.after.is_over), 0)
    is_later = bool(exchanged) and ended_ms > max(exchanged) + EXCHANGE_MS
    return len(parsed.history.servers) > 1 and not is_later


def _was_never_given_back(parsed: ParsedHistory, game_id: str) -> bool:
    """Whether what no relay took lay among the dead letters for two weeks: players ask for the
    state, but not for the note.
    """
    return any(
        json.loads(body).get("republish", {}).get("game_id") == game_id
        for body in parsed.lost_among_the_dead
    )


def every_relay_is_spoken_over(parsed: ParsedHistory) -> Iterator[Violation]:
    """What is said over other relays just after players were heard over this one is said over it,
    too. Just after: a relay may have gone down since.
    """
    heard: dict[str, list[int]] = defaultdict(list)
    for _, one, _ in parsed.heard:
        if one.way and not one.by.startswith(GATEWAY):
            heard[one.way].append(one.at_ms)
    spoken_over = {published.way for published in parsed.published_events}
    for way in sorted(heard.keys() - spoken_over):
        said = Counter(
            published.way
            for published in parsed.published_events
            if published.way in heard
            and any(0 <= published.at_ms - at_ms <= STILL_UP_MS for at_ms in heard[way])
        )
        if max(said.values(), default=0) >= ENOUGH_WORDS:
            sentence = f"players are heard over {way}, and nothing is ever said there"
            yield Violation(Invariant.TOLD, (), sentence)


def every_refusal_is_said(parsed: ParsedHistory) -> Iterator[Violation]:
    """Where no fault keeps words back, a player who is refused a move or a word hears of it, and an
    answer of the lobby names the very request.
    """
    if any(not one.kind.startswith(HARMLESS) for one in parsed.faults):
        return
    named = {it.event.value("e") for it in parsed.published_events if it.event.kind == RESPONSE}
    for _, answered in parsed.answered:
        found = parsed.signed.get(answered.event)
        is_said = answered.status in WAITING or answered.status.startswith("request-")
        if found and found[1].kind == REQUEST and is_said and answered.event not in named:
            sentence = f"it came to {answered.status}, and no answer names it"
            yield Violation(Invariant.TOLD, (answered.event,), sentence)
    for _, answered in parsed.answered:
        found = parsed.signed.get(answered.event)
        if found is None or found[1].kind != MOVE or answered.status not in REFUSED:
            continue
        if answered.event not in parsed.refusals:
            sentence = f"it was refused as {answered.status}, and its author was never told"
            yield Violation(Invariant.TOLD, (answered.event,), sentence)


def _taken(parsed: ParsedHistory) -> tuple[set[tuple[str, str]], set[str], dict[str, int]]:
    states: set[tuple[str, str]] = set()
    notes: set[str] = set()
    ratings: dict[str, set[str]] = {}
    for published in parsed.published_events:
        event = published.event
        if not published.seemed_to_arrive:
            continue
        game_id = event.value("d") or ""
        if event.kind == STATE:
            states.add((game_id, event.value("version") or ""))
        elif event.kind == NOTE:
            notes.add(game_id)
        elif event.kind == RATING:
            ratings.setdefault(event.value("game") or "", set()).add(event.value("p") or "")
    return states, notes, {game_id: len(players) for game_id, players in ratings.items()}
