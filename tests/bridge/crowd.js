'use strict'
// Some play, some have played, and then made-up feeds come by the thousand, each to invite us once.
// Whose logs are asked for then, and after a restart, is printed.

const path = require('path')

const peer = path.join(__dirname, '..', '..', 'bridge', 'peer')
const { ChessLog } = require(path.join(peer, 'chess_log.js'))
const { Replication } = require(path.join(peer, 'replication.js'))

const id = (name, sigil, kind) =>
  sigil + Buffer.from(String(name).padStart(32)).toString('base64') + kind
const feed = (name) => id(name, '@', '.ed25519')
const us = feed('us')
const DAY_MS = 24 * 60 * 60 * 1000
const MADE_UP = 15000
const FEEDS = 10000

class Peer {
  constructor () {
    this.chess = new ChessLog({}, {}, { id: us }, () => {})
    this.at = 0
    this.restart()
  }

  restart () {
    const ebt = { request () {}, forget () {}, clock: (_, done) => done(null, {}) }
    this.replication = new Replication({ ebt }, (feed) => {
      const { isFollowed, ...more } = this.chess.activityOf(feed)
      return { isHeld: isFollowed, ...more }
    })
    this.replication.begin([...this.chess.friends(), ...this.chess.players()])
  }

  /** Has a feed say something, so many days ago; the key of it. */
  say (name, content, daysAgo = 0) {
    const at = this.at++
    const message = { key: id('m' + at, '%', '.sha256'), author: feed(name), content, at }
    this.chess._note({ ...message, heardAt: Date.now() - daysAgo * DAY_MS + at })
    for (const player of this.chess.playersWith(message)) this.replication.want(player)
    return message.key
  }

  invite (name, whom = 'us', daysAgo = 0) {
    const content = { type: 'chess_invite', inviting: feed(whom), myColor: 'white' }
    const root = this.say(name, content, daysAgo)
    this.replication.want(feed(name))
    if (whom !== 'us') this.replication.wantNamed(feed(whom))
    return root
  }

  begin (name, whom = 'us', daysAgo = 0) {
    const root = this.invite(name, whom, daysAgo)
    this.say(whom, { type: 'chess_invite_accept', root }, daysAgo)
    return root
  }

  follow (name) {
    this.say(name, { type: 'contact', contact: us, following: true })
    this.replication.want(feed(name))
  }

  wanted (names) {
    const wanted = new Set(this.replication.feeds)
    const each = Object.entries(names).map(([who, name]) => [who, wanted.has(feed(name))])
    return { all: wanted.size, ...Object.fromEntries(each) }
  }
}

function crowd () {
  const here = new Peer()
  const move = { type: 'chess_move', orig: 'e2', dest: 'e4', ply: 1 }
  const end = { type: 'chess_game_end' }
  here.say('us', { type: 'contact', contact: feed('friend'), following: true })
  here.replication.want(feed('friend'))
  here.begin('silent', 'us', 100)
  here.begin('player')
  here.say('offerer', { ...end, root: here.begin('offerer'), status: 'draw' })
  const claimed = here.begin('claimer')
  here.say('claimer', { ...move, ...end, root: claimed, status: 'mate' })
  here.say('claimer', { ...move, root: claimed })
  here.follow('anna')
  here.begin('anna', 'bert')
  here.invite('waiter')
  here.say('loser', { ...end, root: here.begin('loser'), status: 'resigned' })
  here.say('us', { ...end, root: here.begin('winner'), status: 'resigned' })
  here.follow('carl')
  const judged = here.begin('carl', 'dora')
  const verdict = { reason: 'result', result: '1-0' }
  here.say('us', { type: 'chess_chat', root: judged, msg: '', verdict })
  here.follow('follower')
  here.invite('talker')
  for (let i = 0; i < MADE_UP; i++) {
    here.invite('made up ' + i)
    if (i % 1000 === 0) here.say('talker', { type: 'chess_chat', root: judged, msg: '' })
  }
  const names = {
    'who plays us': 'player',
    'who offered a draw': 'offerer',
    'who said a false end and played on': 'claimer',
    'who plays another': 'anna',
    'their opponent': 'bert',
    'who was silent long in their game': 'silent',
    'whom we follow': 'friend',
    'who was heard again': 'talker',
    'the latest': 'made up ' + (MADE_UP - 1),
    'who waits in vain': 'waiter',
    'who resigned': 'loser',
    'whose game we ended': 'winner',
    'who was judged': 'carl',
    'their judged opponent': 'dora',
    'who only follows us': 'follower',
    'the first': 'made up 0'
  }
  const crowded = here.wanted(names)
  here.restart()
  return { crowded, again: here.wanted(names) }
}

function allPlay () {
  const here = new Peer()
  here.begin('silent', 'us', 100)
  here.begin('player')
  // We are one of those as well.
  for (let i = 0; i < FEEDS - 2; i++) here.begin('made up ' + i)
  here.begin('too many')
  return here.wanted({
    'who plays us': 'player',
    'who was silent long in their game': 'silent',
    'the latest': 'made up ' + (FEEDS - 3),
    'one too many': 'too many'
  })
}

function begun () {
  const here = new Peer()
  const root = here.invite('waiter')
  for (let i = 0; i < MADE_UP; i++) here.invite('made up ' + i)
  const wanted = () => here.wanted({ waiter: 'waiter' }).waiter
  const before = wanted()
  here.say('us', { type: 'chess_invite_accept', root })
  return { before, since: wanted() }
}

console.log(JSON.stringify({ ...crowd(), allPlay: allPlay(), begun: begun() }))
