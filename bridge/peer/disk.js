'use strict'
// When what was added to the log is on the disk, and room for the log to write.
//
// The log writes once nothing has been added for a quarter of a second, so that under steady
// traffic it never would; and its own `onDrain` may call back for what was added while it wrote,
// which is not on the disk yet. Here the places decide: written is what is not beyond `since`.

const MAX_UNWRITTEN_MS = 500

class Disk {
  constructor (log) {
    this._log = log
    this._added = -1 // the place of what was added last
    this._waiting = [] // { place, then }, in order
    this._turns = [] // what waits for room
    this._isFull = false
    this._timer = null
    const append = log.append
    log.append = (data, done) => append(data, (error, place) => {
      if (!error) this._noteAdded(place)
      done(error, place)
    })
    log.since(() => this._noteWritten())
  }

  /** Calls `then` once all that has been added so far is on the disk. */
  written (then) {
    if (this._isWritten(this._added)) then()
    else this._waiting.push({ place: this._added, then })
  }

  /** Calls `add`, which adds something, when there is room: at once, or after the next writing. */
  whenThereIsRoom (add) {
    if (this._isFull) this._turns.push(add)
    else add()
  }

  _isWritten (place) {
    return place <= this._log.since.value
  }

  _noteAdded (place) {
    this._added = place
    if (this._timer === null) {
      this._timer = setTimeout(() => { this._isFull = true }, MAX_UNWRITTEN_MS)
    }
  }

  _noteWritten () {
    while (this._waiting.length && this._isWritten(this._waiting[0].place)) {
      this._waiting.shift().then()
    }
    if (!this._isWritten(this._added)) return
    clearTimeout(this._timer)
    this._timer = null
    this._isFull = false
    for (const add of this._turns.splice(0)) this.whenThereIsRoom(add)
  }
}

module.exports = { Disk }
