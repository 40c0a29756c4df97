'use strict'
// How many callers the limit has let in from each sort of place when it is asked a thousand times,
// and how many more once one of them has left, is printed.

const path = require('path')

const { ConnectionLimit } = require(path.join(__dirname, '..', '..', 'bridge', 'peer', 'connection_limit.js'))

const CALLS = 1000
const sorts = {
  'one address': () => '192.0.2.7',
  'one address, written as IPv6': (i) => i % 2 ? '::ffff:192.0.2.7' : '192.0.2.7',
  'one network': (i) => `2001:db8:0:7:${i.toString(16)}::${i % 9}`,
  'one network, written otherwise': (i) =>
    ['2001:db8::7:0:0:0:1', '2001:db8:0:7::2', '2001:0DB8:0:7:1:2:3:4'][i % 3],
  'one link': (i) => `fe80::${i.toString(16)}%eth${i % 2}`,
  'one network of zeros': (i) => i % 2 ? `::${i.toString(16)}` : '::1.2.3.4',
  'five addresses': (i) => `192.0.2.${i % 5}`,
  'five networks': (i) => `2001:db8:0:${i % 5}::1`,
  'five mapped addresses': (i) => `::ffff:192.0.2.${i % 5}`
}

function letIn (hosts) {
  const limit = new ConnectionLimit()
  const leave = Array.from({ length: CALLS }, (_, i) => limit.enter(hosts(i))).filter(Boolean)
  leave[0]()
  const again = Array.from({ length: CALLS }, (_, i) => limit.enter(hosts(i))).filter(Boolean)
  return [leave.length, again.length]
}

console.log(JSON.stringify(
  Object.fromEntries(Object.entries(sorts).map(([name, hosts]) => [name, letIn(hosts)]))
))
