'use strict'
// The feed's key: one file that only its owner can read, made once, complete, and never replaced.

const fs = require('fs')
const path = require('path')
const ssbKeys = require('ssb-keys')

const OTHERS = 0o077

class IdentityRefused extends Error {}

/** The keys in `directory`, made at the first start; IdentityRefused where others can read them. */
function loadIdentity (directory) {
  const file = path.join(directory, 'identity.json')
  if (!fs.existsSync(file)) make(file)
  if (fs.statSync(file).mode & OTHERS) {
    throw new IdentityRefused(`${file} is readable by others, and may have been read: move it away`)
  }
  const keys = parsed(fs.readFileSync(file, 'utf8'))
  if (!keys || !keys.id || !keys.private) {
    throw new IdentityRefused(`${file} holds no feed's keys`)
  }
  return keys
}

function make (file) {
  const draft = `${file}.${process.pid}.new`
  fs.rmSync(draft, { force: true })
  const open = fs.openSync(draft, 'wx', 0o600)
  fs.writeSync(open, JSON.stringify(ssbKeys.generate(), null, 1) + '\n')
  fs.fsyncSync(open)
  fs.closeSync(open)
  try {
    // A link, not a rename: it fails where a key already lies, and so never replaces one.
    fs.linkSync(draft, file)
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  } finally {
    fs.unlinkSync(draft)
  }
}

function parsed (text) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

module.exports = { IdentityRefused, loadIdentity }
