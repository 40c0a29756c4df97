'use strict'
// What may be asked of the peer, and what is answered. A refusal has a kind; it is never a crash.

const { CHESS, FEED, MESSAGE_KEY, UTTERANCE, is } = require('./messages')

const MAX_TOLD = 500
const MAX_RECIPIENTS = 7
const ADDRESS = /^net:[^\s,~]{1,255}~shs:[A-Za-z0-9+/]{43}=$/

class Refused extends Error {
  constructor (kind, text = '') {
    super(text)
    this.kind = kind
  }
}

/** A function from a request to the promise of its answer. */
function answerer ({ sbot, chess, forks, connections, replication }) {
  const publishing = new Map() // utterance → promise of its answer

  const asked = {
    hear: ({ after, most }) => chess.hear(place(after), number(most)),
    thread: ({ root, after, most }) =>
      chess.thread(matching(MESSAGE_KEY, root), place(after), number(most)),
    game: ({ root }) => chess.game(matching(MESSAGE_KEY, root)),
    games: ({ feed }) => ({ roots: chess.gamesOf(matching(FEED, feed)) }),
    forks: () => ({ forks: forks.authors().map((author) => ({ author, ...forks.of(author) })) }),
    state: () => ({ ...chess.counts, connections: connections.count, feeds: replication.count }),
    connect: ({ address }) => connections.keep(matching(ADDRESS, address)) || {},
    publish: ({ content, recps }) => publishOnce(contentFrom(content), recipientsFrom(recps))
  }

  // What has an utterance's id is published once, however often it is asked for, and by whomever.
  function publishOnce (content, recps) {
    const { utterance } = content
    if (utterance === undefined) return publish(content, recps)
    matching(UTTERANCE, utterance)
    const key = chess.saying(content)
    if (key !== undefined) return flushed({ key, again: true })
    if (!publishing.has(utterance)) {
      const published = publish(content, recps)
      publishing.set(utterance, published)
      published.finally(() => publishing.delete(utterance)).catch(() => {})
    }
    return publishing.get(utterance)
  }

  function publish (content, recps) {
    const own = sbot.id
    const all = recps && (recps.includes(own) ? recps : [own, ...recps])
    return new Promise((resolve, reject) => sbot.disk.whenThereIsRoom(() => {
      sbot.db.create({
        keys: sbot.config.keys,
        content: all ? { ...content, recps: all } : content,
        ...(all && { recps: all, encryptionFormat: 'box' })
      }, (error, message) => {
        if (error) return reject(new Refused('unpublishable', reasonOf(error)))
        chess.said(content, message.key)
        if (content.type === 'contact' && content.following) replication.want(content.contact)
        resolve({ key: message.key, again: false })
      })
    })).then(flushed)
  }

  function flushed (answer) {
    return new Promise((resolve) => sbot.disk.written(() => resolve(answer)))
  }

  return async (request) => {
    const id = request && Number.isSafeInteger(request.id) ? request.id : null
    try {
      if (id === null) throw new Refused('unreadable', 'a request has a whole number for an id')
      if (!Object.hasOwn(asked, request.ask)) throw new Refused('unknown-request')
      return { id, answer: await asked[request.ask](request) }
    } catch (error) {
      return { id, refused: { kind: error.kind || 'failed', text: error.message } }
    }
  }
}

function place (after) {
  if (!Number.isSafeInteger(after) || after < -1) throw new Refused('bad-argument', 'after')
  return after
}

function number (most) {
  if (!Number.isSafeInteger(most) || most < 1) throw new Refused('bad-argument', 'most')
  return Math.min(most, MAX_TOLD)
}

function matching (pattern, text) {
  if (!is(pattern, text)) throw new Refused('bad-argument', pattern.source)
  return text
}

function list (pattern, texts) {
  if (!Array.isArray(texts)) throw new Refused('bad-argument', 'a list is needed')
  return texts.map((text) => matching(pattern, text))
}

function contentFrom (content) {
  if (content === null || typeof content !== 'object') throw new Refused('bad-argument', 'content')
  if (!CHESS.has(content.type) && content.type !== 'contact' && content.type !== 'about') {
    throw new Refused('bad-argument', 'neither of chess nor of whom one follows or is')
  }
  if (content.type === 'contact') matching(FEED, content.contact)
  if (content.type === 'about') matching(FEED, content.about)
  return content
}

function recipientsFrom (recps) {
  if (recps === undefined || recps === null) return null
  const feeds = list(FEED, recps)
  if (!feeds.length || feeds.length >= MAX_RECIPIENTS) throw new Refused('bad-argument', 'recps')
  return feeds
}

/** The libraries wrap an error into others; the first one said says why. */
function reasonOf (error) {
  const causes = String(error.stack).split('\n').filter((line) => /Error: /.test(line))
  return (causes.pop() || error.message).trim()
}

module.exports = { answerer }
