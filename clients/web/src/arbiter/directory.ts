/** Players' names from relays, and their ratings from the arbiter. The newest of each counts. */

import { valuesOf, type NostrEvent } from "../net/event.ts";
import { SPEEDS } from "../terms.ts";
import { forSpectators, parseRating } from "./answers.ts";
import { clean } from "./clean.ts";
import type { ArbiterInfo, Profile, Pubkey, Rating } from "./model.ts";
import { parseProfile } from "./profiles.ts";

const MAX_NAME = 32;

export class Directory {
  readonly #info: ArbiterInfo;
  readonly #players: Pubkey[] = [];
  readonly #dates = new Map<string, number>();
  /** What players told the arbiter: shown until their profile names them. */
  readonly #told = new Map<Pubkey, string>();
  readonly #own = new Map<Pubkey, { readonly profile: Profile; readonly event: NostrEvent }>();
  profiles: ReadonlyMap<Pubkey, Profile> = new Map();
  ratings: ReadonlyMap<Pubkey, readonly Rating[]> = new Map();

  constructor(info: ArbiterInfo) {
    this.#info = info;
  }

  get players(): readonly Pubkey[] {
    return this.#players;
  }

  knows(player: Pubkey): boolean {
    return this.#players.includes(player);
  }

  /** Whether this player is a new one. */
  add(player: Pubkey): boolean {
    if (this.knows(player)) return false;
    this.#players.push(player);
    return true;
  }

  /** Whether it said something new. */
  heard(event: NostrEvent): boolean {
    const rated = parseRating(event, this.#info.pubkey);
    if (rated && this.#isNewest(`${rated.rating.speed}:${rated.player}`, rated.at)) {
      this.#rate(rated.player, [rated.rating]);
      return true;
    }
    const profile = parseProfile(event);
    if (!profile || !this.#isNewest(`profile:${profile.pubkey}`, event.created_at)) return false;
    this.#own.set(profile.pubkey, { profile, event });
    this.#show(profile.pubkey);
    return true;
  }

  /** What this player published. */
  own(player: Pubkey): { readonly profile: Profile; readonly event: NostrEvent } | undefined {
    return this.#own.get(player);
  }

  /** The names in the arbiter's state. Whether one is new. */
  heardNames(event: NostrEvent): boolean {
    const names = event.tags.find(([name]) => name === "names")?.slice(1) ?? [];
    const players = forSpectators(event) ?? valuesOf(event, "p");
    return names.map((name, at) => this.told(players[at] ?? "", name)).includes(true);
  }

  /** Whether this is a new name of that player. */
  told(player: Pubkey, name: string): boolean {
    const cleaned = clean(name, MAX_NAME);
    if (!player || !cleaned || this.#told.get(player) === cleaned) return false;
    this.#told.set(player, cleaned);
    return this.#show(player), true;
  }

  #show(pubkey: Pubkey): void {
    const profile = this.#own.get(pubkey)?.profile ?? { pubkey, name: null, picture: null, nip05: null, bot: false };
    const name = profile.name ?? this.#told.get(pubkey) ?? null;
    this.profiles = new Map(this.profiles).set(pubkey, { ...profile, name });
  }

  /** All ratings of a player, from the HTTP API: relays may have forgotten some. */
  async read(player: Pubkey, fetched: typeof fetch): Promise<boolean> {
    if (this.#info.http === null) return false;
    try {
      const headers = { Accept: "application/json" };
      const response = await fetched(`${this.#info.http}/players/${player}`, { headers });
      const ratings = response.ok ? ratingsOf(await response.json()) : [];
      // An event that came since is newer.
      this.#rate(player, ratings.filter(({ speed }) => !this.#dates.has(`${speed}:${player}`)));
      return ratings.length > 0;
    } catch {
      return false;
    }
  }

  #rate(player: Pubkey, told: readonly Rating[]): void {
    const others = (this.ratings.get(player) ?? []).filter(
      ({ speed }) => !told.some((rating) => rating.speed === speed),
    );
    this.ratings = new Map(this.ratings).set(player, [...others, ...told]);
  }

  #isNewest(name: string, at: number): boolean {
    if (at < (this.#dates.get(name) ?? 0)) return false;
    this.#dates.set(name, at);
    return true;
  }
}

function ratingsOf(value: unknown): readonly Rating[] {
  const ratings = (value as { ratings?: Record<string, Record<string, unknown>> } | null)?.ratings ?? {};
  return SPEEDS.flatMap((speed) => {
    const { rating, deviation, games, provisional } = ratings[speed] ?? {};
    if (typeof rating !== "number" || typeof deviation !== "number") return [];
    const played = typeof games === "number" ? games : 0;
    return [{ speed, value: rating, deviation, games: played, provisional: provisional === true }];
  });
}
