'use strict'
// To be required before a peer is: name servers that know this machine as `late.test` from the third
// time on that anybody asks. ASKED is the file in which that is counted.

const dns = require('dns')
const fs = require('fs')

const FAILURES = ['EAI_AGAIN', 'ENOTFOUND']
const lookup = dns.lookup

dns.lookup = (name, ...more) => {
  if (name !== 'late.test') return lookup(name, ...more)
  const asked = fs.existsSync(process.env.ASKED) ? fs.readFileSync(process.env.ASKED, 'utf8') : ''
  const code = FAILURES[asked.length]
  fs.appendFileSync(process.env.ASKED, '.')
  if (code) {
    return process.nextTick(more.at(-1), Object.assign(new Error(`getaddrinfo ${code} ${name}`), { code }))
  }
  lookup('127.0.0.1', ...more)
}
