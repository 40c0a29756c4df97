/** The events that players sign in a game, as PROTOCOL.md describes them. Nothing here reads a clock or a key. */

import type { EventTemplate, Tag } from "../net/event.ts";
import type { GameId, GameState, Pubkey } from "./model.ts";

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

/** A move or a word that answers the state with this id; whether I have a socket at the arbiter's own relay. */
export function wordEvent(
  arbiter: Pubkey, game: Pick<GameState, "game" | "white" | "black">, content: string, answers: string, at: number,
  isHere: boolean,
): EventTemplate {
  const tags: Tag[] = [
    ["d", game.game], ["e", answers], ["p", arbiter], ["p", game.white], ["p", game.black],
    ...(isHere ? [["here"]] : []),
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
export function spectatorsLine(game: GameId, text: string, carrier: Pubkey | null, at: number): EventTemplate {
  const tags: Tag[] = carrier === null ? [["d", game]] : [["d", game], ["p", carrier]];
  return { kind: SPECTATORS_CHAT, created_at: at, tags, content: text };
}
