// ssb-chess 4.0.2 itself, without its windows: what it makes of a game's messages, and what it
// writes when a player moves. One JSON value a line, each way:
//
//   {"me", "messages", "ask": "situation", "game"}                            → {"situation"}
//   {"me", "messages", "ask": "pgn", "game"}                                  → {"pgn"}
//   {"me", "messages", "ask": "move", "game", "orig", "dest", "promotion"?}   → {"content"}
//   {"me", "messages", "ask": "resign" | "accept", "game"}                    → {"content"}
//   {"me", "messages", "ask": "invite", "whom", "white", "game"?}             → {"content"}
//
// A message is {"key", "value": {"author", "sequence", "timestamp", "content"}}; "me" is the feed
// whose program this is. Nothing is published: "content" is what it would have.

const pull = require('pull-stream')
const Backlinks = require('ssb-chess/utils/backlinks_obs')
const Games = require('ssb-chess/ssb_ctrl/game')
const Invitations = require('ssb-chess/ssb_ctrl/game_challenge')
const Moves = require('ssb-chess/ctrl/gameMove')
const Pgn = require('ssb-chess/ctrl/pgn')

// The library prints; the lines are ours.
const say = process.stdout.write.bind(process.stdout)
console.log = console.error

function program(me, messages) {
  let published
  const written = new Promise((resolve) => (published = resolve))
  const found = (id) => messages.find((message) => message.key === id)
  const dataAccess = {
    getInviteMessage: (id, cb) => cb(found(id) ? null : new Error('no such game'), found(id)?.value),
    getLatestAboutMsgIds: (id, cb) => cb(null, []),
    publishPublicChessMessage: (content, cb) => {
      published(content)
      cb(null, { key: 'unknown' })
    },
    allGameMessages: (id) => {
      const own = messages.filter((message) => message.value.content.root === id)
      return pull.values([...own, { sync: true }])
    },
  }
  const social = { getDisplayName: (id) => Promise.resolve(id) }
  const games = Games(dataAccess, me, Backlinks(dataAccess), social)
  return { games, invitations: Invitations(dataAccess, me), written }
}

async function answer(asked) {
  const { games, invitations, written } = program(asked.me, asked.messages)
  switch (asked.ask) {
    case 'situation':
      return { situation: await games.getSituation(asked.game) }
    case 'pgn':
      return { pgn: await Pgn(games).getPgnExport(asked.game) }
    case 'move':
      Moves(games, asked.me).makeMove(asked.game, asked.orig, asked.dest, asked.promotion)
      return { content: await written }
    case 'resign': {
      const situation = await games.getSituation(asked.game)
      Moves(games, asked.me).resignGame(asked.game, situation.latestUpdateMsg)
      return { content: await written }
    }
    case 'accept':
      invitations.acceptChallenge(asked.game)
      return { content: await written }
    case 'invite':
      invitations.inviteToPlay(asked.whom, asked.white, asked.game)
      return { content: await written }
  }
  throw new Error(`unknown request "${asked.ask}"`)
}

require('readline')
  .createInterface({ input: process.stdin })
  .on('line', (line) => {
    answer(JSON.parse(line)).then(
      (told) => say(JSON.stringify(told) + '\n'),
      (error) => say(JSON.stringify({ error: String(error?.message ?? error) }) + '\n'),
    )
  })
  .on('close', () => process.exit(0))
