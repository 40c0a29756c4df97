'use strict'
// A peer that says null where logs are exchanged: to whom it calls, and to who calls it. It prints
// its address, and a line each time that it was told off.
//
//     node rude_peer.js DIRECTORY ADDRESS CAPS

const path = require('path')

const peer = path.join(__dirname, '..', '..', 'bridge', 'peer')
const { loadIdentity } = require(path.join(peer, 'identity.js'))
const { startPeer } = require(path.join(peer, 'network.js'))

const [directory, address, shs] = process.argv.slice(2)
require('fs').mkdirSync(directory, { recursive: true })
const keys = loadIdentity(directory)
const sbot = startPeer({ directory, keys, shs, host: '127.0.0.1', port: 0 })

function oneNull (whom) {
  let isSaid = false
  return (abort, tell) => {
    if (abort) {
      process.stdout.write(whom + '\n')
      return tell(abort)
    }
    if (!isSaid) tell(null, null)
    isSaid = true
  }
}

sbot.ebt.replicate.hook(() => ({ source: oneNull('caller'), sink: (read) => read(null, () => {}) }))
setTimeout(() => process.stdout.write(sbot.getAddress('device') + '\n'), 300)
sbot.connect(address, (error, rpc) => {
  if (error) throw error
  rpc.ebt.replicate({ version: 3, format: 'classic' }, () => {}).sink(oneNull('called'))
})
process.stdin.on('end', () => process.exit(0)).resume()
