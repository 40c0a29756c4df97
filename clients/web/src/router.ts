/** Pages and their addresses: what follows the hash, so that any static host serves them all. */

import { SPEEDS } from "./terms.ts";

export type Route =
  | { readonly page: "lobby" }
  | { readonly page: "game"; readonly game: string }
  | { readonly page: "challenge"; readonly token: string; readonly query: URLSearchParams }
  | { readonly page: "player"; readonly player: string }
  | { readonly page: "leaderboard"; readonly speed: string }
  /** `tournament` is an id, `new`, or empty for all of them. */
  | { readonly page: "events"; readonly tournament: string; readonly query: URLSearchParams }
  | { readonly page: "tv" }
  | { readonly page: "settings" }
  | { readonly page: "analysis"; readonly query: URLSearchParams }
  | { readonly page: "unknown" };

const GAME = /^[0-9a-f]{32}$/;
const TOKEN = /^[0-9a-f]{32}(-[0-9a-f]{64})?$/;
const PLAYER = /^(npub1[02-9ac-hj-np-z]{58}|[0-9a-f]{64})$/;

/** The page at this address, `location.hash`. */
export function routeIn(hash: string): Route {
  const [, path = "", search = ""] = /^#?\/?([^?]*)(?:\?(.*))?$/s.exec(hash) ?? [];
  const [page = "", written = "", ...more] = path.split("/");
  const name = written.toLowerCase();
  const query = new URLSearchParams(search);
  if (more.some(Boolean)) return { page: "unknown" };
  if (page === "game" && GAME.test(name)) return { page, game: name };
  if (page === "challenge" && TOKEN.test(name)) return { page, token: name, query };
  if (page === "player" && PLAYER.test(name)) return { page, player: name };
  if (page === "leaderboard") {
    const speed = name || "blitz";
    return SPEEDS.some((one) => one === speed) ? { page, speed } : { page: "unknown" };
  }
  if (page === "events" && (GAME.test(name) || name === "new" || name === "")) return { page, tournament: name, query };
  if (name) return { page: "unknown" };
  if (page === "") return { page: "lobby" };
  if (page === "analysis") return { page, query };
  return page === "tv" || page === "settings" ? { page } : { page: "unknown" };
}

export const at = {
  lobby: "#/",
  tv: "#/tv",
  events: "#/events",
  settings: "#/settings",
  analysis: "#/analysis",
  game: (game: string): string => `#/game/${game}`,
  event: (tournament: string): string => `#/events/${tournament}`,
  player: (player: string): string => `#/player/${player}`,
  leaderboard: (speed: string): string => `#/leaderboard/${speed}`,
  challenge: (token: string, query: URLSearchParams): string => `#/challenge/${token}?${query}`,
};
