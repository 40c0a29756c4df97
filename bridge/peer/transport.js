'use strict'
// The ways in and out: TCP, and the handshake on it.
//
// Invariant: what the libraries throw on a stranger's bytes ends that connection and nothing else, and
// a connection uses bounded memory, whatever it announces.

const Net = require('multiserver/plugins/net')
const Shs = require('multiserver/plugins/shs')
const { ConnectionLimit } = require('./connection_limit')

const TCP = 'tcp'
const HANDSHAKE = 'shs in bounds'
const HEAD_BYTES = 9
// The longest that is said at once are notes, 58 bytes a feed; a message has 8 KB.
const MAX_PACKET_BYTES = 1 << 20
// Whom we call somebody has chosen: it may be a hub, which has many feeds.
const MAX_PACKET_OF_CALLED_BYTES = 1 << 24

const KINDS = {
  EADDRINUSE: 'port-taken',
  // Of a machine that starts, names may be known later; and who is asked cannot always tell.
  EAI_AGAIN: 'host-unknown',
  ENOTFOUND: 'host-unknown'
}

/** We cannot listen at the configured address: the text says why, `kind` which remedy. */
class CannotListen extends Error {
  constructor ({ code, message }) {
    super(message)
    this.kind = KINDS[code] || 'cannot-listen'
  }
}

/**
 * A plugin: ways in that are open, or CannotListen thrown, and ways out. The libraries' own takes a
 * random port where none is given, does not report that it could not have it, and announces the address
 * all the same.
 */
const transport = {
  init (sbot, config) {
    sbot.multiserver.transport({ name: TCP, create: tcp })
    sbot.multiserver.transform({ name: HANDSHAKE, create: () => handshakeInBounds(config) })
    sbot.on('rpc:connect', (rpc) => { rpc.meta.close = (error) => rpc.close(error, () => {}) })
  }
}

function tcp (options) {
  let net = Net(options)
  let close
  const limit = new ConnectionLimit()
  const listen = (met, opened) => {
    close = net.server((stream) => enter(limit, stream, met), (error) => {
      if (!error) return opened()
      if (error.code !== 'EADDRINUSE' || options.port) throw new CannotListen(error)
      net = Net(options) // Another port.
      listen(met, opened)
    })
  }
  const server = (...both) => {
    listen(...both)
    return (done) => close(done)
  }
  const client = (address, met) =>
    net.client(address, (error, stream) => error ? met(error) : met(null, held(stream)))
  return { ...net, server, client, stringify: (scope) => net.stringify(scope) }
}

/** Accepts the peer on this stream, if there is room for it. */
function enter (limit, stream, met) {
  const [, host] = /^net:(.*):[^:]*$/.exec(stream.address)
  const leave = limit.enter(host)
  if (leave === null) return stream.source(true, () => {})
  met(held(stream, leave))
}

/** The stream, which ends where it has somebody throw; `over` is called once, when it has ended. */
function held (stream, over = () => {}) {
  const meta = { close: () => {} } // the libraries pass it to the protocol on this stream
  let answers = null // where the libraries give us what they tell a caller
  let isOver = false

  function finish () {
    if (!isOver) over()
    isOver = true
  }

  function guarded (work) {
    try {
      work()
    } catch (error) {
      stream.source(error, () => {})
      meta.close(error)
      // A caller that waits for the libraries' answer is told that there will be none.
      if (answers !== null && !isOver) answers(error, () => {})
      finish()
    }
  }

  return {
    ...stream,
    meta,
    source: (abort, tell) =>
      stream.source(abort, (end, bytes) => guarded(() => tell(end, bytes))),
    sink: (read) => {
      answers = read
      stream.sink((abort, tell) => {
        if (abort && isOver) return tell(abort)
        if (abort) finish()
        guarded(() => read(abort, (end, bytes) => {
          if (end) finish()
          tell(end, bytes)
        }))
      })
    }
  }
}

/** The libraries' handshake, after which packets have a bound. */
function handshakeInBounds ({ keys, caps, timers }) {
  const shs = Shs({
    keys: { publicKey: bytesOf(keys.public), secretKey: bytesOf(keys.private) },
    appKey: caps.shs,
    timeout: timers.handshake,
    authenticate: (key, done) => done(null, true) // Anybody may hear our feed.
  })
  const create = (address) => {
    const shake = shs.create(address)
    const longest = address ? MAX_PACKET_OF_CALLED_BYTES : MAX_PACKET_BYTES
    return (stream, done) => shake(stream, (error, shaken) => {
      if (error) return done(error)
      done(null, { ...shaken, source: packetsInBounds(shaken.source, longest) })
    })
  }
  return { ...shs, create }
}

function bytesOf (key) {
  return Buffer.from(key.replace('.ed25519', ''), 'base64')
}

/** A stream that throws at the first packet that is to be longer: the libraries would collect it. */
function packetsInBounds (read, longest) {
  let head = Buffer.alloc(0)
  let bodyBytes = 0 // of the packet, yet to come

  function look (bytes) {
    for (let at = 0; at < bytes.length;) {
      const skipped = Math.min(bodyBytes, bytes.length - at)
      bodyBytes -= skipped
      at += skipped
      const piece = bytes.subarray(at, at + HEAD_BYTES - head.length)
      head = Buffer.concat([head, piece])
      at += piece.length
      if (head.length < HEAD_BYTES) continue
      bodyBytes = head.readUInt32BE(1)
      head = Buffer.alloc(0)
      if (bodyBytes > longest) throw new Error('a packet too long')
    }
  }

  return (abort, tell) => read(abort, (end, bytes) => {
    if (!end) look(bytes)
    tell(end, bytes)
  })
}

module.exports = { CannotListen, HANDSHAKE, TCP, transport }
