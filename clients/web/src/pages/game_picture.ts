/** The board as a PNG, drawn by this browser, with the players' names above and below. */

import type { Color } from "../arbiter/model.ts";
import { piecesIn } from "../shared/fen.ts";

export interface Pictured {
  readonly fen: string;
  /** The squares of the last move. */
  readonly marked: readonly string[];
  readonly orientation: Color;
  /** White's and Black's name. */
  readonly names: readonly [string, string];
}

const SQUARE = 90;
const SIDE = 8 * SQUARE;
const EDGE = 56;
/** As pieces.css has them, White's above Black's. */
const PIECE = 45;
const ROLES: readonly string[] = ["king", "queen", "rook", "bishop", "knight", "pawn"];

/** Rejects where the browser draws none. */
export async function boardImage({ fen, marked, orientation, names }: Pictured): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = SIDE;
  canvas.height = SIDE + 2 * EDGE;
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("no canvas");
  const look = getComputedStyle(document.documentElement);
  const color = (name: string): string => look.getPropertyValue(name).trim();
  const isWhite = orientation === "white";
  const square = (name: string): readonly [number, number] => {
    const [file, rank] = [name.charCodeAt(0) - 97, Number(name[1]) - 1];
    return [(isWhite ? file : 7 - file) * SQUARE, EDGE + (isWhite ? 7 - rank : rank) * SQUARE];
  };
  pen.fillStyle = "#262421";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  for (let at = 0; at < 64; at += 1) {
    pen.fillStyle = color((at + (at >> 3)) % 2 === 0 ? "--board-light" : "--board-dark");
    pen.fillRect((at % 8) * SQUARE, EDGE + (at >> 3) * SQUARE, SQUARE, SQUARE);
  }
  pen.fillStyle = color("--board-last");
  for (const name of marked) pen.fillRect(...square(name), SQUARE, SQUARE);
  const pieces = await piecesImage();
  for (const { role, color: of, square: name } of piecesIn(fen)) {
    const [x, y] = [ROLES.indexOf(role) * PIECE, of === "white" ? 0 : PIECE];
    pen.drawImage(pieces, x, y, PIECE, PIECE, ...square(name), SQUARE, SQUARE);
  }
  pen.font = "600 28px system-ui, sans-serif";
  pen.textBaseline = "middle";
  pen.fillStyle = "#ece6dd";
  pen.fillText(names[isWhite ? 1 : 0], 16, EDGE / 2, SIDE - 32);
  pen.fillText(names[isWhite ? 0 : 1], 16, EDGE * 1.5 + SIDE, SIDE - 32);
  return new Promise((resolve, reject) =>
    canvas.toBlob((image) => (image ? resolve(image) : reject(new Error("no picture")))),
  );
}

/** The pieces are in the stylesheet alone: pieces.css. */
async function piecesImage(): Promise<HTMLImageElement> {
  const figure = document.createElement("i");
  figure.className = "figure";
  document.body.append(figure);
  const address = /^url\("(.+)"\)$/s.exec(getComputedStyle(figure).backgroundImage)?.[1] ?? "";
  figure.remove();
  const image = new Image();
  image.src = address.replace(/\\(.)/gs, "$1");
  await image.decode();
  return image;
}
