'use strict'
// What the log says about chess: read through once at the start, and then with every message.
//
// A place in the log (`at`, a byte offset) is what the bridge's cursor goes by: messages get theirs
// in the order in which they reached us, and keep it. What is not on the disk yet has none.

const {
  ACCEPTS, CHATS, FEED, INVITES, MESSAGE_KEY, UTTERANCE, is, messageFrom, rootOf
} = require('./messages')
const { Activity, isEnd, playersOf } = require('./activity')

// The longest game that the rules allow has fewer plies; more is one feed's nonsense.
const MAX_OF_ONE_FEED = 6000
const MAX_GAMES_OF_A_FEED = 5000
// Each may open all of a feed's games, and every one of these is looked at then.
const MAX_CHANGES_OF_MIND = 20
// Of a game's bystanders as many are told as can have something to say, and not all they say.
const MAX_BYSTANDERS = 50
const MAX_OF_A_BYSTANDER = 20
const MAX_BYTES_TOLD = 512 * 1024

class ChessLog {
  /** `changed(message)` is called for each message that comes after the first reading. */
  constructor (log, disk, keys, changed) {
    this._log = log
    this._disk = disk
    this._keys = keys
    this._changed = changed
    this._places = [] // of everything that a bridge hears
    this._games = new Map() // root → what `emptyGame` has
    this._broughtUp = new Map() // feed → how many games it was the first to speak of
    this._gamesOf = new Map() // feed → roots of games that it invited or was invited to
    this._activity = new Activity()
    this._followed = new Set() // whom we follow
    this._follows = new Map() // feed → [place, whether it follows us from there on] …
    this._said = new Map() // utterance → key, of our own messages
    this._judged = new Map() // message → key of our verdict about it
  }

  /** Reads the log through, then calls `done` and goes on with whatever is added. */
  start (done) {
    let reached = -1
    const read = (then) => ({
      paused: false,
      write: (record) => {
        reached = record.offset
        const message = record.value && messageFrom(record.value, record.offset, this._keys)
        if (message && this._note(message)) then(message)
      },
      end: () => {}
    })
    const options = { offsets: true, values: true, decrypt: false }
    const live = () => {
      this._log.stream({ ...options, gt: reached, live: true })
        .pipe(read((message) => this._disk.written(() => this._changed(message))))
      done()
    }
    this._log.onDrain(() => {
      const old = this._log.stream({ ...options, gt: -1 })
      old.pipe({ ...read(() => {}), end: live })
    })
  }

  /** Up to `most` messages that came after the place `after`, and how far that leads. */
  hear (after, most) {
    return this._told(this._places, after, most)
  }

  /** Likewise those of one game: those of its two players, ours, and some of bystanders. */
  thread (root, after, most) {
    const game = this._games.get(root)
    if (!game || game.invite === null) return Promise.resolve({ messages: [], reached: after })
    const known = new Set([...game.parties, this._keys.id])
    const bystanders = [...game.by.keys()].filter((feed) => !known.has(feed))
    const places = [
      ...[...known].flatMap((feed) => game.by.get(feed) || []),
      ...bystanders.slice(0, MAX_BYSTANDERS)
        .flatMap((feed) => game.by.get(feed).slice(0, MAX_OF_A_BYSTANDER))
    ]
    return this._told(places.sort((a, b) => a - b), after, most)
  }

  /**
   * What a game can be judged by: its invitation, the invited feed's acceptance, since when its two
   * players follow us and since when they do not, and the key of its newest message but for chat.
   */
  async game (root) {
    const game = this._games.get(root)
    if (!game || !this._isWritten(game.invite)) return { invite: null }
    const players = [...game.parties, this._keys.id]
    const newest = Math.max(...players.map((feed) => game.newest.get(feed) ?? game.invite))
    const places = this._isWritten(game.accept) ? [game.accept] : []
    const [invite, latest, accept = null] = await this._read([game.invite, newest, ...places])
    const follows = game.parties.map((feed) => [feed, this._follows.get(feed) || []])
    return { invite, accept, follows: Object.fromEntries(follows), newest: latest.key }
  }

  /** The roots of the games that a feed began or was invited to, the newest last. */
  gamesOf (feed) {
    return [...(this._gamesOf.get(feed) || [])]
  }

  /** Whether a feed follows ours, by its newest word about us. */
  followsUs (feed) {
    return feed === this._keys.id || this._follows.get(feed)?.at(-1)[1] === true
  }

  /** Every feed with which we have to do: whom we follow, and who follows us. */
  * friends () {
    yield * this._followed
    for (const feed of this._follows.keys()) if (this.followsUs(feed)) yield feed
  }

  /** Who plays where that concerns us, friends and strangers. */
  * players () {
    for (const game of this._games.values()) if (this.concernsUs(game.parties)) yield * game.parties
  }

  /** Whether a game between these two is one of ours, or one that we may be asked to referee. */
  concernsUs (parties) {
    return parties.some((feed) => this.followsUs(feed))
  }

  /** Whether a feed is one of `friends` or `players`. */
  concerns (feed) {
    return this._followed.has(feed) || this.followsUs(feed) ||
      this.gamesOf(feed).some((root) => this.concernsUs(this.partiesOf(root)))
  }

  /** `{isFollowed, isPlaying, heardAt}`: whether we follow a feed, and its `Activity`. */
  activityOf (feed) {
    return { isFollowed: this._followed.has(feed), ...this._activity.of(feed) }
  }

  /** Who plays the game that a message is about, if it is under way and concerns us. */
  playersWith (message) {
    const game = this._games.get(rootOf(message))
    return game && this.concernsUs(game.parties) ? playersOf(game) : []
  }

  /** The two players of a game, or none where its invitation is not known. */
  partiesOf (root) {
    return this._games.get(root)?.parties || []
  }

