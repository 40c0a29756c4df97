'use strict'
// JSON lines with a bound: what is longer than a line may be is skipped to its end, never kept.

const MAX_LINE_BYTES = 1 << 20

/**
 * Calls `take(value)` for each line of `input` that is JSON, and `refuse(kind)` for each that is
 * not ("not-json") or is too long ("too-long"); `end()` once there are no more.
 */
function readLines (input, { take, refuse, end }) {
  let kept = []
  let keptBytes = 0
  let skipping = false

  function keep (piece) {
    keptBytes += piece.length
    if (keptBytes > MAX_LINE_BYTES) {
      skipping = true
      kept = []
    } else {
      kept.push(piece)
    }
  }

  function finish () {
    const line = Buffer.concat(kept).toString('utf8')
    const wasTooLong = skipping
    kept = []
    keptBytes = 0
    skipping = false
    if (wasTooLong) return refuse('too-long')
    let value
    try {
      value = JSON.parse(line)
    } catch {
      return refuse('not-json')
    }
    take(value)
  }

  input.on('data', (chunk) => {
    let from = 0
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      if (!skipping) keep(chunk.subarray(from, at))
      finish()
      from = at + 1
    }
    if (!skipping) keep(chunk.subarray(from))
  })
  input.on('end', end)
}

/** One value as a line, or null where that line would be longer than a reader takes. */
function lineOf (value) {
  const line = JSON.stringify(value) + '\n'
  return Buffer.byteLength(line) > MAX_LINE_BYTES ? null : line
}

module.exports = { MAX_LINE_BYTES, lineOf, readLines }
