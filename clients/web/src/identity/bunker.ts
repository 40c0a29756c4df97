/** NIP-46: a signer elsewhere, reached over relays. Loaded when a player chooses it. */

import { BunkerSigner, createNostrConnectURI, parseBunkerInput, type BunkerPointer } from "nostr-tools/nip46";
import { getPublicKey } from "nostr-tools/pure";

import { isHex } from "../net/event.ts";
import { checked, SignerError, within, type Signer } from "./signer.ts";

/** The values kept to come back: the session's own key, which can sign nothing of the player's. */
export interface BunkerSession {
  readonly clientSecret: Uint8Array;
  readonly pointer: BunkerPointer;
}

export interface Connected {
  readonly signer: Signer;
  readonly session: BunkerSession;
}

/** The kinds that the game signs, so that a bunker can allow them once and for all. */
export const PERMISSIONS = [
  "sign_event:20300", "sign_event:20303", "sign_event:20305", "sign_event:20306",
  "nip44_encrypt", "nip44_decrypt",
];

const SIGN_MS = 60_000;
/** A person may have to allow it. */
const CONNECT_MS = 60_000;
/** A bunker that knows this session asks its person nothing. */
const RETURN_MS = 20_000;
const SCAN_MS = 300_000;

/** Connects to a `bunker://` address or a NIP-05 name. `onAuth` is told a page to open. */
export async function fromAddress(
  address: string, clientSecret: Uint8Array, onAuth: (url: string) => void, abort?: AbortSignal,
): Promise<Connected> {
  const pointer = await parseBunkerInput(address.trim());
  if (!pointer || pointer.relays.length === 0) throw new SignerError("bad-key");
  const bunker = BunkerSigner.fromBunker(clientSecret, pointer, { onauth: safely(onAuth) });
  return connected(bunker, clientSecret, bunker.connect({ name: "Arbiter" }), CONNECT_MS, abort);
}

/** Comes back to a bunker that knows this session. */
export async function fromSession(session: BunkerSession, onAuth: (url: string) => void): Promise<Connected> {
  const options = { onauth: safely(onAuth) };
  const bunker = BunkerSigner.fromBunker(session.clientSecret, session.pointer, options);
  return connected(bunker, session.clientSecret, Promise.resolve(), RETURN_MS);
}

/** The `nostrconnect://` address to show, as text and QR code. */
export function invitation(clientSecret: Uint8Array, relays: readonly string[], secret: string): string {
  return createNostrConnectURI({
    clientPubkey: getPublicKey(clientSecret), relays: [...relays], secret, perms: PERMISSIONS, name: "Arbiter",
  });
}

/** Waits until a bunker has taken the invitation. */
export async function fromInvitation(
  uri: string, clientSecret: Uint8Array, onAuth: (url: string) => void, abort?: AbortSignal,
): Promise<Connected> {
  const options = { onauth: safely(onAuth), skipSwitchRelays: true };
  const bunker = await BunkerSigner.fromURI(clientSecret, uri, options, abort ?? SCAN_MS);
  return connected(bunker, clientSecret, Promise.resolve(), CONNECT_MS, abort);
}

async function connected(
  bunker: BunkerSigner, clientSecret: Uint8Array, connecting: Promise<void>, patienceMs: number, abort?: AbortSignal,
): Promise<Connected> {
  try {
    await within(patienceMs, connecting, abort);
    const pubkey = await within(patienceMs, bunker.getPublicKey(), abort);
    if (!isHex(pubkey, 64)) throw new SignerError("bad-key");
    // The secret of the address has done its work.
    const session = { clientSecret, pointer: { ...bunker.bp, secret: null } };
    return { signer: signerOf(bunker, pubkey), session };
  } catch (error) {
    void bunker.close();
    throw error instanceof SignerError ? error : new SignerError("refused");
  }
}

function signerOf(bunker: BunkerSigner, pubkey: string): Signer {
  const asked = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await within(SIGN_MS, answer);
    } catch (error) {
      throw error instanceof SignerError ? error : new SignerError("refused");
    }
  };
  return {
    kind: "bunker",
    pubkey,
    sign: async (template) => {
      const draft = { ...template, tags: template.tags.map((tag) => [...tag]) };
      return checked(await asked(bunker.signEvent(draft)), template, pubkey);
    },
    encrypt: (to, text) => asked(bunker.nip44Encrypt(to, text)),
    decrypt: (from, cipher) => asked(bunker.nip44Decrypt(from, cipher)),
    close: () => void bunker.close(),
  };
}

/** A bunker may send any text as the page to open. */
function safely(onAuth: (url: string) => void): (url: string) => void {
  return (url) => {
    if (/^https:\/\/[^\s]{1,1000}$/.test(url)) onAuth(url);
  };
}
