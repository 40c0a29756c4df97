'use strict'
// Two feeds say one thing each: one has a key like any other, the other's has a part of order four,
// so that it signs and nothing can be encrypted for it. Whose message is admitted is printed.

const path = require('path')
const classic = require('ssb-classic/format')
const sodium = require('chloride')
const ssbKeys = require('ssb-keys')

const { admitMessages } = require(path.join(
  __dirname, '..', '..', 'bridge', 'peer', 'admission.js'
))

const P = 2n ** 255n - 19n
const mod = (n) => ((n % P) + P) % P

function power (base, exponent) {
  let result = 1n
  for (let b = mod(base), e = exponent; e > 0n; e >>= 1n, b = mod(b * b)) {
    if (e & 1n) result = mod(result * b)
  }
  return result
}

const inverse = (n) => power(n, P - 2n)
const D = mod(-121665n * inverse(121666n))
const I = power(2n, (P - 1n) / 4n) // the root of -1

/** The point whose y these 32 bytes are, little end first, with the sign of x in the last bit. */
function decoded (bytes) {
  const number = BigInt('0x' + Buffer.from(bytes).reverse().toString('hex'))
  const y = number & (2n ** 255n - 1n)
  const square = mod((y * y - 1n) * inverse(D * y * y + 1n))
  let x = power(square, (P + 3n) / 8n)
  if (mod(x * x) !== square) x = mod(x * I)
  return [(x & 1n) === number >> 255n ? x : P - x, y]
}

function encoded ([x, y]) {
  const hex = (y | ((x & 1n) << 255n)).toString(16).padStart(64, '0')
  return Buffer.from(hex, 'hex').reverse()
}

/** Keys to which (I, 0), which is of order four, is added: (x, y) becomes (iy, ix). */
function twisted () {
  const { publicKey, secretKey } = sodium.crypto_sign_seed_keypair(Buffer.alloc(32, 7))
  const [x, y] = decoded(publicKey)
  const key = encoded([mod(I * y), mod(I * x)])
  const text = key.toString('base64') + '.ed25519'
  const secret = Buffer.concat([secretKey.subarray(0, 32), key]).toString('base64')
  return { curve: 'ed25519', public: text, private: secret + '.ed25519', id: '@' + text }
}

const admitted = []
const sbot = {
  db: { addImmediately: (message, format, options, done) => { admitted.push(message.author) } },
  disk: { whenThereIsRoom: (add) => add() },
  getFeedState: (feed, done) => done(null, { id: null, sequence: 0 })
}
admitMessages(sbot, {}, () => {})

const isSigned = (message) => new Promise((resolve) => {
  classic.validate(message, null, null, (error) => resolve(!error))
})

async function main () {
  const feeds = { usual: ssbKeys.generate(), twisted: twisted() }
  const told = { signed: [], admitted: [] }
  for (const [name, keys] of Object.entries(feeds)) {
    for (let timestamp = 1; timestamp < 100; timestamp++) {
      const content = { type: 'chess_chat', msg: 'hello' }
      const message = classic.newNativeMsg({ keys, content, timestamp, previous: null })
      // One signature in four of a key like that is right.
      if (!await isSigned(message)) continue
      told.signed.push(name)
      sbot.db.add(message, () => {})
      if (admitted.includes(keys.id)) told.admitted.push(name)
      break
    }
  }
  console.log(JSON.stringify(told))
}

main()
