// A second client of the native protocol, version 2, on nostr-tools: one side of a scripted game.
//
// Usage: node play.mjs RELAY[,RELAY...] SERVER_HEX MOVE,MOVE,...
// It knows no chess: the FEN says whose turn it is, the script what is played then. It prints what
// the server says, one JSON value a line, and ends when the finished game's note (kind 64) came.
import { finalizeEvent, generateSecretKey, getPublicKey } from 'nostr-tools/pure'
import { SimplePool, useWebSocketImplementation } from 'nostr-tools/pool'
import WebSocket from 'ws'

useWebSocketImplementation(WebSocket)

const [REQUEST, RESPONSE, STATE, MOVE, ERROR, NOTE] = [20300, 20301, 20302, 20303, 20304, 64]
const [relayList, server, scriptText] = process.argv.slice(2)
const relays = relayList.split(',')
const script = scriptText.split(',')
const secret = generateSecretKey()
const me = getPublicKey(secret)
const pool = new SimplePool()
const known = new Set()
let answered = -1
let askAgain

const now = () => Math.floor(Date.now() / 1000)
const values = (event, name) => event.tags.filter((tag) => tag[0] === name).map((tag) => tag[1])

function send(kind, tags, content) {
  const event = finalizeEvent({ kind, tags, content, created_at: now() }, secret)
  // A relay that is away or refuses: the others are enough, and asking again mends the rest.
  return Promise.allSettled(pool.publish(relays, event))
}

function ask() {
  clearInterval(askAgain)
  askAgain = setInterval(() => {
    answered = -1
    send(REQUEST, [['p', server]], '')
  }, 4000)
  return send(REQUEST, [['p', server]], '')
}

function hear(event) {
  if (known.has(event.id)) return
  known.add(event.id)
  console.log(JSON.stringify({ me, kind: event.kind, tags: event.tags, content: event.content }))
  askAgain?.refresh()
  if (event.kind === STATE) answer(event)
  if (event.kind === NOTE) end()
}

function answer(state) {
  const [, turn, , , , number] = state.content.split(' ')
  const ply = 2 * (Number(number) - 1) + (turn === 'b' ? 1 : 0)
  const [white, black] = values(state, 'p')
  if ([white, black][ply % 2] !== me || ply <= answered || ply >= script.length) return
  answered = ply
  const [game] = values(state, 'd')
  send(MOVE, [['d', game], ['p', server], ['p', white], ['p', black]], script[ply])
}

function end() {
  clearInterval(askAgain)
  // What was sent with the note may arrive a moment after it: relays keep no order.
  setTimeout(() => process.exit(0), 500)
}

pool.subscribe(
  relays,
  { kinds: [RESPONSE, STATE, ERROR, NOTE], authors: [server], '#p': [me] },
  { onevent: hear, oneose: ask },
)
