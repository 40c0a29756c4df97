'use strict'
// A Scuttlebutt peer that speaks JSON lines: requests on its standard input, answers and notices on
// its standard output. bridge/peer/README.md has them all.
//
//     node main.js --directory D [--host H] [--port P] [--peers A,B] [--caps BASE64]

const libraries = console.error.bind(console)
for (const name of ['log', 'info', 'warn', 'error', 'debug', 'trace']) {
  // What the libraries print may hold a stranger's text, and standard output is ours.
  console[name] = process.env.LOG_LEVEL === 'DEBUG' ? libraries : () => {}
}

const fs = require('fs')
const { parseArgs } = require('util')
const { Forks, admitMessages } = require('./admission')
const { ChessLog } = require('./chess_log')
const { forgetNotesBut } = require('./gossip')
const { IdentityRefused, loadIdentity } = require('./identity')
const { lineOf, readLines } = require('./lines')
const { INVITES } = require('./messages')
const { Connections, startPeer } = require('./network')
const { Replication } = require('./replication')
const { answerer } = require('./requests')
const { CannotListen } = require('./transport')

// The network that everybody's clients are on; a private one has other 32 bytes.
const MAIN_NETWORK = '1KHLiKZvAvjbY1ziZEHMXawbCEIM6qwjCDm3VYRan/s='
const UNUSABLE = 3
const STOP_MS = 3000

function say (value) {
  const line = lineOf(value)
  if (line !== null) process.stdout.write(line)
  return line !== null
}

function giveUp (kind, text) {
  say({ notice: 'failed', kind, text })
  process.exit(UNUSABLE)
}

function main () {
  const { values: chosen } = parseArgs({
    options: {
      directory: { type: 'string' },
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: '0' },
      peers: { type: 'string', default: '' },
      caps: { type: 'string', default: '' }
    }
  })
  const { directory, host } = chosen
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
  const keys = loadIdentity(directory)
  const forks = new Forks(directory)
  const sbot = startPeer({
    directory, keys, host, port: Number(chosen.port), shs: chosen.caps || MAIN_NETWORK
  })
  const listening = new Promise((resolve) => sbot.once('multiserver:listening', resolve))
  const replication = new Replication(sbot, activity)
  const connections = new Connections(sbot, { met: (feed) => replication.want(feed), left })
  admitMessages(sbot, forks, (fork) => say({ notice: 'fork', ...fork }))
  const chess = new ChessLog(sbot.db.getLog(), sbot.disk, keys, changed)
  const answer = answerer({ sbot, chess, forks, connections, replication })

  function changed (message) {
    widen(message)
    tellNews()
  }

  // The logs we need: of feeds that follow us, and of players of games in which we may be asked.
  function widen (message) {
    const { author, content } = message
    for (const feed of chess.playersWith(message)) replication.want(feed)
    if (content.type === 'contact') {
      if (content.following !== true) return
      replication.want(author)
      for (const feed of chess.gamesOf(author).flatMap((root) => chess.partiesOf(root))) {
        replication.wantNamed(feed)
      }
    } else if (INVITES.has(content.type) && chess.concernsUs([author, content.inviting])) {
      replication.want(author)
      replication.wantNamed(content.inviting)
    }
  }

  function activity (feed) {
    const { isFollowed, ...more } = chess.activityOf(feed)
    return { isHeld: isFollowed || feed === keys.id || connections.has(feed), ...more }
  }

  // Keys cost nothing to make: a peer that hangs up is treated as one that never called.
  let hasBegun = false
  function left (feed) {
    if (hasBegun && feed !== keys.id && !chess.concerns(feed)) replication.release(feed)
  }

  // One notice for all that comes until somebody asks what it was.
  let told = false
  function tellNews () {
    if (!told) told = say({ notice: 'news' })
  }

  function begin () {
    replication.want(keys.id)
    replication.begin([...chess.friends(), ...chess.players()])
    say({ notice: 'ready', id: keys.id, address: sbot.getAddress('device') })
    for (const address of chosen.peers.split(',').filter(Boolean)) connections.keep(address)
    forgetNotesBut([...replication.feeds, ...connections.called], directory)
    hasBegun = true
    readLines(process.stdin, {
      take: async (request) => {
        if (request && request.ask === 'hear') told = false
        const answered = await answer(request)
        if (!say(answered)) say({ id: answered.id, refused: { kind: 'too-long', text: '' } })
      },
      refuse: (kind) => say({ notice: 'unreadable', kind }),
      end: stop
    })
  }

  function stop () {
    setTimeout(() => process.exit(0), STOP_MS).unref()
    sbot.disk.written(() => sbot.close(true, () => process.exit(0)))
  }

  process.on('SIGTERM', stop)
  process.on('SIGINT', () => {}) // Ctrl-C is for the parent process, which ends us.
  chess.start(() => listening.then(begin))
}

process.stdout.on('error', () => process.exit(0)) // the parent process is gone
process.on('uncaughtException', (error) => {
  const kind = error instanceof CannotListen ? error.kind : 'broken'
  giveUp(kind, String(error.stack).split('\n')[0])
})
try {
  main()
} catch (error) {
  giveUp(error instanceof IdentityRefused ? 'identity' : 'unusable', error.message)
}
