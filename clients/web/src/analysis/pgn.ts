/** PGN from anywhere, read by the rules of chess: each game whole, or up to the place that is told. */

import { Chess } from "chessops/chess";
import { makeFen } from "chessops/fen";
import { ChildNode, makePgn, Node, parseVariant, type PgnNodeData } from "chessops/pgn";
import { makeSquare, opposite } from "chessops/util";
import { npubEncode } from "nostr-tools/nip19";

import { clean } from "../arbiter/clean.ts";
import { inEnglish, moveOf } from "../board/notation.ts";
import { played, uciOf, type Line, type Ply, type Variant } from "../board/position.ts";
import { shortNpub } from "../shared/npub.ts";
import { t, type TextKey } from "../texts/index.ts";
import { isChess960, readFen } from "./fen.ts";
import { resultOf, type Flaw, type Word, type Written } from "./pgn_text.ts";
import { withLine, type Move, type Moves, type Study } from "./study.ts";

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
  /** These with their variations, each up to a flaw of its own. */
  readonly moves: Moves;
  readonly flaw: Flaw | null;
  /** The first in a variation. */
  readonly sideFlaw: Flaw | null;
}

/** A null move: the side to move passes. No move of chess, but analysts write it. */
export const NULL_MOVE = "--";
const NULL_MOVES = /^(?:--|Z0|0000|@@@@)$/;

/** A word that is written like a move, legal or not. */
const MOVE = /^(?:O-O(?:-O)?|[KQRBN]?[a-h]?[1-8]?[-x]?[a-h][1-8](?:=?[QRBNqrbn])?)[+#]?$/;

const IS_960 = /960|fischer|freestyle/i;
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

export function titleOf({ white, black }: Heading): string {
  return white === "?" && black === "?" ? t("pgn.unnamed") : `${white} – ${black}`;
}

/** The game of these tags and words. */
export function gameOf(written: Written): Game {
  const { tags } = written;
  const start = startOf(written);
  const position = "kind" in start ? Chess.default() : start;
  const variant = IS_960.test(tags.get("Variant")?.text ?? "") || isChess960(position) ? "chess960" : "standard";
  const before = makeFen(position.toSetup());
  // Where other letters are not English, R is a king's: Spanish "rey", French "roi".
  const king = written.words.some(({ text }) => /^[ACDFLST][a-hx1-8]/.test(text)) ? "R" : "K";
  const reading: Reading = { variant, king, offset: tags.has("FEN") ? null : 0, left: MAX_PLIES, flaw: null };
  const read = "kind" in start ? { plies: [], moves: [], flaw: start } : movesOf(written.words, position, reading);
  return {
    ...headingOf(written), variant, line: { start: before, plies: read.plies, end: position }, moves: read.moves,
    flaw: read.flaw ?? written.flaw, sideFlaw: reading.flaw,
  };
}

/** A study as a file of PGN; `tags` and the comment before its moves are the game's. */
export function writePgn({ start, variant, moves }: Study, tags: ReadonlyMap<string, string>, comment?: string): string {
  const isUsual = start === makeFen(Chess.default().toSetup());
  const headers = new Map([...tags].filter(([name]) => !["SetUp", "FEN", "Variant"].includes(name)));
  if (variant === "chess960") headers.set("Variant", "Chess960");
  if (!isUsual) headers.set("SetUp", "1").set("FEN", start);
  const root = new Node<PgnNodeData>();
  hang(root, moves);
  return makePgn({ headers, moves: root, ...(comment && { comments: [comment] }) });
}

/** The first child goes on with the line, the others are its side lines. */
function hang(parent: Node<PgnNodeData>, moves: Moves): void {
  let node = parent;
  for (const { ply, sides, comment } of moves) {
    const child = new ChildNode<PgnNodeData>({ san: ply.san, ...(comment && { comments: [comment] }) });
    node.children.push(child);
    for (const side of sides) hang(node, side);
    node = child;
  }
}

/** A flaw as the reader hears it. */
export function told({ kind, line, what }: Flaw): string {
  return t(`pgn.${kind}` as TextKey, { line, what: clean(what, MAX_NAME) });
}

function startOf({ tags }: Written): Chess | Flaw {
  const variant = tags.get("Variant");
  if (variant && !IS_960.test(variant.text) && parseVariant(variant.text) !== "chess") {
    return { kind: "variant", line: variant.line, what: variant.text };
  }
  const fen = tags.get("FEN");
  const position = fen ? readFen(fen.text) : Chess.default();
  return typeof position === "string" ? { kind: "fen", line: fen!.line, what: fen!.text } : position;
}

interface Reading {
  readonly variant: Variant;
  readonly king: "K" | "R";
  /** Of a game that begins with a FEN the numbers often count from 1. */
  offset: number | null;
  /** Plies that are still read. */
  left: number;
  /** The first in a variation. */
  flaw: Flaw | null;
}

interface Read {
  readonly plies: readonly Ply[];
  /** These, and the variations. */
  readonly moves: Moves;
  readonly flaw: Flaw | null;
}

/** The legal moves, played on `position`, up to the first word that is none. */
function movesOf(words: readonly Word[], position: Chess, reading: Reading): Read {
  const plies: Ply[] = [];
  const line: Move[] = [];
  const variations: [at: number, line: Moves][] = [];
  let flaw: Flaw | null = null;
  for (const word of words) {
    const before = word.sides && position.clone();
    const next = plyOf(word, position, reading, plies.length === 0);
    if (next && "kind" in next) flaw = next;
    if (flaw) break;
    if (!next) continue;
    plies.push(next as Ply);
    line.push({ ply: next as Ply, sides: [], comment: word.comment });
    for (const side of word.sides ?? []) {
      const instead = movesOf(side, before!.clone(), reading);
      reading.flaw ??= instead.flaw;
      variations.push([plies.length - 1, instead.moves]);
    }
  }
  return { plies, flaw, moves: variations.reduce((moves, [at, side]) => withLine(moves, at, side), line as Moves) };
}

/** `null` for the number of a move. */
function plyOf({ text, line }: Word, position: Chess, reading: Reading, isFirst: boolean): Ply | Flaw | null {
  if (reading.left === 0) return { kind: "long", line, what: "" };
  const isNull = NULL_MOVES.test(text);
  if (/^\d+\.?$/.test(text) && !isNull) {
    reading.offset ??= parseInt(text) - position.fullmoves;
    const isTurn = position.turn === "white" || isFirst || !text.endsWith(".");
    return parseInt(text) - reading.offset !== position.fullmoves || !isTurn ? { kind: "number", line, what: text } : null;
  }
  const move = isNull ? null : moveOf(position, text, reading.king);
  const ply = move ? played(position, uciOf(position, move, reading.variant)) : isNull ? passed(position) : null;
  if (!ply) return { kind: isNull || MOVE.test(inEnglish(text)) ? "illegal" : "unknown", line, what: text };
  reading.left -= 1;
  return ply;
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
