'use strict'
// A peer that may listen anywhere, whose first choice is a port that another has: that one, the
// peer's choice and the port where it is reached in the end are printed.

const fs = require('fs')
const net = require('net')
const os = require('os')
const path = require('path')
const ssbKeys = require('ssb-keys')

const { startPeer } = require(path.join(__dirname, '..', '..', 'bridge', 'peer', 'network.js'))

const FIRST_CHOSEN = 49152
const CHOICES = 65536 - FIRST_CHOSEN

const host = '127.0.0.1'
const other = net.createServer()
const takeSome = () => other.listen(FIRST_CHOSEN + Math.floor(Math.random() * CHOICES), host)
other.on('error', takeSome)
other.on('listening', () => {
  const taken = other.address().port
  const random = Math.random
  let isChosen = false
  Math.random = () => {
    if (isChosen || !new Error().stack.includes('getRandomPort')) return random()
    isChosen = true
    return (taken - FIRST_CHOSEN + 0.5) / CHOICES
  }
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'taken-port-'))
  const keys = ssbKeys.generate()
  const sbot = startPeer({ directory, keys, shs: 'A'.repeat(43) + '=', host, port: 0 })
  const portOf = () => Number(sbot.getAddress('device').split('~')[0].split(':')[2])
  const first = portOf()
  sbot.once('multiserver:listening', () => {
    const port = portOf()
    net.connect(port, host, () => {
      fs.rmSync(directory, { recursive: true, maxRetries: 9 })
      console.log(JSON.stringify({ taken, first, port }))
      process.exit(0)
    })
  })
})
takeSome()
