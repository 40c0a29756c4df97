'use strict'
// Whose logs are asked for, and passed on.
//
// Invariant: keys cost nothing to make, so the number of feeds is bounded; and a feed that plays a game
// does not make room for a new one.

const MAX_FEEDS = 10000
// One feed can name thousands, and room must be left for those who come themselves.
const MAX_NAMED = MAX_FEEDS / 2
// So many are let go at a time, for to find out whom looks at all.
const ROOM = MAX_FEEDS / 10
const LONG_SILENCE_MS = 90 * 24 * 60 * 60 * 1000
const HELD = 2 // the highest rank

class Replication {
  /**
   * `activity(feed)` is `{isHeld, isPlaying, heardAt}`: whether a feed is never to be let go,
   * whether it plays, and when it was last heard (unix ms; 0 if never).
   */
  constructor (sbot, activity) {
    this._sbot = sbot
    this._activity = activity
    this._wanted = new Set()
    this._named = new Set() // those of whom others have told us, the oldest first
  }

  get count () {
    return this._wanted.size
  }

  /** The feeds whose logs are asked for. */
  get feeds () {
    return [...this._wanted]
  }

  /** Asks for the logs of all of these feeds that are held, and of others while much room is left. */
  begin (feeds) {
    const ranked = this._ranked(new Set(feeds))
    const held = ranked.filter(({ rank }) => rank === HELD).length
    for (const { feed, heardAt } of ranked.slice(-Math.max(held, MAX_FEEDS - ROOM))) {
      if (heardAt) this.want(feed)
      else this.wantNamed(feed)
    }
  }

  /**
   * Asks for a feed's log from whomever has it. Where so many are asked for already, those that do
   * not play, and have said nothing for the longest time, are let go for it.
   */
  want (feed) {
    this._named.delete(feed)
    if (this._wanted.has(feed)) return
    if (this._wanted.size >= MAX_FEEDS) this._makeRoom()
    if (this._wanted.size < MAX_FEEDS) this._ask(feed)
  }

  /** Likewise of one that somebody else has named, who takes the place of such another at most. */
  wantNamed (feed) {
    if (this._wanted.has(feed)) return
    if (this._named.size >= MAX_NAMED || this._wanted.size >= MAX_FEEDS) this._forgetOneNamed()
    if (this._wanted.size >= MAX_FEEDS) return
    this._named.add(feed)
    this._ask(feed)
  }

  /** No longer asks for these feeds' logs, and forgets what their peers had noted on others' logs. */
  release (...feeds) {
    for (const feed of feeds) {
      this._wanted.delete(feed)
      this._named.delete(feed)
    }
    this._sbot.ebt.clock({ format: 'classic' }, (_, clock) => {
      for (const feed of feeds) {
        const sequence = clock[feed]
        this._sbot.ebt.forget(feed)
        // That forgets as well how much we have of the log, which we keep.
        if (sequence === undefined) continue
        this._sbot.ebt.setClockForSlicedReplication(feed, sequence, 'classic')
      }
    })
  }

  _ask (feed) {
    this._wanted.add(feed)
    this._sbot.ebt.request(feed, true)
  }

  _makeRoom () {
    const free = this._ranked(this._wanted).filter(({ rank }) => rank < HELD)
    this.release(...free.slice(0, ROOM).map(({ feed }) => feed))
  }

  /** Of those who were named lets the oldest go who has not spoken since. */
  _forgetOneNamed () {
    for (const feed of this._named) {
      this._named.delete(feed)
      const { isHeld, heardAt } = this._activity(feed)
      if (!isHeld && !heardAt) return this.release(feed)
    }
  }

  /** These feeds, those first that can best be done without. */
  _ranked (feeds) {
    const longAgo = Date.now() - LONG_SILENCE_MS
    return [...feeds]
      .map((feed) => ({ feed, ...this._activity(feed) }))
      .map((one) => ({ ...one, rank: rankOf(one, longAgo) }))
      .sort((a, b) => a.rank - b.rank || a.heardAt - b.heardAt)
  }
}

function rankOf ({ isHeld, isPlaying, heardAt }, longAgo) {
  if (isHeld || (isPlaying && heardAt > longAgo)) return HELD
  return isPlaying ? 1 : 0
}

module.exports = { Replication }
