/** The board's picture: the confirmed game, my pending move on it, and my premoves on that. */

import type { Chess } from "chessops/chess";
import { INITIAL_FEN, makeFen } from "chessops/fen";
import type { SquareName } from "chessops/types";

import type { Color, GameView } from "../arbiter/model.ts";
import { legalDestinations, premoveDestinations, withPremoves, type Destinations } from "./destinations.ts";
import { played, positionOf, type Line, type Ply } from "./position.ts";
import { turnOf } from "../shared/fen.ts";

export interface Drawn {
  readonly fen: string;
  /** `move` and `premove` say what a move of mine becomes; `look` takes none. */
  readonly mode: "move" | "premove" | "look";
  readonly destinations: Destinations;
  readonly lastMove: readonly SquareName[];
  readonly check: Color | null;
  /** Class names by square. */
  readonly marks: ReadonlyMap<SquareName, string>;
  /** With the player's side to move if they may move; `null` where the rules cannot be applied. */
  readonly position: Chess | null;
  /** In UCI; they are played in `fen` and in `position`. */
  readonly premoves: readonly string[];
  /** My move that is drawn and not confirmed. */
  readonly pending: Ply | null;
}

/** The board after so many plies, or now if `shown` is null. `unsent` waits for its confirmation
 * by the player. */
export function drawn(view: GameView, line: Line | null, shown: number | null, unsent: string | null): Drawn {
  const state = view.confirmed;
  if (line && shown !== null && shown < line.plies.length) return looking(line, shown);
  const fen = state?.fen ?? INITIAL_FEN;
  const now = line ? line.end.clone() : positionOf(fen);
  const last = line?.plies.at(-1) ?? null;
  const draft = unsent ?? view.pendingMove?.content ?? null;
  const pending = now && draft ? played(now, draft) : null;
  const shownLast = pending ?? last;
  const isMine = view.me !== null && state !== null && state.result === null && now !== null;
  const marks = new Map<SquareName, string>();
  if (pending) for (const square of [pending.from, pending.to]) marks.set(square, "pending");
  const base = {
    lastMove: shownLast ? [shownLast.from, shownLast.to] : squaresOf(state?.moves?.at(-1)),
    check: now?.isCheck() ? now.turn : null,
    premoves: [] as readonly string[],
    pending,
  };
  if (!isMine || unsent) {
    const at = pending?.fen ?? fen;
    return { ...base, fen: at, mode: "look", destinations: new Map(), marks, position: now };
  }
  const me = view.me!;
  if (now.turn === me && view.premoves.length === 0) {
    const at = pending?.fen ?? fen;
    return { ...base, fen: at, mode: "move", destinations: legalDestinations(now), marks, position: now };
  }
  const ahead = withPremoves(now, view.premoves, me);
  view.premoves.forEach((uci) => {
    marks.set(uci.slice(0, 2) as SquareName, "premove");
    marks.set(uci.slice(2, 4) as SquareName, "premove");
  });
  return {
    ...base, premoves: view.premoves, fen: makeFen(ahead.toSetup()), mode: "premove",
    destinations: premoveDestinations(ahead, me), marks, position: ahead,
  };
}

/** Of the last move, while the line is not worked out. */
function squaresOf(uci: string | undefined): readonly SquareName[] {
  return uci ? [uci.slice(0, 2) as SquareName, uci.slice(2, 4) as SquareName] : [];
}

/** The board after so many plies, for those who do not play. */
export function looking(line: Line, shown: number): Drawn {
  const ply = shown > 0 ? line.plies[shown - 1]! : null;
  const fen = ply?.fen ?? line.start;
  return {
    fen, mode: "look", destinations: new Map(), lastMove: ply ? [ply.from, ply.to] : [],
    check: ply?.check ? turnOf(fen) : null, marks: new Map(), position: positionOf(fen), premoves: [], pending: null,
  };
}
