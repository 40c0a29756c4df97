'use strict'
// A stranger with a made-up key, who says what no peer would. They print `met` after a handshake,
// `told off` when what they began is ended, and `closed` when the connection is.
//
//     node stranger.js SAYS CAPS ADDRESS   calls
//     node stranger.js SAYS CAPS           is called: they print their address first

const crypto = require('crypto')
const net = require('net')
const pull = require('pull-stream')
const SecretHandshake = require('secret-handshake')
const sodium = require('chloride')
const toPull = require('stream-to-pull-stream')

const [says, shs, address] = process.argv.slice(2)
const STREAM = 8
const END = 4
const JSON_BODY = 2
const PATIENCE_MS = 20000 // so that a line that does not come is not awaited for ever

function head (flags, length) {
  const bytes = Buffer.alloc(9)
  bytes[0] = flags
  bytes.writeUInt32BE(length, 1)
  bytes.writeInt32BE(1, 5)
  return bytes
}

const packet = (flags, value) => {
  const body = Buffer.from(JSON.stringify(value))
  return Buffer.concat([head(flags | JSON_BODY, body.length), body])
}
const exchange = packet(STREAM, {
  name: ['ebt', 'replicate'], type: 'duplex', args: [{ version: 3, format: 'classic' }]
})
const notes = (count) => packet(STREAM, Object.fromEntries(Array.from({ length: count }, () =>
  ['@' + crypto.randomBytes(32).toString('base64') + '.ed25519', 2])))

const words = {
  'null-request': () => [packet(0, null)],
  'null-stream': () => [packet(STREAM, null)],
  'long-packet': () => [head(JSON_BODY, 2 ** 24 + 1), Buffer.alloc(9)],
  'many-notes': () => [exchange, notes(6000), notes(6000)],
  'few-notes': () => [exchange, notes(10)],
  'a-list': () => [exchange, packet(STREAM, [1])]
}

const print = (line) => process.stdout.write(line + '\n')

function speak (error, stream) {
  if (error) return print('closed')
  print('met')
  const said = words[says]()
  stream.sink((abort, tell) => {
    if (abort) tell(abort)
    else if (said.length) tell(null, said.shift())
  })
  // What comes are packets, cut up somehow; that they are ended is all that is looked for.
  let rest = Buffer.alloc(0)
  pull(stream.source, pull.drain((bytes) => {
    rest = Buffer.concat([rest, bytes])
    while (rest.length >= 9 && rest.length >= 9 + rest.readUInt32BE(1)) {
      if (rest[0] & END && rest.readInt32BE(5) === -1) print('told off')
      rest = rest.subarray(9 + rest.readUInt32BE(1))
    }
  }, () => print('closed')))
}

const keys = sodium.crypto_sign_seed_keypair(crypto.randomBytes(32))
const caps = Buffer.from(shs, 'base64')
process.stdin.on('end', () => process.exit(0)).resume()
setTimeout(() => process.exit(1), PATIENCE_MS).unref()
if (address) {
  const [, host, port, key] = /^net:(.*):(\d+)~shs:(.*)$/.exec(address)
  const wire = toPull.duplex(net.connect(Number(port), host))
  const shake = SecretHandshake.createClient(keys, caps, 5000)
  pull(wire, shake(Buffer.from(key, 'base64'), speak), wire)
} else {
  const anybody = (key, done) => done(null, true)
  const shake = SecretHandshake.createServer(keys, anybody, caps, 5000)
  const server = net.createServer((socket) => {
    const wire = toPull.duplex(socket)
    pull(wire, shake(speak), wire)
  })
  server.listen(0, '127.0.0.1', () => {
    print(`net:127.0.0.1:${server.address().port}~shs:${keys.publicKey.toString('base64')}`)
  })
}
