'use strict'
// What one feed can have our peer keep: it says a lot, and what was kept of that is printed.

const path = require('path')

const peer = path.join(__dirname, '..', '..', 'bridge', 'peer')
const { ChessLog } = require(path.join(peer, 'chess_log.js'))
const { Replication } = require(path.join(peer, 'replication.js'))

const id = (number, sigil, kind) =>
  sigil + Buffer.from(String(number).padStart(32)).toString('base64') + kind
const feed = (number) => id(number, '@', '.ed25519')
const key = (number) => id(number, '%', '.sha256')

const us = feed('us')
const chess = new ChessLog({}, {}, { id: us }, () => {})
let at = 0
const say = (author, content) =>
  chess._note({ key: key('m' + at), author, content, at: at++, heardAt: at })

for (let i = 0; i < 6000; i++) {
  say(feed('loud'), { type: 'chess_move', root: key(i) })
  say(feed('loud'), { type: 'contact', contact: us, following: i % 2 === 0 })
}
const isHeard = say(feed('quiet'), { type: 'chess_invite', inviting: us, myColor: 'white' })

const ebt = { request () {}, forget () {}, clock: (_, done) => done(null, {}) }
const replication = new Replication({ ebt }, (feed) => chess.activityOf(feed))
replication.wantNamed(feed('speaker'))
say(feed('speaker'), { type: 'chess_move', root: key('any') })
for (let i = 0; i < 20000; i++) replication.wantNamed(feed(i))
const strangers = replication.count
replication.want(feed('newcomer'))

console.log(JSON.stringify({
  games: chess.counts.games,
  changes: chess._follows.get(feed('loud')).length,
  isHeard,
  strangers,
  isSpeakerWanted: replication.feeds.includes(feed('speaker')),
  isLatestWanted: replication.feeds.includes(feed(19999)),
  isNewcomerWanted: replication.count > strangers
}))
