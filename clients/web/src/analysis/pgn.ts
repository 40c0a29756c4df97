/** A game in PGN, from anywhere: its moves, and who played. */

import { defaultHeaders, parsePgn, startingPosition } from "chessops/pgn";
import { makeFen } from "chessops/fen";
import { parseSan } from "chessops/san";
import { isNormal } from "chessops/types";
import { npubEncode } from "nostr-tools/nip19";

import { clean } from "../arbiter/clean.ts";
import { lineFrom, positionOf, uciOf, type Line, type Variant } from "../board/position.ts";
import { shortNpub } from "../shared/npub.ts";

export interface Imported {
  readonly line: Line;
  readonly variant: Variant;
  readonly white: string;
  readonly black: string;
}

/** More is no game that people played. */
const MOST_CHARACTERS = 100_000;
const LONGEST_NAME = 40;
/** What an arbiter's PGN names a player by. */
const PUBKEY = /^[0-9a-f]{64}$/;

/** The main line of the first game, up to a move that is not legal; `null` if there is none. */
export function importPgn(text: string): Imported | null {
  const game = parsePgn(text.slice(0, MOST_CHARACTERS), defaultHeaders)[0];
  if (!game) return null;
  const variant = /960|fischer/i.test(game.headers.get("Variant") ?? "") ? "chess960" : "standard";
  const start = startingPosition(game.headers).unwrap((position) => makeFen(position.toSetup()), () => null);
  const position = start && positionOf(start);
  if (!position) return null;
  const moves: string[] = [];
  for (const { san } of game.moves.mainline()) {
    const move = parseSan(position, san);
    if (!move || !isNormal(move)) break;
    moves.push(uciOf(position, move, variant));
    position.play(move);
  }
  const line = lineFrom(start, moves, null);
  const isEmpty = moves.length === 0 && !game.headers.has("FEN");
  if (!line || isEmpty) return null;
  return { line, variant, white: name(game.headers.get("White")), black: name(game.headers.get("Black")) };
}

function name(text: string | undefined): string {
  if (text && PUBKEY.test(text)) return shortNpub(npubEncode(text));
  return clean(text ?? "", LONGEST_NAME) || "?";
}
