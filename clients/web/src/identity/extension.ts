/** NIP-07: an extension that signs. */

import { isHex } from "../net/event.ts";
import { checked, SignerError, within, type Signer } from "./signer.ts";

interface Nip07 {
  getPublicKey(): Promise<string>;
  signEvent(event: object): Promise<unknown>;
  readonly nip44?: {
    encrypt(pubkey: string, text: string): Promise<string>;
    decrypt(pubkey: string, cipher: string): Promise<string>;
  };
}

/** A person may have to read and press a button. */
const PATIENCE_MS = 120_000;

function present(): Nip07 | undefined {
  return (globalThis as { nostr?: Nip07 }).nostr;
}

export function hasExtension(): boolean {
  return present() !== undefined;
}

/** Asks the extension for its key. Rejects with SignerError if there is none or it refuses. */
export async function extensionSigner(abort?: AbortSignal): Promise<Signer> {
  const nostr = await appeared();
  const asked = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await within(PATIENCE_MS, answer, abort);
    } catch (error) {
      throw error instanceof SignerError ? error : new SignerError("refused");
    }
  };
  const pubkey = await asked(nostr.getPublicKey());
  if (!isHex(pubkey, 64)) throw new SignerError("bad-key");
  const nip44 = (): NonNullable<Nip07["nip44"]> => {
    if (!nostr.nip44) throw new SignerError("no-nip44");
    return nostr.nip44;
  };
  return {
    kind: "extension",
    pubkey,
    sign: async (template) => {
      const draft = { ...template, tags: template.tags.map((tag) => [...tag]), pubkey };
      return checked(await asked(nostr.signEvent(draft)), template, pubkey);
    },
    encrypt: async (to, text) => asked(nip44().encrypt(to, text)),
    decrypt: async (from, cipher) => asked(nip44().decrypt(from, cipher)),
    close: () => {},
  };
}

/** Extensions put themselves into the page a moment after it loads. */
async function appeared(): Promise<Nip07> {
  for (let tries = 0; tries < 20; tries += 1) {
    const nostr = present();
    if (nostr) return nostr;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new SignerError("no-extension");
}
