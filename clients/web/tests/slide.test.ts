import assert from "node:assert/strict";
import { test } from "node:test";

import type { State } from "@lichess-org/chessground/state";

import { anim } from "../src/board/slide.ts";

const KNIGHT = { role: "knight", color: "white" } as const;

/** A board with one knight on g1, which is drawn where the state has it. */
function board(enabled = true) {
  const slides: unknown[] = [];
  const redraws: string[] = [];
  const classes = new Set<string>();
  const piece = {
    style: { transform: "g1" }, isConnected: true,
    classList: { add: (name: string) => classes.add(name), remove: (name: string) => classes.delete(name) },
    animate: (frames: { transform: string[] }) => (slides.push(frames.transform), {}),
  };
  const state = {
    pieces: new Map([["g1", KNIGHT]]),
    animation: { enabled, duration: 150 },
    dom: {
      elements: { board: { querySelectorAll: (of: string) => (of.endsWith(":not(.dragging)") && classes.has("dragging") ? [] : [piece]) } },
      redraw: () => redraws.push("with the next frame"),
      redrawNow: () => {
        redraws.push("now");
        [piece.style.transform = ""] = state.pieces.keys();
      },
    },
  };
  const put = (square: string): void => {
    anim((of) => void (of.pieces = new Map([[square, KNIGHT]]) as State["pieces"]), state as unknown as State);
  };
  return { put, slides, redraws, classes };
}

test("a piece slides from where it was drawn", () => {
  const { put, slides, redraws } = board();
  put("f3");
  assert.deepEqual([slides, redraws], [[["g1", "f3"]], ["now"]]);
});

test("a piece that was dragged is where it belongs at once", () => {
  const { put, slides, classes } = board();
  classes.add("dragging");
  put("f3");
  assert.deepEqual(slides, []);
});

test("where no piece moved, or nothing may slide, the next frame is soon enough", () => {
  for (const [square, enabled] of [["g1", true], ["f3", false]] as const) {
    const { put, slides, redraws } = board(enabled);
    put(square);
    assert.deepEqual([slides, redraws], [[], ["with the next frame"]], square);
  }
});
