/** The subscriptions of a client, and which events are worth verifying. */

import { isHex, valueOf, type NostrEvent } from "../net/event.ts";
import type { Filter } from "../net/relay.ts";
import { ERROR, MOVE, NOTE, PLAYERS_CHAT, PROFILE, RATING, RESPONSE, SPECTATORS_CHAT, STATE } from "./events.ts";
import { forSpectators } from "./answers.ts";
import type { GameId, GameState, Pubkey } from "./model.ts";

export const PLAY = "play";
export const WATCH = "watch";
export const WHO = "who";
export const MOVES = "moves";

/** A filter of the arbiter's own relay may have fifty values. */
const MAX_GAMES = 24;
const MAX_PLAYERS = 40;

export function playFilters(arbiter: Pubkey, me: Pubkey): readonly Filter[] {
  return [{ kinds: [RESPONSE, STATE, ERROR], authors: [arbiter], "#p": [me] }, { kinds: [PLAYERS_CHAT], "#p": [me] }];
}

/** The games that were named last. */
export function watchFilters(arbiter: Pubkey, games: readonly GameId[]): readonly Filter[] {
  const last = games.slice(-MAX_GAMES);
  return [{ kinds: [STATE, NOTE], authors: [arbiter], "#d": last }, { kinds: [SPECTATORS_CHAT], "#d": last }];
}

/** What others sign in these games. */
export function movesFilters(me: Pubkey, going: readonly GameState[]): readonly Filter[] {
  const last = going.slice(-MAX_PLAYERS / 2);
  const authors = new Set(last.flatMap(({ white, black }) => [white, black]));
  authors.delete(me);
  return [{ kinds: [MOVE], authors: [...authors], "#d": last.map(({ game }) => game) }];
}

export function whoFilters(arbiter: Pubkey, players: readonly Pubkey[]): readonly Filter[] {
  const last = players.slice(-MAX_PLAYERS);
  return [{ kinds: [PROFILE], authors: last }, { kinds: [RATING], authors: [arbiter], "#p": last }];
}

export interface Wanted {
  readonly arbiter: Pubkey;
  readonly me: Pubkey;
  knows(game: GameId): boolean;
  isOld(state: NostrEvent): boolean;
  wonders(player: Pubkey): boolean;
}

/** By author and tags alone: what a stranger claims in the arbiter's name costs no signature check. */
export function isWanted(event: NostrEvent, { arbiter, me, knows, isOld, wonders }: Wanted): boolean {
  switch (event.kind) {
    case RESPONSE: return event.pubkey === arbiter && valueOf(event, "p") === me;
    case STATE:
      // A player answers states that were sent to them: the arbiter looks up no other.
      return event.pubkey === arbiter && !isOld(event) && !forSpectators(event)?.includes(me);
    case PROFILE: return wonders(event.pubkey);
    case MOVE: return event.pubkey !== me && knows(valueOf(event, "d") ?? "");
    case PLAYERS_CHAT:
    case SPECTATORS_CHAT: {
      const game = valueOf(event, "d");
      return event.pubkey !== me && isHex(game, 32) && knows(game);
    }
    default: return event.pubkey === arbiter;
  }
}
