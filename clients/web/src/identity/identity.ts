/**
 * The key that this browser plays with, kept between visits.
 *
 * In localStorage: it answers at once, so a first visitor has a key before the page is drawn, and it
 * tells other tabs. IndexedDB would hide the key no better: any script of this origin reads both, and
 * WebCrypto, whose keys scripts cannot read, does not know secp256k1.
 */

import { decode, npubEncode, nsecEncode } from "nostr-tools/nip19";
import { generateSecretKey, getPublicKey } from "nostr-tools/pure";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";

import { isHex } from "../net/event.ts";
import type { BunkerSession, Connected } from "./bunker.ts";
import { extensionSigner } from "./extension.ts";
import { localSigner } from "./local.ts";
import { chosenName, friendlyName, keepName } from "./name.ts";
import { SignerError, type Signer } from "./signer.ts";

/** The part of localStorage that is used. */
export interface KeyValues {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
  /** Whether what is there outlives the page. */
  lasts?(name: string): boolean;
}

const SECRET = "arbiter.secret";
const CHOICE = "arbiter.signer";
/** Scrypt's cost of NIP-49: about a second, and 64 MiB. */
const LOG_N = 16;

export type Choice =
  | { readonly kind: "local" }
  | { readonly kind: "extension" }
  /** `user` is the key that it signed with at first; older pages did not keep it. */
  | { readonly kind: "bunker"; readonly session: BunkerSession; readonly user: unknown };

export class Identity {
  readonly #kept: KeyValues;

  constructor(kept: KeyValues) {
    this.#kept = kept;
  }

  /** The names in localStorage that concern it: a tab that sees one change has another player. */
  static readonly names: readonly string[] = [SECRET, CHOICE];

