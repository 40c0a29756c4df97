'use strict'
// The peer itself: a feed, a log, replication, and connections that are kept up.

const Net = require('multiserver/plugins/net')
const SecretStack = require('secret-stack')
const { afterTheDisk } = require('./admission')
const { hearObjectsOfCallers, ofThoseWeCall } = require('./gossip')

const WAY_IN = 'way in'
const MOST_CONNECTIONS = 256
const FIRST_BACKOFF_MS = 500
const LONGEST_BACKOFF_MS = 20000
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
 * A way in that is open, or an error. The libraries' own takes a port at random where none is
 * wanted, tells nobody that it could not have it, and gives others the address all the same.
 */
const wayIn = {
  init (sbot) {
    sbot.multiserver.transport({ name: WAY_IN, create })
    function create (options) {
      let net = Net(options)
      let close
      const listen = (met, opened) => {
        close = net.server(met, (error) => {
          if (!error) return opened()
          if (error.code !== 'EADDRINUSE' || options.port) throw error
          net = Net(options) // Another port.
          listen(met, opened)
        })
      }
      const server = (...both) => {
        listen(...both)
        return (done) => close(done)
      }
      return { ...net, server, stringify: (scope) => net.stringify(scope) }
    }
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
    .use(wayIn)
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
        incoming: { [WAY_IN]: [{ scope: 'device', transform: 'shs', host, port }] },
        outgoing: { net: [{ transform: 'shs' }] }
      }
    })
  hearObjectsOfCallers(sbot)
  return sbot
}

/** Who is connected; anybody may connect to hear our feed, up to a number. */
class Connections {
  /** `met(feed)` is called at each new connection. */
  constructor (sbot, met) {
    this._sbot = sbot
    this._open = new Set()
    sbot.on('rpc:connect', (rpc, isClient) => {
      if (this._open.size >= MOST_CONNECTIONS && !isClient) return rpc.close(true, () => {})
      this._open.add(rpc)
      rpc.once('closed', () => this._open.delete(rpc))
      met(rpc.id)
    })
  }

  get count () {
    return this._open.size
  }

  /** Connects to a multiserver address, and again whenever that connection ends or fails. */
  keep (address) {
    let failures = 0
    const again = () => {
      const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** failures, LONGEST_BACKOFF_MS)
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

const MOST_FEEDS = 10000
const MOST_WITH_STRANGERS = MOST_FEEDS / 2

/** Whose logs are asked for, and passed on. */
class Replication {
  constructor (sbot) {
    this._sbot = sbot
    this._wanted = new Set()
  }

  get count () {
    return this._wanted.size
  }

  /** Asks for a feed's log from whomever has it, unless so many are asked for already. */
  want (feed, most = MOST_FEEDS) {
    if (this._wanted.has(feed) || this._wanted.size >= most) return
    this._wanted.add(feed)
    this._sbot.ebt.request(feed, true)
  }

  /**
   * Likewise of one that somebody else has named. One feed can name thousands, and room must be
   * left for those who come themselves.
   */
  wantStranger (feed) {
    this.want(feed, MOST_WITH_STRANGERS)
  }
}

module.exports = { Connections, Replication, startPeer }
