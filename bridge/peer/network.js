'use strict'
// The peer itself: a feed, a log, replication (whose, is in replication.js), and connections.

const SecretStack = require('secret-stack')
const { afterTheDisk } = require('./admission')
const { hearObjectsOfCallers, ofThoseWeCall } = require('./gossip')
const { HANDSHAKE, TCP, transport } = require('./transport')

const FIRST_BACKOFF_MS = 500
const MAX_BACKOFF_MS = 20000
const HANDSHAKE_MS = 15000
// Without a word for so long a connection counts as dead; those of ours are begun again.
const SILENCE_MS = 120000

/**
 * The log is not to open what is private: it would fall over what is no JSON inside, and again at
 * each start. `ChessLog` opens it, and looks.
 */
const leftClosed = {
  init (sbot) {
    sbot.db.findEncryptionFormatByName('box').decrypt = () => null
  }
}

/**
 * A peer with these keys, its log in `directory`. It will listen on `host` and `port`, or on any
 * port if that is 0, and says `multiserver:listening` when it does.
 */
function startPeer ({ directory, keys, shs, host, port }) {
  const caps = { shs }
  const sbot = SecretStack({ caps })
    .use(require('ssb-db2/core'))
    .use(require('ssb-classic'))
    .use(require('ssb-box'))
    .use(leftClosed)
    .use(transport)
    .use(require('ssb-db2/compat/feedstate'))
    .use(afterTheDisk)
    .use(require('ssb-db2/compat/ebt'))
    .use(ofThoseWeCall)
    .use(require('ssb-ebt'))
    .call(null, {
      path: directory,
      keys,
      caps,
      timers: { inactivity: SILENCE_MS, handshake: HANDSHAKE_MS },
      connections: {
        incoming: { [TCP]: [{ scope: 'device', transform: HANDSHAKE, host, port }] },
        outgoing: { [TCP]: [{ transform: HANDSHAKE }] }
      }
    })
  hearObjectsOfCallers(sbot)
  return sbot
}

/** Who is connected; anybody may connect to hear our feed, as long as there is room. */
class Connections {
  /**
   * `met(feed)` is called at each new connection, and `left(feed)` when a caller's last has ended.
   */
  constructor (sbot, { met, left }) {
    this._sbot = sbot
    this._open = new Set()
    this._called = new Set() // feeds to which we keep connections up
    sbot.on('rpc:connect', (rpc) => {
      this._open.add(rpc)
      rpc.once('closed', () => {
        this._open.delete(rpc)
        if (!this.has(rpc.id)) left(rpc.id)
      })
      met(rpc.id)
    })
  }

  get count () {
    return this._open.size
  }

  /** The feeds to which we keep connections up. */
  get called () {
    return [...this._called]
  }

  /** Whether a feed is connected, or we keep calling it. */
  has (feed) {
    return this._called.has(feed) || this._isHere(feed)
  }

  _isHere (feed) {
    return [...this._open].some((rpc) => rpc.id === feed)
  }

  /** Connects to a multiserver address, and again whenever that connection ends or fails. */
  keep (address) {
    let failures = 0
    this._called.add('@' + address.split('~shs:')[1] + '.ed25519')
    const again = () => {
      const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** failures, MAX_BACKOFF_MS)
      failures = Math.min(failures + 1, 16)
      setTimeout(attempt, backoff * (0.5 + Math.random() / 2)).unref()
    }
    const attempt = () => {
      this._sbot.connect(address, (error, rpc) => {
        if (error) return again()
        failures = 0
        rpc.once('closed', again)
      })
    }
    attempt()
  }
}

module.exports = { Connections, startPeer }
