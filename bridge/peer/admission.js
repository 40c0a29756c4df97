'use strict'
// What replication brings, on its way into the log; and when what is in the log goes out again.
//
// Invariant: nothing leaves this machine before it is on the disk. A message of ours that others have
// and we have lost would be written a second time, under the same number, and our feed be forked.

const fs = require('fs')
const path = require('path')
const sodium = require('chloride')
const classic = require('ssb-classic/format')
const { isShallow } = require('./messages')
const { Disk } = require('./disk')

const DEEPEST = 256
const KEY_BYTES = 32

/**
 * A plugin between the log and replication: new messages are passed on once they are on the disk,
 * and `sbot.disk` reports when that is.
 */
const afterTheDisk = {
  init (sbot) {
    const added = sbot.db.onMsgAdded
    sbot.disk = new Disk(sbot.db.getLog())
    sbot.db.onMsgAdded = (listener) => added((what) => sbot.disk.written(() => listener(what)))
  }
}

/**
 * Takes messages into the log one by one, in place of the log's own way. Its own takes them in
 * batches, and one message that it has already (from a second peer) has the whole batch refused.
 *
 * `forked({author, sequence, known})` is told once of each feed two of whose messages, both signed
 * by it, claim one place; `known` is the key of the one that we have there.
 */
function admitMessages (sbot, forks, forked) {
  sbot.db.add = (message, options, done) => {
    if (typeof options === 'function') done = options
    // What is deeper is longer than a message may be, and measuring it overflows the stack.
    if (!isShallow(message, DEEPEST)) return done(new Error('too deep'))
    if (!classic.isNativeMsg(message)) return done(new Error('not a classic message'))
    sbot.disk.whenThereIsRoom(() => admit(asSigned(message), done))
  }

  function admit (message, done) {
    sbot.getFeedState(message.author, (error, latest) => {
      if (error) return done(error)
      if (message.sequence <= latest.sequence) return compareWithKnown(message, done)
      const follows = message.sequence === latest.sequence + 1
      if (follows && latest.id && message.previous !== latest.id) {
        nameFork(message, latest.sequence, latest.id)
        return done(new Error('a fork'))
      }
      if (!canBeAnswered(message.author)) return done(new Error('a key of no use'))
      sbot.db.addImmediately(message, classic, { encoding: 'js' }, done)
    })
  }

  function compareWithKnown (message, done) {
    sbot.getAtSequence([message.author, message.sequence], (error, known) => {
      if (error) return done(error)
      if (known.key === classic.getMsgId(message)) return done(null, known)
      nameFork(message, message.sequence, known.key)
      done(new Error('a fork'))
    })
  }

  function nameFork (message, sequence, known) {
    // Only the feed itself can fork itself: what it did not sign is a peer's invention.
    classic.validateOOO(message, null, (forged) => {
      if (!forged && forks.add(message.author, { sequence, known })) {
        forked({ author: message.author, sequence, known })
      }
    })
  }
}

/**
 * Whether a message can be encrypted to this key. Some keys can sign and cannot be encrypted to: their
 * owner could not be answered.
 */
function canBeAnswered (author) {
  const key = Buffer.from(author.slice(1, -'.ed25519'.length), 'base64')
  return key.length === KEY_BYTES && Boolean(sodium.crypto_sign_ed25519_pk_to_curve25519(key))
}

/**
 * The message as its author signed it. JSON has numbers, as 1e999, that are read as Infinity; those
 * are signed as null, and the log cannot hold them: it would fall over them.
 */
function asSigned (message) {
  return JSON.parse(JSON.stringify(message))
}

const MAX_FORKS = 10000

/** The forks seen so far, kept in a file: the peer that showed us one may never do so again. */
class Forks {
  constructor (directory) {
    this._file = path.join(directory, 'forks.jsonl')
    this._known = new Map()
    const text = fs.existsSync(this._file) ? fs.readFileSync(this._file, 'utf8') : ''
    for (const line of text.split('\n')) {
      try {
        const { author, sequence, known } = JSON.parse(line)
        this._known.set(author, { sequence, known })
      } catch {
        // The last line of a peer that was killed while it wrote.
      }
    }
  }

  /** The fork of this feed, `{sequence, known}`, or undefined. */
  of (author) {
    return this._known.get(author)
  }

  /** The feeds that are forked. */
  authors () {
    return [...this._known.keys()]
  }

  /** Keeps a feed's first fork; whether it was the first. */
  add (author, fork) {
    if (this._known.has(author) || this._known.size >= MAX_FORKS) return false
    this._known.set(author, fork)
    fs.appendFileSync(this._file, '\n' + JSON.stringify({ author, ...fork }) + '\n')
    return true
  }
}

module.exports = { Forks, admitMessages, afterTheDisk }
