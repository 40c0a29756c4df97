/** The search for the arbiter: PROTOCOL.md, "Find the arbiter". */

import { decode } from "nostr-tools/nip19";

import { clean } from "../arbiter/clean.ts";
import { HANDLER, PROFILE, RELAY_LIST } from "../arbiter/events.ts";
import type { ArbiterInfo, HousePlayer, Pubkey } from "../arbiter/model.ts";
import { houseOf, isArbiterHandler, parseHouse, parseProfile, parseRelayList } from "../arbiter/profiles.ts";
import { isHex, type NostrEvent } from "./event.ts";
import { observe, UNKNOWN, type OffsetBounds } from "./offset.ts";
import type { Surroundings } from "./relay.ts";
import { Relays } from "./relays.ts";
import { httpUrl, relayUrl } from "./url.ts";

export interface Found {
  readonly info: ArbiterInfo;
  readonly clock: OffsetBounds;
}

/** The places to look. */
export interface Start {
  /** The page's own, such as `https://chess.example`. */
  readonly origin: string;
  /** `?arbiter=`: an npub, 64 hex digits or a NIP-05 name. */
  readonly arbiter: string | null;
  /** `?relays=`, with commas between them. */
  readonly relays: string | null;
}

/** The reason why there is none: something else answered, or nothing. */
export type NotFound = "none" | "unreachable";

const ASK_MS = 4_000;
const NAME_CHARS = 40;

/** The arbiter that the page is to use, or why there is none. */
export async function discover(
  start: Start, fetched: typeof fetch, around: Omit<Surroundings, "authenticate">,
): Promise<Found | NotFound> {
  const named = (start.relays ?? "").split(",").flatMap((url) => relayUrl(url) ?? []);
  const asked = start.arbiter?.trim() ?? "";
  const key = pubkeyOf(asked);
  if (asked === "") return ofOrigin(start.origin, named, fetched, around);
  if (key !== null) return ofKey(key, named, fetched, around);
  const [name, domain] = asked.includes("@") ? asked.split("@") : ["_", asked];
  if (!domain || !/^[a-z0-9.:-]+$/i.test(domain)) return "none";
  const origin = /^(localhost|127\.)/.test(domain) ? `http://${domain}` : `https://${domain}`;
  return ofOrigin(origin, named, fetched, around, name);
}

/** 64 hex digits or an npub; `null` for anything else. */
export function pubkeyOf(text: string): Pubkey | null {
  if (isHex(text.toLowerCase(), 64)) return text.toLowerCase();
  try {
    const found = decode(text.trim().replace(/^nostr:/, ""));
    if (found.type === "npub") return found.data;
    return found.type === "nprofile" ? found.data.pubkey : null;
  } catch {
    return null;
  }
}

/** NIP-05 tells the key and its relays; NIP-11 what the arbiter's own relay calls itself. */
async function ofOrigin(
  origin: string, named: readonly string[], fetched: typeof fetch,
  around: Omit<Surroundings, "authenticate">, name = "_",
): Promise<Found | NotFound> {
  const [names, document] = await Promise.all([
    readJson(`${origin}/.well-known/nostr.json?name=${encodeURIComponent(name || "_")}`, fetched, around),
    readJson(`${origin}/`, fetched, around, "application/nostr+json"),
  ]);
  const key = keyNamed(names?.value, name || "_") ?? document?.value?.["self"];
  if (!isHex(key, 64)) return names || document ? "none" : "unreachable";
  const clock = (document?.value ? document : names)?.clock ?? UNKNOWN;
  const told = relaysNamed(names?.value, key);
  const own = document?.value?.["self"] === key ? relayUrl(origin.replace(/^http/, "ws")) : null;
  const urls = named.length > 0 ? named : told;
  // API Gateway has its sockets at another address than its pages: then it is one of those named.
  const gateway = own && (urls.length === 0 || urls.includes(own)) ? own : null;
  const title = document?.value?.["name"];
  return {
    clock,
    info: {
      pubkey: key,
      name: typeof title === "string" ? clean(title, NAME_CHARS) : "",
      relays: urls.length > 0 ? urls : own ? [own] : [],
      gateway,
      http: names && keyNamed(names.value, name || "_") === key ? origin : null,
      house: document?.value?.["self"] === key ? parseHouse(document.value["house"]) : [],
    },
  };
}

/** NIP-65: kind 10002 names the relays, kind 0 the name. */
async function ofKey(
  pubkey: Pubkey, named: readonly string[], fetched: typeof fetch,
  around: Omit<Surroundings, "authenticate">,
): Promise<Found | NotFound> {
  if (named.length === 0) return "none";
  const { heard, isReached } = await presence(pubkey, named, around);
  const list = newest(heard, RELAY_LIST);
  const profile = newest(heard, PROFILE);
  const announced = newest(heard.filter(isArbiterHandler), HANDLER);
  const told = (list && parseRelayList(list)) ?? [];
  // Named ones first: that is how this browser was told to reach it.
  const relays = [...new Set([...named, ...told])];
  const own = await gatewayAmong(pubkey, relays, fetched, around);
  if (!own && !isReached) return "unreachable";
  return {
    clock: own?.clock ?? UNKNOWN,
    info: {
      pubkey, name: (profile && parseProfile(profile)?.name) ?? "", relays, gateway: own?.url ?? null,
      http: own?.http ?? null, house: own?.house ?? (announced ? houseOf(announced) : []),
    },
  };
}

