"""In the end, when all is healed and quiet, players know where their games are, on every wire."""

from collections.abc import Iterator

from tests.simulation.checker.items import Stored
from tests.simulation.checker.parsed_history import ParsedHistory
from tests.simulation.checker.positions import fen_of
from tests.simulation.checker.violation import Invariant, Violation
from tests.simulation.checker.wire import ERROR, NOTE, RATING, STATE
from tests.simulation.history import Belief

PLIES_IN_A_NOTE = 5000


def told_states_are_stored(parsed: ParsedHistory) -> Iterator[Violation]:
    """A state is told after it was stored, and as it was."""
    stored: dict[tuple[str, str | None], list[tuple[int, tuple[str | None, ...]]]] = {}
    for one in parsed.changes:
        it = one.after
        to_tell = (str(len(it.moves)), fen_of(it), it.result if it.is_over else None)
        stored.setdefault((it.id, str(it.state_version)), []).append((one.at, to_tell))
    for published in parsed.published_events:
        event = published.event
        if event.kind != STATE:
            continue
        game_id, version = event.value("d") or "", event.value("version")
        told = (event.value("ply"), event.content, event.value("result"))
        due = [it for at, it in stored.get((game_id, version), ()) if at < published.at]
        if told not in due:
            sentence = f"version {version} is told as {told}, and stored before as {due}"
            yield Violation(Invariant.STORED_BEFORE_SAID, (game_id, event.id), sentence)


def applied_is_not_refused(parsed: ParsedHistory) -> Iterator[Violation]:
    """What was applied is not told as refused when it comes again; but a strike is."""
    applied = {key: one.at for one in parsed.changes for key in one.new_event_keys}
    struck = {key for one in parsed.changes for color in "wb" for key in one.newly_refused(color)}
    for published in parsed.published_events:
        about, game_id = published.event.value("e") or "", published.event.value("d")
        key = about[:16]
        is_told = published.event.kind == ERROR and game_id is not None and key not in struck
        if is_told and applied.get(key, published.at) < published.at:
            sentence = f"it was applied, and is told as {published.event.content}"
            yield Violation(Invariant.ONCE, (game_id or "", about), sentence)


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
    if not parsed.history.is_quiet or not parsed.history.has_relays:
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
        if not is_told:
            sentence = f"no relay took its last state, version {game.state_version}"
            yield Violation(Invariant.TOLD, (game_id,), sentence)
        is_noted = game.is_over and game.termination != "aborted"
        if is_noted and len(game.moves) <= PLIES_IN_A_NOTE and game_id not in notes:
            yield Violation(Invariant.TOLD, (game_id,), "no relay took the note of a finished game")
        if f"rated#{game_id}" in parsed.history.table and ratings.get(game_id, 0) < len("wb"):
            yield Violation(Invariant.TOLD, (game_id,), "no relay took the ratings that it changed")


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
