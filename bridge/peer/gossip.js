'use strict'
// What another peer says while logs are exchanged: notes on what it has, and messages, all objects.
// Replication takes that for granted, and falls over anything else.

const METHODS = ['replicate', 'replicateFormat']

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
      return { source: ours.source, sink: (read) => ours.sink(objectsOf(read)) }
    })
  }
}

/** A stream that fails at the first value that is no object. */
function objectsOf (read) {
  return (abort, tell) => read(abort, (end, value) => {
    if (end || (typeof value === 'object' && value !== null)) return tell(end, value)
    const failure = new Error('neither a note nor a message')
    read(failure, () => tell(failure))
  })
}

module.exports = { hearObjectsOfCallers, ofThoseWeCall }
