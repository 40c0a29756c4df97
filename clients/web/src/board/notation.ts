/** Moves as people write them: in letters of their language, in figurines, from square to square. */

import { castlingSide, type Chess } from "chessops/chess";
import { parseSan } from "chessops/san";
import { isNormal, type NormalMove } from "chessops/types";
import { charToRole, parseSquare } from "chessops/util";

import { t } from "../texts/index.ts";
import { legalMove } from "./position.ts";

/** Letters of German, Spanish and French notation that English does not have. */
export const LETTERS: Readonly<Record<string, string>> = { D: "Q", T: "R", L: "B", A: "B", F: "B", S: "N", C: "N" };

const FIGURINES = "♔♕♖♗♘♙♚♛♜♝♞♟";
const SQUARES = /^([KQRBN]?)([a-h][1-8])[-x]?([a-h][1-8])(?:=?([QRBNqrbn]))?[+#]?$/;

/** The king's letter in the language that is spoken: R, the English rook, in Spanish and French. */
export const kingLetter = (): string => t("board.letters")[0]!;

/** The move that the text names, in SAN or by its squares; `null` if none or several are legal. */
export function moveOf(position: Chess, text: string, king = "K"): NormalMove | null {
  const san = inEnglish(text.startsWith(king) ? `K${text.slice(1)}` : text);
  const move = parseSan(position, san);
  // chessops takes the king onto their own rook, "Kh1", for castling.
  if (move && isNormal(move) && (san.startsWith("O") || !castlingSide(position, move))) return move;
  const [, letter, from, to, promotion = ""] = SQUARES.exec(san) ?? [];
  if (!from) return null;
  const isPiece = !letter || position.board.getRole(parseSquare(from)!) === charToRole(letter);
  return isPiece ? legalMove(position, from + to + promotion) : null;
}

/** The move with English letters and none of the signs that only some write. */
export function inEnglish(text: string): string {
  return text
    .replace(/[\ufe0e\ufe0f]/g, "")
    .replace(/[‐‑–—−]/g, "-")
    .replace(/[×:]/g, "x")
    .replace(/^[O0o]-[O0o](?=(-[O0o])?)/, "O-O").replace(/^O-O-[0o]/, "O-O-O")
    .replace(/^[ACDFLST♔-♟](?=[a-hx1-8-])|[ACDFLST♔-♟](?=\)?[+#]?$)/g, (sign) => LETTERS[sign] ?? "KQRBN"[FIGURINES.indexOf(sign) % 6] ?? "")
    .replace(/=([acdflst])(?=[+#]?$)/, (_, letter: string) => `=${LETTERS[letter.toUpperCase()]}`)
    .replace(/^P(?=[a-h])/, "")
    .replace(/[(/]([QRBN])\)?/, "=$1");
}
