/** Events of players and arbiters that are not about one game: profiles, relay lists, chat. */

import { isHex, valueOf, valuesOf, type NostrEvent } from "../net/event.ts";
import { relayUrl } from "../net/url.ts";
import { clean } from "./clean.ts";
import { HANDLER, PLAYERS_CHAT, PROFILE, RELAY_LIST, SPECTATORS_CHAT } from "./events.ts";
import type { GameId, HousePlayer, Profile, Pubkey } from "./model.ts";

const NAME_CHARS = 40;
export const LINE_CHARS = 140;
const MAX_RELAYS = 12;

/** A kind 0. What is missing or of another type in it is `null`. */
export function parseProfile(event: NostrEvent): Profile | null {
  if (event.kind !== PROFILE) return null;
  let said: unknown;
  try {
    said = JSON.parse(event.content);
  } catch {
    return null;
  }
  if (typeof said !== "object" || said === null) return null;
  const { name, display_name, picture, nip05, bot } = said as Record<string, unknown>;
  return {
    pubkey: event.pubkey,
    name: line(display_name, NAME_CHARS) ?? line(name, NAME_CHARS),
    picture: pictureUrl(picture),
    nip05: line(nip05, 2 * NAME_CHARS),
    bot: bot === true,
  };
}

function line(value: unknown, chars: number): string | null {
  return (typeof value === "string" && clean(value, chars)) || null;
}

function pictureUrl(value: unknown): string | null {
  if (typeof value !== "string" || value.length > 500) return null;
  try {
    const url = new URL(value);
    return url.protocol === "https:" && !url.username ? url.href : null;
  } catch {
    return null;
  }
}

/** The relays of a kind 10002 from which its author both reads and writes. */
export function parseRelayList(event: NostrEvent): readonly string[] | null {
  if (event.kind !== RELAY_LIST) return null;
  const urls = event.tags.flatMap(([name, url, marker]) =>
    name === "r" && marker === undefined ? [relayUrl(url)] : [],
  );
  const readable = urls.filter((url) => url !== null);
  return [...new Set(readable)].slice(0, MAX_RELAYS);
}

const MAX_HOUSE_PLAYERS = 64;

/** The `house` of a NIP-11 document; what cannot be read is left out. */
export function parseHouse(said: unknown): readonly HousePlayer[] {
  const named: readonly unknown[] = Array.isArray(said) ? said : [];
  return named.slice(0, MAX_HOUSE_PLAYERS).flatMap((one) => {
    const { pubkey, level } = (one ?? {}) as Record<string, unknown>;
    const isLevel = Number.isInteger(level) && Number(level) >= 1 && Number(level) <= 8;
    return isHex(pubkey, 64) && isLevel ? [{ pubkey, level: Number(level) }] : [];
  });
}

/** The same from the tags of kind 31990. */
export function houseOf(announcement: NostrEvent): readonly HousePlayer[] {
  const tags = announcement.tags.filter(([name]) => name === "house");
  return parseHouse(tags.map(([, pubkey, level]) => ({ pubkey, level: Number(level) })));
}

/** Whether a kind 31990 announces an arbiter of this protocol. */
export function isArbiterHandler(event: NostrEvent): boolean {
  return (event.kind === HANDLER && valueOf(event, "d") === "chess" && valuesOf(event, "k").includes("20300"));
}

/** A line of chat, whose `content` may be encrypted. */
export interface HeardLine {
  readonly id: string;
  readonly game: GameId;
  /** The author, or for whom the arbiter speaks. */
  readonly from: Pubkey;
  /** The key that signed and encrypted it. */
  readonly signer: Pubkey;
  readonly to: Pubkey | null;
  readonly content: string;
  readonly at: number;
  readonly room: "players" | "spectators";
}

export function parseLine(event: NostrEvent, arbiter: Pubkey): HeardLine | null {
  const game = valueOf(event, "d");
  if (event.kind !== PLAYERS_CHAT && event.kind !== SPECTATORS_CHAT) return null;
  if (!isHex(game, 32) || event.content.length > 4_096) return null;
  const said = valueOf(event, "said-by");
  const carried = event.pubkey === arbiter && isHex(said, 64) ? said : null;
  if (event.pubkey === arbiter && carried === null) return null;
  return {
    id: event.id,
    game,
    from: carried ?? event.pubkey,
    signer: event.pubkey,
    to: valueOf(event, "p") ?? null,
    content: event.content,
    at: event.created_at,
    room: event.kind === PLAYERS_CHAT ? "players" : "spectators",
  };
}
