/** Moves and squares in words, for screen readers. */

import type { Board } from "chessops/board";
import type { Role, SquareName } from "chessops/types";
import { charToRole, parseSquare } from "chessops/util";

import type { Color } from "../arbiter/model.ts";
import { t, type TextKey } from "../texts/index.ts";

/** `Nxf3+` as "knight takes f 3, check". */
export function spokenSan(san: string): string {
  const ending = san.endsWith("#") ? t("board.mate") : san.endsWith("+") ? t("board.check") : "";
  const said = (words: string): string => (ending ? `${words}, ${ending}` : words);
  if (san === "--") return t("board.nullMove");
  if (san.startsWith("O-O-O")) return said(t("board.castles.long"));
  if (san.startsWith("O-O")) return said(t("board.castles.short"));
  const match = /^([KQRBN]?)([a-h]?[1-8]?)(x?)([a-h])([1-8])(?:=([QRBN]))?/.exec(san);
  if (!match) return san;
  const [, letter, from, takes, file, rank, promotion] = match;
  const words = [
    t(roleKey(letter ? charToRole(letter)! : "pawn")),
    ...[...from!],
    takes ? t("board.takes") : "",
    file!,
    rank!,
    promotion ? t("board.becomes", { piece: t(roleKey(charToRole(promotion)!)) }) : "",
  ];
  return said(words.filter(Boolean).join(" "));
}

/** `e4, white pawn`, and what else is known of the square. */
export function spokenSquare(square: SquareName, board: Board, selected: SquareName | null, isDestination: boolean): string {
  const piece = board.get(parseSquare(square));
  const words: string[] = [square, piece ? spokenPiece(piece.color, piece.role) : t("board.empty")];
  if (square === selected) words.push(t("board.selected"));
  if (isDestination) words.push(t("board.destination"));
  return words.join(", ");
}

/** `white knight`. */
export function spokenPiece(color: Color, role: Role): string {
  return t(`board.${color}.${role}` as TextKey);
}

/** `Nf3` with the piece's sign instead of its letter. */
export function figurines(san: string): string {
  return san.replace(/[KQRBN]/g, (letter) => FIGURES[letter] ?? letter);
}

/** `Nf3` in the letters of the language that is spoken. */
export function inLetters(san: string): string {
  return san.replace(/[KQRBN]/g, (letter) => t("board.letters")["KQRBN".indexOf(letter)]!);
}

// The variation selector keeps phones from drawing a coloured picture.
const FIGURES: Readonly<Record<string, string>> = {
  K: "\u265a\ufe0e", Q: "\u265b\ufe0e", R: "\u265c\ufe0e", B: "\u265d\ufe0e", N: "\u265e\ufe0e",
};

export function roleKey(role: Role): TextKey {
  return `board.${role}` as TextKey;
}

/** The moves that a reader has heard: those of the game, and mine that is not confirmed yet. */
export interface Heard {
  readonly moves: readonly string[];
  readonly pending: string | null;
}

export interface Change {
  readonly news: readonly string[];
  /** My move that was read out and was not played. */
  readonly unplayed: string | null;
  readonly isTakenBack: boolean;
}

/** The change to say after `before`. */
export function changeOf(before: Heard, now: Heard): Change {
  const [old, all] = [before, now].map(({ moves, pending }) => (pending ? [...moves, pending] : moves)) as [string[], string[]];
  const same = old.findIndex((san, at) => san !== all[at]);
  if (same < 0) return { news: all.slice(old.length), unplayed: null, isTakenBack: false };
  const unplayed = before.pending !== null && same === before.moves.length ? before.pending : null;
  return { news: all.slice(same), unplayed, isTakenBack: unplayed === null };
}

/** The latest moves in words. A blank after every second ply makes a reader say the same words again. */
export function announced(sans: readonly string[], plies: number): string {
  return sans.map(spokenSan).join("; ") + (plies % 2 === 0 ? "\u00a0" : "");
}