  choice(): Choice {
    try {
      const kept = JSON.parse(this.#kept.getItem(CHOICE) ?? "null") as Record<string, unknown> | null;
      if (kept?.["kind"] === "extension") return { kind: "extension" };
      const session = kept?.["kind"] === "bunker" ? sessionOf(kept) : null;
      if (session) return { kind: "bunker", session, user: kept?.["user"] };
    } catch {
      // Something else wrote there: play with the local key.
    }
    return { kind: "local" };
  }

  /** The signer of the last choice. Rejects with SignerError; `useLocal` always works. */
  async open(onAuth: (url: string) => void = () => {}): Promise<Signer> {
    const choice = this.choice();
    if (choice.kind === "extension") return extensionSigner();
    if (choice.kind === "bunker") {
      const { signer } = await (await import("./bunker.ts")).fromSession(choice.session, onAuth);
      if (choice.user === undefined || choice.user === signer.pubkey) return signer;
      signer.close();
      throw new SignerError("other-key");
    }
    return this.localSigner();
  }

  /** The key of this browser, made now if there is none; what was chosen stays chosen. */
  localSigner(): Signer {
    return localSigner(this.#secret());
  }

  useLocal(): Signer {
    this.#kept.removeItem(CHOICE);
    return this.localSigner();
  }

  async useExtension(abort?: AbortSignal): Promise<Signer> {
    const signer = await extensionSigner(abort);
    this.#kept.setItem(CHOICE, JSON.stringify({ kind: "extension" }));
    return signer;
  }

  async useBunker(address: string, onAuth: (url: string) => void, abort?: AbortSignal): Promise<Signer> {
    const { fromAddress } = await import("./bunker.ts");
    return this.#keep(await fromAddress(address, generateSecretKey(), onAuth, abort));
  }

  /** An address for a bunker's camera, and the signer once it has been taken. */
  async invite(
    relays: readonly string[], onAuth: (url: string) => void, abort?: AbortSignal,
  ): Promise<{ readonly uri: string; readonly signer: Promise<Signer> }> {
    const { invitation, fromInvitation } = await import("./bunker.ts");
    const clientSecret = generateSecretKey();
    const uri = invitation(clientSecret, relays, bytesToHex(generateSecretKey()).slice(0, 32));
    const signer = fromInvitation(uri, clientSecret, onAuth, abort).then((made) => this.#keep(made));
    return { uri, signer };
  }

  #keep({ signer, session }: Connected): Signer {
    const { clientSecret, pointer } = session;
    const kept = { kind: "bunker", clientSecret: bytesToHex(clientSecret), pointer, user: signer.pubkey };
    this.#kept.setItem(CHOICE, JSON.stringify(kept));
    return signer;
  }

  /** Whether the key of this browser, and the choice of another, are there at the next visit. */
  get lasts(): boolean {
    return Identity.names.every((name) => this.#kept.lasts?.(name) !== false);
  }

  /** The name of this local key, and whether the player chose it. */
  nameOf(pubkey: string): { readonly name: string; readonly isChosen: boolean } {
    const chosen = chosenName(this.#kept, pubkey);
    return { name: chosen ?? friendlyName(pubkey), isChosen: chosen !== null };
  }

  rename(pubkey: string, name: string): void {
    keepName(this.#kept, pubkey, name);
  }

  /** The local key's public half, as people pass it on. */
  localNpub(): string {
    return npubEncode(getPublicKey(this.#secret()));
  }

  exportNsec(): string {
    return nsecEncode(this.#secret());
  }

  /** NIP-49. Takes about a second. */
  async exportNcryptsec(password: string): Promise<string> {
    const { encrypt } = await import("nostr-tools/nip49");
    return encrypt(this.#secret(), password.normalize("NFKC"), LOG_N);
  }

  /**
   * Plays with this key from now on: `nsec…`, 64 hex digits, or `ncryptsec…` with its password.
   * Rejects with SignerError if it is none. The old key is gone: export it first.
   */
  async importKey(text: string, password = ""): Promise<Signer> {
    const secret = await secretOf(text.replace(/\s/g, ""), password);
    let signer: Signer;
    try {
      signer = localSigner(secret);
    } catch {
      throw new SignerError("bad-key"); // zero, or beyond the curve's order
    }
    this.#kept.setItem(SECRET, bytesToHex(secret));
    this.#kept.removeItem(CHOICE);
    // It has a name elsewhere, or none: nothing is given to it, and nothing asked.
    keepName(this.#kept, signer.pubkey, "");
    return signer;
  }

  #secret(): Uint8Array {
    const kept = this.#kept.getItem(SECRET);
    if (isHex(kept, 64)) return hexToBytes(kept);
    const secret = generateSecretKey();
    this.#kept.setItem(SECRET, bytesToHex(secret));
    return secret;
  }
}

/** In capitals, too, as a QR code has it, and over several lines, as from a mail. */
async function secretOf(written: string, password: string): Promise<Uint8Array> {
  const text = written.toLowerCase().replace(/^nostr:/, "");
  if (isHex(text, 64)) return hexToBytes(text);
  if (/^(npub|nprofile)1/.test(text)) throw new SignerError("public-key");
  const isEncrypted = text.startsWith("ncryptsec1");
  try {
    if (isEncrypted) return (await import("nostr-tools/nip49")).decrypt(text, password.normalize("NFKC"));
    const found = decode(text);
    if (found.type === "nsec") return found.data;
  } catch {
    // a wrong checksum or password
  }
  throw new SignerError(isEncrypted ? "bad-password" : "bad-key");
}

function sessionOf(kept: Record<string, unknown>): BunkerSession | null {
  const { clientSecret, pointer } = kept;
  if (!isHex(clientSecret, 64) || typeof pointer !== "object" || pointer === null) return null;
  const { relays, pubkey } = pointer as Record<string, unknown>;
  if (!isHex(pubkey, 64) || !Array.isArray(relays)) return null;
  const urls = relays.filter((url): url is string => typeof url === "string");
  return { clientSecret: hexToBytes(clientSecret), pointer: { relays: urls, pubkey, secret: null } };
}
