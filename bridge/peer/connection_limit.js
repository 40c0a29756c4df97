'use strict'
// How many callers there is room for, whether or not they have shaken hands.
//
// Invariant: one address cannot use up all connections. An IPv6 network of 2^64 addresses counts as one
// address, since every host has that many.

const net = require('net')

const MOST = 256
const MAX_OF_ONE = MOST / 4
const GROUPS = 8
const GROUPS_OF_A_NETWORK = 4

class ConnectionLimit {
  constructor () {
    this._count = 0
    this._of = new Map() // network → how many of it are in
  }

  /**
   * Lets somebody in who calls from this host; the function to call once when he has left, or null
   * where there is no room.
   */
  enter (host) {
    const network = networkOf(host)
    const before = this._of.get(network) || 0
    if (this._count >= MOST || before >= MAX_OF_ONE) return null
    this._count++
    this._of.set(network, before + 1)
    return () => this._leave(network)
  }

  _leave (network) {
    this._count--
    const left = this._of.get(network) - 1
    if (left) this._of.set(network, left)
    else this._of.delete(network)
  }
}

/** Whom a host is counted as: an IPv4 address, however it is written, or half an IPv6 address. */
function networkOf (host) {
  const mapped = /^::ffff:([0-9.]+)$/i.exec(host)
  if (mapped) return mapped[1]
  if (!net.isIPv6(host)) return host
  const [start, rest = ''] = host.split('%')[0].split('::')
  const before = start.split(':').filter(Boolean)
  const after = rest.split(':').filter(Boolean)
  // What "::" replaces; an IPv4 address at the end is two groups, and beyond the network.
  const zeros = GROUPS - before.length - after.length - (rest.includes('.') ? 1 : 0)
  return [...before, ...Array(zeros).fill('0'), ...after]
    .slice(0, GROUPS_OF_A_NETWORK).map((group) => parseInt(group, 16).toString(16)).join(':')
}

module.exports = { ConnectionLimit }
