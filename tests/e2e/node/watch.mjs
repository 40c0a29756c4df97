// A spectator on nostr-tools: every state of one game, and where the stored ones end.
//
// Usage: node watch.mjs RELAY[,RELAY...] SERVER_HEX GAME
// It prints what it hears, one JSON value a line, and ends with the state that has a result.
import { SimplePool, useWebSocketImplementation } from 'nostr-tools/pool'
import WebSocket from 'ws'

useWebSocketImplementation(WebSocket)

const STATE = 20302
const [relayList, server, game] = process.argv.slice(2)
const pool = new SimplePool()

const say = (value) => console.log(JSON.stringify(value))

pool.subscribe(
  relayList.split(','),
  { kinds: [STATE], authors: [server], '#d': [game] },
  {
    onevent(event) {
      say({ kind: event.kind, tags: event.tags, content: event.content })
      if (event.tags.some((tag) => tag[0] === 'result')) process.exit(0)
    },
    oneose: () => say({ kind: 'EOSE' }),
    onclose: (reasons) => say({ kind: 'CLOSED', content: reasons }),
  },
)
