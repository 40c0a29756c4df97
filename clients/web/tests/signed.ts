/** Keys and events of tests. */

import { generateSecretKey, getPublicKey } from "nostr-tools/pure";

import { makeFen } from "chessops/fen";
import { Chess } from "chessops/chess";
import { parseUci } from "chessops/util";

import { parseState } from "../src/arbiter/answers.ts";
import type { GameState } from "../src/arbiter/model.ts";
import { signedBy } from "../src/identity/local.ts";
import type { NostrEvent, Tag } from "../src/net/event.ts";

const keyOf = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);

export const ARBITER_SECRET = keyOf(1);
export const ARBITER = getPublicKey(ARBITER_SECRET);
export const WHITE_SECRET = keyOf(2);
export const WHITE = getPublicKey(WHITE_SECRET);
export const BLACK_SECRET = keyOf(3);
export const BLACK = getPublicKey(BLACK_SECRET);
export const GAME = "ab".repeat(16);
export const AT = 1_800_000_000;

export function byArbiter(kind: number, content: string, tags: readonly Tag[], at = AT): NostrEvent {
  return signedBy(ARBITER_SECRET, { kind, created_at: at, tags, content });
}

export function byStranger(kind: number, content: string, tags: readonly Tag[], at = AT): NostrEvent {
  return signedBy(generateSecretKey(), { kind, created_at: at, tags, content });
}

export function fenOf(moves: readonly string[]): string {
  const position = Chess.default();
  for (const move of moves) position.play(parseUci(move)!);
  return makeFen(position.toSetup());
}

/** The event of the state after these moves; tags given here replace or follow the usual ones. */
export function stateEvent(moves: readonly string[], version: number, tags: readonly Tag[] = [], at = AT): NostrEvent {
  const usual: Tag[] = [
    ["d", GAME], ["p", WHITE], ["p", BLACK], ["version", String(version)],
    ["ply", String(moves.length)], ...(moves.length ? [["moves", ...moves]] : []),
  ];
  return byArbiter(20302, fenOf(moves), [...usual, ...tags], at);
}

export function stateAfter(moves: readonly string[], version: number, tags: readonly Tag[] = [], at = AT): GameState {
  return parseState(stateEvent(moves, version, tags, at), ARBITER)!;
}
