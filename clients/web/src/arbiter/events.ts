/** What players sign, as PROTOCOL.md describes it. Nothing here reads a clock or a key. */

import { schnorr } from "@noble/curves/secp256k1.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";

import type { EventTemplate, Tag } from "../net/event.ts";
import { isHex } from "../net/event.ts";
import type { GameId, GameState, Pubkey, Terms, TimeControl } from "./model.ts";

export const REQUEST = 20300;
export const RESPONSE = 20301;
export const STATE = 20302;
export const MOVE = 20303;
export const ERROR = 20304;
export const PLAYERS_CHAT = 20305;
export const SPECTATORS_CHAT = 20306;
export const NOTE = 64;
export const RATING = 30300;
export const PROFILE = 0;
export const RELAY_LIST = 10002;
export const HANDLER = 31990;

/** Reasons to decline that the protocol names. */
export const DECLINES = [
  "later", "tooFast", "tooSlow", "timeControl", "rated", "casual", "variant", "noBot", "generic",
] as const;

export function timeText(time: Exclude<TimeControl, null>): string {
  return time.kind === "days" ? `${time.days}d` : `${time.base}+${time.increment}`;
}

function termsTags(terms: Terms): Tag[] {
  const tags: Tag[] = [];
  if (terms.time) tags.push(["time", timeText(terms.time)]);
  if (terms.rated) tags.push(["mode", "rated"]);
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

export function playRequest(arbiter: Pubkey, terms: Terms, at: number): EventTemplate {
  return request(arbiter, "", termsTags(terms), at);
}

export function challengeRequest(
  arbiter: Pubkey, opponent: Pubkey, terms: Terms, at: number,
): EventTemplate {
  return request(arbiter, "", [...termsTags(terms), ["challenge", opponent]], at);
}

/** An open challenge; with the key of a link only those who have its secret can accept it. */
export function openChallengeRequest(
  arbiter: Pubkey, terms: Terms, linkSecret: string | null, at: number,
): EventTemplate {
  const key = linkSecret === null ? [] : [bytesToHex(schnorr.getPublicKey(hexToBytes(linkSecret)))];
  return request(arbiter, "", [...termsTags(terms), ["challenge", "open", ...key]], at);
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

/** BIP-340, by the link's key: whoever reads the challenge's id on a relay cannot make it. */
export function proofOf(link: ChallengeLink, me: Pubkey): string | null {
  if (link.secret === null) return null;
  try {
    const said = sha256(utf8ToBytes(`accept:${link.id}:${me}`));
    return bytesToHex(schnorr.sign(said, hexToBytes(link.secret)));
  } catch {
    return null; // zero, or beyond the curve's order
  }
}

export function acceptRequest(
  arbiter: Pubkey, link: ChallengeLink, me: Pubkey, at: number,
): EventTemplate {
  const proof = proofOf(link, me);
  return request(arbiter, `accept:${link.id}`, proof === null ? [] : [["proof", proof]], at);
}

export function declineRequest(
  arbiter: Pubkey, challenge: string, reason: string, at: number,
): EventTemplate {
  const known = (DECLINES as readonly string[]).includes(reason) ? reason : "generic";
  return request(arbiter, `decline:${challenge}:${known}`, [], at);
}

export function cancelRequest(arbiter: Pubkey, at: number): EventTemplate {
  return request(arbiter, "cancel", [], at);
}

export function statusRequest(arbiter: Pubkey, at: number): EventTemplate {
  return request(arbiter, "state", [], at);
}

/** A move or a word that answers the state with this id. */
export function wordEvent(
  arbiter: Pubkey,
  game: Pick<GameState, "game" | "white" | "black">,
  content: string,
  answers: string,
  at: number,
): EventTemplate {
  const tags: Tag[] = [
    ["d", game.game], ["e", answers], ["p", arbiter], ["p", game.white], ["p", game.black],
  ];
  return { kind: MOVE, created_at: at, tags, content };
}

/** Asks for the present state; any key may sign it. */
export function stateQuestion(arbiter: Pubkey, game: GameId, at: number): EventTemplate {
  return { kind: MOVE, created_at: at, tags: [["d", game], ["p", arbiter]], content: "state" };
}

/** A line of players' chat; `cipher` is NIP-44 to the key in `to`. */
export function playersLine(game: GameId, to: Pubkey, cipher: string, at: number): EventTemplate {
  return { kind: PLAYERS_CHAT, created_at: at, tags: [["d", game], ["p", to]], content: cipher };
}

/** A line of spectators' chat, which the arbiter carries on where `carrier` names it. */
export function spectatorsLine(
  game: GameId, text: string, carrier: Pubkey | null, at: number,
): EventTemplate {
  const tags: Tag[] = carrier === null ? [["d", game]] : [["d", game], ["p", carrier]];
  return { kind: SPECTATORS_CHAT, created_at: at, tags, content: text };
}
