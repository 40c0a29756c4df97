/** In the place of chessground's animation: pieces slide by the compositor. The page itself draws
 * two frames for it, not one for each step of the way, which a slow phone has no time for. */

import type { HeadlessState, State } from "@lichess-org/chessground/state";

type Mutation<T> = (state: HeadlessState) => T;

export function render<T>(mutation: Mutation<T>, state: State): T {
  const result = mutation(state);
  state.dom.redraw();
  return result;
}

export function anim<T>(mutation: Mutation<T>, state: State): T {
  const before = new Map(state.pieces);
  const result = mutation(state);
  if (state.animation.enabled && !areAlike(before, state.pieces)) slide(state);
  else state.dom.redraw();
  return result;
}

function areAlike(before: State["pieces"], after: State["pieces"]): boolean {
  return before.size === after.size && [...before].every(([square, piece]) => {
    const now = after.get(square);
    return now?.role === piece.role && now.color === piece.color;
  });
}

function slide({ dom, animation: { duration } }: State): void {
  // One that was dragged is where it belongs once it is dropped.
  const pieces = [...dom.elements.board.querySelectorAll<HTMLElement>("piece:not(.dragging)")];
  const from = pieces.map((piece) => piece.style.transform);
  dom.redrawNow();
  pieces.forEach((piece, index) => {
    const { transform } = piece.style;
    if (transform === from[index] || !piece.isConnected) return;
    piece.classList.add("anim");
    const sliding = piece.animate({ transform: [from[index]!, transform] }, { duration, easing: "ease-in-out" });
    sliding.onfinish = () => piece.classList.remove("anim");
  });
}
