/** A small board to look at: a position, drawn with the pieces of the large one. */

import { createElement, type JSX } from "preact";
import type { Color } from "../arbiter/model.ts";
import { piecesIn, turnOf } from "./fen.ts";
import { t } from "../texts/index.ts";

interface Props {
  readonly fen: string;
  /** In UCI. */
  readonly lastMove?: string | null;
  readonly orientation?: Color;
}

export function BoardPicture({ fen, lastMove, orientation = "white" }: Props): JSX.Element {
  const marked = lastMove && !lastMove.includes("@") ? [lastMove.slice(0, 2), lastMove.slice(2, 4)] : [];
  const label = t(turnOf(fen) === "white" ? "board.whiteToMove" : "board.blackToMove");
  return (
    <div class="board-picture cg-wrap" role="img" aria-label={label}>
      {marked.map((square) => (<i key={`mark-${square}`} class="mark" style={place(square, orientation)} />))}
      {piecesIn(fen).map(({ square, role, color }) =>
        createElement("piece" as "i", {
          key: `${square}${color}${role}`,
          class: `${color} ${role}`,
          style: place(square, orientation),
        }),
      )}
    </div>
  );
}

/** Set through CSSOM, which the Content-Security-Policy allows. */
function place(square: string, orientation: Color): { transform: string } {
  const file = square.charCodeAt(0) - 97;
  const rank = Number(square[1]) - 1;
  const [x, y] = orientation === "white" ? [file, 7 - rank] : [7 - file, rank];
  return { transform: `translate(${x * 100}%, ${y * 100}%)` };
}
