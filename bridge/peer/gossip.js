'use strict'
// What another peer says while logs are exchanged: notes on what it has, and messages, all objects.
// Replication takes that for granted, falls over anything else, and keeps every note.

const fs = require('fs')
const path = require('path')

const METHODS = ['replicate', 'replicateFormat']
const MAX_NOTED_BY_A_CALLER = 10000 // feeds

/** A plugin to stand before replication: it sees what comes over connections that we began. */
const ofThoseWeCall = {
  init (sbot) {
    sbot.on('rpc:connect', (rpc) => {
      for (const name of METHODS) {
        const exchange = rpc.ebt[name]
        rpc.ebt[name] = (...args) => {
          const theirs = exchange(...args)
          return { ...theirs, source: objectsOf(theirs.source) }
        }
      }
    })
  }
}

/** Likewise, once replication is there, over connections that others began. */
function hearObjectsOfCallers (sbot) {
  for (const name of METHODS) {
    sbot.ebt[name].hook(function (exchange, args) {
      const ours = exchange.apply(this, args)
      return { source: ours.source, sink: (read) => ours.sink(objectsOf(read, MAX_NOTED_BY_A_CALLER)) }
    })
  }
}

/** A stream that fails at the first value that is no object, or notes more feeds than `most`. */
function objectsOf (read, most = Infinity) {
  const noted = new Set()

  function fits (value) {
    if (!isObject(value)) return false
    // Notes may come wrapped up. A message has a few names, always the same ones.
    for (const notes of [value, value.clock]) {
      if (isObject(notes)) Object.keys(notes).forEach((name) => noted.add(name))
    }
    return noted.size <= most
  }

  return (abort, tell) => read(abort, (end, value) => {
    if (end || fits(value)) return tell(end, value)
    const failure = new Error('neither a note nor a message, or one note too many')
    read(failure, () => tell(failure))
  })
}

/** Whether it is one in JSON: a list, or bytes, have as many names as they are long. */
function isObject (value) {
  return typeof value === 'object' && value !== null &&
    !Array.isArray(value) && !ArrayBuffer.isView(value)
}

/**
 * Removes from the disk what other peers than those of `feeds` once noted. If such a
 * peer calls again, the loss costs one exchange of notes.
 */
function forgetNotesBut (feeds, directory) {
  const folder = path.join(directory, 'ebt')
  const kept = new Set([...feeds].map(fileOf))
  for (const file of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
    if (!kept.has(file)) fs.rmSync(path.join(folder, file), { force: true })
  }
}

/** The name that replication gives to the file of what a feed's peer has noted. */
function fileOf (feed) {
  return feed.replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '')
}

module.exports = { forgetNotesBut, hearObjectsOfCallers, ofThoseWeCall }
