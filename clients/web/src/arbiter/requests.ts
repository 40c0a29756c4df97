/** The 20300 of each thing that a player can ask outside a game (PROTOCOL.md, Asking for a game). */

import { schnorr } from "@noble/curves/secp256k1.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";

import { isHex, type EventTemplate, type Tag } from "../net/event.ts";
import { timeTag } from "../terms.ts";
import { REQUEST } from "./events.ts";
import type { Pubkey, Terms } from "./model.ts";

/** The request of a 20300. Secrets of links are made outside, as chance is. */
export type Ask =
  | { readonly kind: "pool"; readonly terms: Terms }
  | {
      readonly kind: "challenge";
      readonly opponent: Pubkey;
      readonly terms: Terms;
      /** A program, which answers at once. */
      readonly house: boolean;
    }
  /** With a secret, only those who have it can accept. */
  | { readonly kind: "open"; readonly terms: Terms; readonly linkSecret: string | null }
  /** `<challenge>` or `<challenge>-<secret>`. */
  | { readonly kind: "accept"; readonly challenge: string }
  | { readonly kind: "decline"; readonly challenge: string; readonly reason: string }
  | { readonly kind: "cancel" }
  | { readonly kind: "state" };

/** Reasons to decline that the protocol names. */
export const DECLINES = [
  "later", "tooFast", "tooSlow", "timeControl", "rated", "casual", "variant", "noBot", "generic",
] as const;

/**
 * The event that asks it, with the player's name, and whether they have a socket at the arbiter's own relay;
 * `null` for a challenge that is named by no id.
 */
export function requestEvent(
  ask: Ask, arbiter: Pubkey, me: Pubkey, at: number, name: string | null = null, isHere = false,
): EventTemplate | null {
  const event = unnamed(ask, arbiter, me, at);
  const isToPlay = "terms" in ask || ask.kind === "accept";
  return event && isToPlay ? { ...event, tags: event.tags.concat(name ? [["name", name]] : [], isHere ? [["here"]] : []) } : event;
}

function unnamed(ask: Ask, arbiter: Pubkey, me: Pubkey, at: number): EventTemplate | null {
  switch (ask.kind) {
    case "pool": return request(arbiter, "", termsTags(ask.terms), at);
    case "challenge": return request(arbiter, "", [...termsTags(ask.terms), ["challenge", ask.opponent]], at);
    case "open": return request(arbiter, "", [...termsTags(ask.terms), openTag(ask.linkSecret)], at);
    case "accept": {
      const link = parseChallengeLink(ask.challenge);
      const proof = link && proofOf(link, me);
      return link && request(arbiter, `accept:${link.id}`, proof ? [["proof", proof]] : [], at);
    }
    case "decline": {
      const link = parseChallengeLink(ask.challenge);
      const reason = (DECLINES as readonly string[]).includes(ask.reason) ? ask.reason : "generic";
      return link && request(arbiter, `decline:${link.id}:${reason}`, [], at);
    }
    case "cancel":
    case "state": return request(arbiter, ask.kind, [], at);
  }
}

function openTag(linkSecret: string | null): Tag {
  if (linkSecret === null) return ["challenge", "open"];
  return ["challenge", "open", bytesToHex(schnorr.getPublicKey(hexToBytes(linkSecret)))];
}

function termsTags(terms: Terms): Tag[] {
  const tags: Tag[] = [];
  if (terms.time) tags.push(["time", timeTag(terms.time)]);
  // Said in any case: to a request without tags a player is shown the game that goes on.
  tags.push(["mode", terms.rated ? "rated" : "casual"]);
  if (terms.color !== "random") tags.push(["color", terms.color]);
  if (terms.rating) tags.push(["rating", String(terms.rating.from), String(terms.rating.to)]);
  if (terms.variant !== "standard") tags.push(["variant", terms.variant]);
  if (terms.start) tags.push(["start", terms.start]);
  if (terms.bots) tags.push(["bots", "welcome"]);
  return tags;
}

function request(arbiter: Pubkey, content: string, tags: readonly Tag[], at: number): EventTemplate {
  return { kind: REQUEST, created_at: at, tags: [["p", arbiter], ...tags], content };
}

/** A challenge as people pass it on: its id, and the secret that proves that they may accept it. */
export interface ChallengeLink {
  readonly id: string;
  readonly secret: string | null;
}

/** Reads `<challenge>` or `<challenge>-<secret>`. */
export function parseChallengeLink(text: string): ChallengeLink | null {
  const [id, secret, ...more] = text.trim().toLowerCase().split("-");
  if (!isHex(id, 32) || more.length > 0) return null;
  if (secret === undefined) return { id, secret: null };
  return isHex(secret, 64) ? { id, secret } : null;
}

/** BIP-340, by the link's key, which the challenge's id on a relay does not tell. */
export function proofOf(link: ChallengeLink, me: Pubkey): string | null {
  if (link.secret === null) return null;
  try {
    const said = sha256(utf8ToBytes(`accept:${link.id}:${me}`));
    return bytesToHex(schnorr.sign(said, hexToBytes(link.secret)));
  } catch {
    return null; // zero, or beyond the curve's order
  }
}