  /**
   * The key of our own message that says this, or undefined. A message that comes again may be
   * judged again, in another position; the verdict that was given first remains.
   */
  saying (content) {
    return this._said.get(content.utterance) ?? this._judged.get(judgedBy(content))
  }

  /** Keeps what we said before the log has it, so that it is not said twice. */
  said (content, key) {
    if (!is(UTTERANCE, content.utterance)) return
    this._said.set(content.utterance, key)
    const about = judgedBy(content)
    if (about !== undefined && !this._judged.has(about)) this._judged.set(about, key)
  }

  /** How much there is, in numbers. */
  get counts () {
    return { messages: this._places.length, games: this._games.size, said: this._said.size }
  }

  _isWritten (place) {
    return place !== null && place <= this._log.since.value
  }

  _told (places, after, most) {
    const messages = []
    let bytes = 0
    let reached = after
    for (let i = firstAfter(places, after); i < places.length; i++) {
      if (messages.length === most || !this._isWritten(places[i])) break
      messages.push(places[i])
    }
    return this._read(messages).then((read) => {
      const told = read.filter((message) => {
        bytes += JSON.stringify(message).length * 3
        return bytes < MAX_BYTES_TOLD
      })
      if (told.length) reached = told[told.length - 1].at
      return { messages: told, reached }
    })
  }

  _read (places) {
    return Promise.all(places.map((place) => new Promise((resolve, reject) => {
      this._log.getRaw(place, (error, record) => {
        if (error) return reject(error)
        resolve(this._numbered(messageFrom(record, place, this._keys)))
      })
    })))
  }

  /** The message, with how many of its author's in this game it makes. */
  _numbered (message) {
    const places = this._games.get(rootOf(message))?.by.get(message.author)
    return places ? { ...message, nth: firstAfter(places, message.at) } : message
  }

  /** Remembers the message's place in the log; whether a bridge is sent it. */
  _note (message) {
    const { content } = message
    const heard = content.type === 'contact'
      ? this._noteFollow(message)
      : content.type !== 'about' && this._noteChess(message)
    if (heard) {
      this._places.push(message.at)
      this._activity.hear(message.author, message.heardAt)
    }
    // Though a game be so long that nothing more of it is heard: what was said is said.
    if (message.author === this._keys.id) this.said(content, message.key)
    return heard
  }

  _noteFollow ({ author, content, private: isPrivate, at }) {
    if (author === this._keys.id && is(FEED, content.contact)) {
      if (content.following === true) this._followed.add(content.contact)
      return false
    }
    if (isPrivate || content.contact !== this._keys.id) return false
    const changes = this._follows.get(author) || []
    const following = content.following === true
    if (following === this.followsUs(author) || changes.length >= MAX_CHANGES_OF_MIND) return false
    changes.push([at, following])
    this._follows.set(author, changes)
    return true
  }

  _noteChess (message) {
    const { author, content, at } = message
    const isInvite = INVITES.has(content.type)
    const root = rootOf(message)
    if (!is(MESSAGE_KEY, root) || (isInvite && !is(FEED, content.inviting))) return false
    const game = this._games.get(root) || this._newGame(root, author)
    if (!game) return false
    const places = game.by.get(author) || []
    if (places.length >= MAX_OF_ONE_FEED) return false
    game.by.set(author, places)
    places.push(at)
    const playedBefore = playersOf(game)
    if (!CHATS.has(content.type)) {
      game.newest.set(author, at)
      if (isEnd(content)) game.left.add(author)
      else game.left.delete(author)
    }
    if (author === this._keys.id && (isEnd(content) || content.verdict?.reason === 'result')) {
      game.isOver = true
    }
    if (isInvite) {
      game.invite = at
      game.parties = [author, content.inviting]
      game.accept = game.accepts.get(content.inviting) ?? null
      for (const feed of game.parties) this._noteGameOf(feed, root)
    } else if (ACCEPTS.has(content.type) && !game.accepts.has(author)) {
      game.accepts.set(author, at)
      if (author === game.parties[1]) game.accept = at
    }
    this._activity.change(playedBefore, playersOf(game))
    return true
  }

  /** A game that no message has named yet; undefined where this feed has named too many. */
  _newGame (root, author) {
    const before = this._broughtUp.get(author) || 0
    if (before >= MAX_GAMES_OF_A_FEED && author !== this._keys.id) return undefined
    this._broughtUp.set(author, before + 1)
    const game = emptyGame()
    this._games.set(root, game)
    return game
  }

  _noteGameOf (feed, root) {
    const roots = this._gamesOf.get(feed) || new Set()
    this._gamesOf.set(feed, roots.add(root))
    if (roots.size > MAX_GAMES_OF_A_FEED) roots.delete(roots.values().next().value)
  }
}

/** The message that this is the verdict about; of one that was played much may be disputed. */
function judgedBy ({ verdict }) {
  const isGiven = is(MESSAGE_KEY, verdict?.about) && verdict.reason !== 'disputed'
  return isGiven ? verdict.about : undefined
}

function emptyGame () {
  return {
    invite: null, // its place
    accept: null, // that of the invited feed's
    parties: [], // who invited, who was invited
    by: new Map(), // feed → places of what it said
    newest: new Map(), // feed → place of what it last said but for chat
    isOver: false, // by our word
    left: new Set(), // feeds by whose own last word it is over
    accepts: new Map() // feed → place of its first acceptance, of an invitation not known yet
  }
}

/** The index of the first place after `after`, in places that ascend. */
function firstAfter (places, after) {
  let low = 0
  let high = places.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (places[middle] > after) high = middle
    else low = middle + 1
  }
  return low
}

module.exports = { ChessLog }
