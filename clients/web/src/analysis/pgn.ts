/** PGN from anywhere, read by the rules of chess: each game whole, or up to the place that is told. */

import { Chess } from "chessops/chess";
import { makeFen, parseFen } from "chessops/fen";
import { parseVariant } from "chessops/pgn";
import { SquareSet } from "chessops/squareSet";
import { makeSquare, opposite } from "chessops/util";
import { npubEncode } from "nostr-tools/nip19";

import { clean } from "../arbiter/clean.ts";
import { inEnglish, moveOf } from "../board/notation.ts";
import { played, uciOf, type Line, type Ply, type Variant } from "../board/position.ts";
import { shortNpub } from "../shared/npub.ts";
import { t, type TextKey } from "../texts/index.ts";
import { resultOf, type Flaw, type Written } from "./pgn_text.ts";

/** The players and the result. */
export interface Heading {
  readonly white: string;
  readonly black: string;
  readonly result: string;
}

export interface Game extends Heading {
  readonly variant: Variant;
  /** The moves up to the flaw. */
  readonly line: Line;
  readonly flaw: Flaw | null;
}

/** A null move: the side to move passes. No move of chess, but analysts write it. */
export const NULL_MOVE = "--";
const NULL_MOVES = /^(?:--|Z0|0000|@@@@)$/;

/** A word that is written like a move, legal or not. */
const MOVE = /^(?:O-O(?:-O)?|[KQRBN]?[a-h]?[1-8]?[-x]?[a-h][1-8](?:=?[QRBNqrbn])?)[+#]?$/;

const MAX_NAME = 40;
/** By the rule of 75 moves (FIDE 9.6.2) no game has more. */
const MAX_PLIES = 12_000;
/** The name of a player in an arbiter's PGN. */
const PUBKEY = /^[0-9a-f]{64}$/;

/** The heading of a game in a list, whose moves are not read. */
export function headingOf({ tags, result }: Written): Heading {
  const text = (tag: string): string => tags.get(tag)?.text ?? "";
  return { white: name(text("White")), black: name(text("Black")), result: result ?? resultOf(text("Result")) ?? "*" };
}

/** The game of these tags and words. */
export function gameOf(written: Written): Game {
  const { tags } = written;
  const start = startOf(written);
  const position = "kind" in start ? Chess.default() : start;
  const variant = isChess960(tags.get("Variant")?.text ?? "", position) ? "chess960" : "standard";
  const before = makeFen(position.toSetup());
  const [plies, wrong] = "kind" in start ? [[], start] : pliesOf(written, position, variant);
  return {
    ...headingOf(written),
    variant,
    line: { start: before, plies, end: position },
    flaw: wrong ?? written.flaw,
  };
}

/** A flaw as the reader hears it. */
export function told({ kind, line, what }: Flaw): string {
  return t(`pgn.${kind}` as TextKey, { line, what: clean(what, MAX_NAME) });
}

function startOf({ tags }: Written): Chess | Flaw {
  const variant = tags.get("Variant");
  if (variant && !isChess960(variant.text) && parseVariant(variant.text) !== "chess") {
    return { kind: "variant", line: variant.line, what: variant.text };
  }
  const fen = tags.get("FEN");
  if (!fen) return Chess.default();
  const setup = parseFen(fen.text).unwrap((it) => it, () => null);
  // Pockets and remaining checks are of Crazyhouse and of Three-check.
  const position = setup && !setup.pockets && !setup.remainingChecks ? Chess.fromSetup(setup).unwrap((it) => it, () => null) : null;
  return position ?? { kind: "fen", line: fen.line, what: fen.text };
}

/** By the tag, or by castling that only Chess960 has. */
function isChess960(tag: string, position = Chess.default()): boolean {
  const { castlingRights } = position.castles;
  const kings = position.board.king.intersect(SquareSet.fromRank(0).union(SquareSet.fromRank(7)));
  const isUsual = castlingRights.diff(SquareSet.corners()).isEmpty();
  const areHome = [...castlingRights].every((rook) => kings.has(rook < 8 ? 4 : 60));
  return /960|fischer|freestyle/i.test(tag) || !isUsual || !areHome;
}

/** The legal moves, played on `position`, up to the first word that is none. */
function pliesOf(written: Written, position: Chess, variant: Variant): [readonly Ply[], Flaw | null] {
  const plies: Ply[] = [];
  // Where other letters are not English, R is a king's: Spanish "rey", French "roi".
  const king = written.words.some(({ text }) => /^[ACDFLST][a-hx1-8]/.test(text)) ? "R" : "K";
  let offset: number | null = null;
  for (const { text, line } of written.words) {
    if (plies.length === MAX_PLIES) return [plies, { kind: "long", line, what: "" }];
    const isNull = NULL_MOVES.test(text);
    if (/^\d+\.?$/.test(text) && !isNull) {
      // Of a game that begins with a FEN the numbers often count from 1.
      offset ??= written.tags.has("FEN") ? parseInt(text) - position.fullmoves : 0;
      const isTurn = position.turn === "white" || !plies.length || !text.endsWith(".");
      if (parseInt(text) - offset !== position.fullmoves || !isTurn) return [plies, { kind: "number", line, what: text }];
      continue;
    }
    const move = isNull ? null : moveOf(position, text, king);
    const ply = move ? played(position, uciOf(position, move, variant)) : isNull ? passed(position) : null;
    if (!ply) return [plies, { kind: isNull || MOVE.test(inEnglish(text)) ? "illegal" : "unknown", line, what: text }];
    plies.push(ply);
  }
  return [plies, null];
}

/** `null` in check: then no other move can be left out. */
function passed(position: Chess): Ply | null {
  const king = position.board.kingOf(position.turn);
  if (position.isCheck() || king === undefined) return null;
  if (position.turn === "black") position.fullmoves += 1;
  position.halfmoves += 1;
  position.turn = opposite(position.turn);
  position.epSquare = undefined;
  const at = makeSquare(king);
  return { uci: "0000", san: NULL_MOVE, fen: makeFen(position.toSetup()), from: at, to: at, captured: null, check: false };
}

function name(text: string): string {
  return PUBKEY.test(text) ? shortNpub(npubEncode(text)) : clean(text, MAX_NAME) || "?";
}
