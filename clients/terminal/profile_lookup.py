"""Getting to know who plays: whose profiles and ratings are asked for, and what came of it."""

from dataclasses import replace

from clients.terminal.effects import Introduced, LookUp
from clients.terminal.outgoing import Step
from clients.terminal.profiles import Profile, Rating, learn
from clients.terminal.session import Session


def look_up(session: Session) -> LookUp:
    """Ask for the players of the game, and for those who challenge us."""
    return LookUp(_wanted(session))


def introduce(session: Session, told: Profile | Rating) -> Step:
    """A profile or a rating came; dropped where nobody asked for it."""
    wanted = _wanted(session)
    if told.pubkey not in wanted:
        return session, ()
    before = session.people
    people = tuple(each for each in learn(before, told) if each.pubkey in wanted)
    known = replace(session, people=people)
    game = session.game
    if people == before or game is None or told.pubkey not in (game.white, game.black):
        return known, ()
    seen = replace(game, people=people)
    after = replace(known, game=seen)
    if seen.described(told.pubkey) == game.described(told.pubkey):
        return after, ()
    return after, (Introduced(seen, told.pubkey),)


def _wanted(session: Session) -> tuple[str, ...]:
    game = session.game
    players = (game.white, game.black) if game is not None else ()
    challengers = (each.challenge.challenger for each in session.challenges)
    return tuple(dict.fromkeys(key for key in (*players, *challengers) if key))
