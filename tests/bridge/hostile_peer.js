'use strict'
// A peer that publishes what no client would, and then an invitation: its key is all it prints.
//
//     node hostile_peer.js DIRECTORY ADDRESS FEED CAPS

const path = require('path')
const ssbKeys = require('ssb-keys')

const peer = path.join(__dirname, '..', '..', 'bridge', 'peer')
const { loadIdentity } = require(path.join(peer, 'identity.js'))
const { startPeer } = require(path.join(peer, 'network.js'))

const [directory, address, feed, shs] = process.argv.slice(2)
require('fs').mkdirSync(directory, { recursive: true })
const keys = loadIdentity(directory)
const sbot = startPeer({ directory, keys, shs, host: '127.0.0.1', port: 0 })
const box = require('private-box')
const sodium = require('chloride')

const key = '%' + 'A'.repeat(43) + '=.sha256'
const curve = (id) =>
  sodium.crypto_sign_ed25519_pk_to_curve25519(Buffer.from(id.slice(1, -8), 'base64'))
const boxed = (text) =>
  box.multibox(Buffer.from(text), [curve(feed), curve(keys.id)]).toString('base64') + '.box'
const nested = (depth) => '{"type":"chess_chat","root":"' + key + '","msg":' +
  '['.repeat(depth) + ']'.repeat(depth) + '}'

// What its author signs as null may come as a number that JSON has and nothing else.
const stringify = JSON.stringify
const deep = '['.repeat(20000) + ']'.repeat(20000)
JSON.stringify = (...what) => stringify(...what)
  ?.replace('"msg":null', '"msg":1e999').replace('"msg":"deep"', '"msg":' + deep)

const contents = [
  boxed('this is no JSON'),
  boxed('null'),
  boxed('[["chess_move"]]'),
  boxed(nested(2500)),
  boxed(''),
  'bm90aGluZw==.box',
  { type: 'chess_invite', inviting: [feed], myColor: 'white' },
  { type: 'chess_invite', inviting: { toString: 1 }, myColor: 'white' },
  { type: 'chess_invite', inviting: feed, myColor: 'white', root: [key] },
  { type: 'chess_move', root: [key] },
  { type: 'chess_move', root: key + '\n' },
  { type: 'chess_move', root: { length: 50 } },
  { type: 'chess_move' },
  { type: 'chess_game_end', root: '__proto__' },
  { type: 'chess_chat', root: key, msg: { __proto__: null, toString: null } },
  { type: 'chess_chat', root: key, msg: null },
  { type: 'contact', contact: [feed], following: true },
  { type: 'contact', contact: feed, following: 'yes' },
  { type: 'contact', contact: feed, following: true, msg: '\u0000\u2028' }
]

const publish = (content) => new Promise((resolve, reject) => {
  sbot.db.create({ keys, content }, (error, it) => error ? reject(error) : resolve(it.key))
})

async function main () {
  sbot.ebt.request(keys.id, true)
  for (const content of contents) await publish(content)
  const invite = await publish({ type: 'chess_invite', inviting: feed, myColor: 'white' })
  await publish({ type: 'chess_chat', root: key, msg: 'deep' })
  sbot.disk.written(() => sbot.connect(address, (error) => {
    if (error) throw error
    process.stdout.write(invite + '\n')
  }))
}

process.stdin.on('end', () => process.exit(0)).resume()
main()