interface Gateway {
  readonly url: string;
  readonly http: string;
  readonly clock: OffsetBounds;
  readonly house: readonly HousePlayer[];
}

/** The relay that says in NIP-11 that it is the arbiter's own; it also serves the HTTP API. */
async function gatewayAmong(
  pubkey: Pubkey, relays: readonly string[], fetched: typeof fetch,
  around: Omit<Surroundings, "authenticate">,
): Promise<Gateway | null> {
  const looks = relays.map(async (url) => {
    const http = new URL(httpUrl(url)).origin;
    const document = await readJson(httpUrl(url), fetched, around, "application/nostr+json");
    if (document?.value?.["self"] !== pubkey) return null;
    return { url, http, clock: document.clock, house: parseHouse(document.value["house"]) };
  });
  return (await Promise.all(looks)).find((found) => found !== null) ?? null;
}

function presence(
  pubkey: Pubkey, urls: readonly string[], around: Omit<Surroundings, "authenticate">,
): Promise<{ readonly heard: readonly NostrEvent[]; readonly isReached: boolean }> {
  const heard: NostrEvent[] = [];
  let isReached = false;
  return new Promise((resolve) => {
    const caughtUp = new Set<string>();
    const relays: Relays = new Relays(
      { ...around, authenticate: () => Promise.reject(new Error("no player yet")) },
      {
        wants: (event) => event.pubkey === pubkey,
        event: (event) => void heard.push(event),
        caughtUp: (_, url) => {
          caughtUp.add(url);
          if (caughtUp.size === urls.length) done();
        },
        refused: () => {}, changed: () => {},
        connected: () => {
          isReached = true;
        },
      },
    );
    const cancel = around.later(() => done(), ASK_MS);
    const done = (): void => {
      cancel();
      relays.close();
      resolve({ heard, isReached });
    };
    relays.subscribe("where", [{ kinds: [PROFILE, RELAY_LIST, HANDLER], authors: [pubkey] }]);
    relays.use(urls);
  });
}

function newest(events: readonly NostrEvent[], kind: number): NostrEvent | undefined {
  return events.filter((event) => event.kind === kind)
    .sort((one, other) => other.created_at - one.created_at)[0];
}

interface Answer {
  readonly value: Record<string, unknown> | null;
  readonly clock: OffsetBounds;
}

/** `null` where nothing answers; what is not JSON has no value. */
async function readJson(
  url: string, fetched: typeof fetch, around: Pick<Surroundings, "nowMs">, accept = "application/json",
): Promise<Answer | null> {
  const askedMs = around.nowMs();
  try {
    const signal = AbortSignal.timeout(ASK_MS);
    const response = await fetched(url, { headers: { Accept: accept }, signal, cache: "no-store" });
    const heardMs = around.nowMs();
    // A proxy, for an arbiter that starts again or has too much to do.
    if (response.status === 429 || response.status >= 500) return null;
    const value: unknown = response.ok && (await response.json().catch(() => null));
    if (!value || typeof value !== "object") return { value: null, clock: UNKNOWN };
    // Other origins do not show it.
    const dateMs = Date.parse(response.headers.get("date") ?? "");
    // Servers write it anew once a second; what a cache has kept is of any age.
    const date = { fromMs: dateMs, toMs: dateMs + 2000 };
    const fresh = response.headers.has("age") ? null : askedMs;
    const clock = Number.isNaN(dateMs) ? UNKNOWN : observe(UNKNOWN, date, fresh, heardMs);
    return { value: value as Record<string, unknown>, clock };
  } catch {
    return null;
  }
}

function keyNamed(value: Record<string, unknown> | null | undefined, name: string): Pubkey | null {
  const names = value?.["names"];
  if (typeof names !== "object" || names === null) return null;
  const key = (names as Record<string, unknown>)[name.toLowerCase()];
  return isHex(key, 64) ? key : null;
}

function relaysNamed(value: Record<string, unknown> | null | undefined, key: Pubkey): readonly string[] {
  const relays = value?.["relays"];
  const urls = typeof relays === "object" && relays !== null ? (relays as Record<string, unknown>)[key] : null;
  if (!Array.isArray(urls)) return [];
  const readable = urls.flatMap((url) => (typeof url === "string" ? (relayUrl(url) ?? []) : []));
  return [...new Set(readable)].slice(0, 12);
}
