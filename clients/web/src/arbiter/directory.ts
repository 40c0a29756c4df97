/** Players' names from relays, and their ratings from the arbiter. The newest of each counts. */

import type { NostrEvent } from "../net/event.ts";
import { parseRating } from "./answers.ts";
import type { ArbiterInfo, Profile, Pubkey, Rating } from "./model.ts";
import { parseProfile } from "./profiles.ts";

const SPEEDS = ["bullet", "blitz", "rapid", "classical", "correspondence"];

export class Directory {
  readonly #info: ArbiterInfo;
  readonly #players: Pubkey[] = [];
  readonly #dates = new Map<string, number>();
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
    this.profiles = new Map(this.profiles).set(profile.pubkey, profile);
    return true;
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
