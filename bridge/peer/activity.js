'use strict'
// When each feed was last received from, and whether it plays, so that others can be dropped first.

class Activity {
  constructor () {
    this._heardAt = new Map() // feed → when its latest message reached us (unix ms)
    this._playing = new Map() // feed → how many of its games are under way
  }

  /** `{isPlaying, heardAt}` of a feed; 0 where nothing was heard. */
  of (feed) {
    return { isPlaying: this._playing.has(feed), heardAt: this._heardAt.get(feed) ?? 0 }
  }

  /** Notes that a feed was heard at `ms`. */
  hear (feed, ms) {
    this._heardAt.set(feed, ms)
  }

  /** Notes that those of `after` play a game that before was played by those of `before`. */
  change (before, after) {
    for (const feed of after) this._add(feed, 1)
    for (const feed of before) this._add(feed, -1)
  }

  _add (feed, games) {
    const playing = (this._playing.get(feed) || 0) + games
    if (playing) this._playing.set(feed, playing)
    else this._playing.delete(feed)
  }
}

/**
 * The feeds that play a game: none before it is accepted or once we have said that it is over, and no
 * feed whose own last message in it was its end.
 */
function playersOf (game) {
  if (game.accept === null || game.isOver) return []
  return game.parties.filter((feed) => !game.left.has(feed))
}

/** Whether a message says that its game is over. A draw without a move is an offer. */
function isEnd ({ type, status, orig, dest }) {
  if (type !== 'chess_game_end' && type !== 'ssb_chess_game_end') return false
  return status !== 'draw' || (orig ?? dest ?? null) !== null
}

module.exports = { Activity, isEnd, playersOf }
