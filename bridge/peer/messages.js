'use strict'
// A message, from the log's own form to the one that is sent to a bridge. Its author may have written
// anything, so every form is checked. Private messages are decrypted here and nowhere else.

const bipf = require('bipf')
const ssbKeys = require('ssb-keys')

const NAMES = ['invite', 'invite_accept', 'move', 'game_end', 'chat']
const CHESS = new Set(NAMES.flatMap((name) => [`chess_${name}`, `ssb_chess_${name}`]))
const INVITES = new Set(['chess_invite', 'ssb_chess_invite'])
const ACCEPTS = new Set(['chess_invite_accept', 'ssb_chess_invite_accept'])
const CHATS = new Set(['chess_chat', 'ssb_chess_chat'])
const MESSAGE_KEY = /^%[A-Za-z0-9+/]{43}=\.sha256$/
const FEED = /^@[A-Za-z0-9+/]{43}=\.ed25519$/
const UTTERANCE = /^[0-9a-f]{64}$/
const DEEPEST = 32

const [VALUE, CONTENT, TYPE] =
  ['value', 'content', 'type'].map((name) => bipf.allocAndEncode(name))

/**
 * The message that a record of the log is, or null where it is neither of chess nor about whom
 * somebody follows or what we are called, or is not for the feed with these keys.
 */
function messageFrom (record, at, keys) {
  const written = bipf.seekKey2(record, bipf.seekKey2(record, 0, VALUE, 0), CONTENT, 0)
  const isPrivate = bipf.getEncodedType(record, written) === bipf.types.string
  // Most of a log is neither, and is not decoded for that.
  if (!isPrivate && !isHeard(bipf.decode(record, bipf.seekKey2(record, written, TYPE, 0)))) {
    return null
  }
  const { key, value, timestamp: heardAt } = bipf.decode(record, 0)
  const { author, sequence, timestamp } = value
  const content = isPrivate ? opened(value.content, keys) : value.content
  if (!content || !isHeard(content.type)) return null
  if (content.type === 'about' && author !== keys.id) return null
  return { key, author, sequence, timestamp, private: isPrivate, content, at, heardAt }
}

function isHeard (type) {
  return CHESS.has(type) || type === 'contact' || type === 'about'
}

function opened (boxed, keys) {
  if (!boxed.endsWith('.box')) return null
  const content = ssbKeys.unbox(boxed, keys)
  return content && typeof content === 'object' && isShallow(content, DEEPEST) ? content : null
}

/** Whether no list or object is nested deeper in this one: other programs cannot read what is deeper. */
function isShallow (value, levels) {
  if (value === null || typeof value !== 'object') return true
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1))
}

/** Whether this is a text of that form: a pattern alone takes a list of one text for it, too. */
function is (pattern, value) {
  return typeof value === 'string' && pattern.test(value)
}

/** The key of the invitation of the game that a message is about. */
function rootOf ({ key, content }) {
  return INVITES.has(content.type) ? key : content.root
}

module.exports = {
  ACCEPTS, CHATS, CHESS, FEED, INVITES, MESSAGE_KEY, UTTERANCE, is, isShallow, messageFrom, rootOf
}
