/** Typed moves and commands: what each does, and what is read out. */

import { parseSquare } from "chessops/util";

import type { ArbiterClient, ClientState, GameView } from "../arbiter/model.ts";
import type { Drawn } from "../board/drawn.ts";
import type { Line } from "../board/position.ts";
import { spokenPiece, spokenSan } from "../board/speech.ts";
import { squaresOf, typed, type Typed } from "../board/typed.ts";
import { counted, t } from "../texts/index.ts";
import { readClock } from "./game_clock.ts";
import type { Choices } from "./game_rules.ts";

/** The sources of the answer to a command. */
export interface Known {
  readonly client: ArbiterClient;
  readonly state: ClientState;
  readonly view: GameView;
  readonly drawn: Drawn;
  readonly line: Line | null;
  readonly choices: Choices;
  /** The players' names as text, White first. */
  readonly names: readonly [string, string];
  readonly onMove: (uci: string) => void;
  readonly onClear: () => void;
}

/** Does what was typed; returns what to read out. */
export function obey(text: string, known: Known): string {
  const { view, drawn } = known;
  const position = drawn.mode === "look" ? null : drawn.position;
  const variant = view.confirmed?.variant ?? "standard";
  const meant = typed(text, position, drawn.mode === "premove", variant);
  switch (meant.kind) {
    case "move":
      known.onMove(meant.uci);
      return drawn.mode === "premove" ? t("typed.premove", { move: text.trim() }) : "";
    case "clear":
      if (view.premoves.length === 0) return "";
      known.onClear();
      return t("typed.cleared");
    case "word": return said(meant.word, known);
    case "unclear": return t("typed.unclear", { text: text.trim().slice(0, 40) });
    default: return answer(meant, known);
  }
}

/** `draw` also accepts; resigning by a typed word needs no second one. */
function said(word: "abort" | "resign" | "draw" | "takeback" | "rematch", { client, view, choices }: Known): string {
  if (!choices.actions.includes(word) && choices.theirs !== word) return t("typed.notNow", { text: word });
  client.word(view.game, word);
  return t("action.sent", { action: t(`action.${word}`) });
}

function answer(asked: Exclude<Typed, { kind: "move" | "clear" | "word" | "unclear" }>, known: Known): string {
  const { state, view, drawn, line } = known;
  switch (asked.kind) {
    case "clocks": return clocks(view, state.clockOffsetMs);
    case "opponent":
      return view.me ? known.names[view.me === "white" ? 1 : 0] : t("game.title", { white: known.names[0], black: known.names[1] });
    case "help": return `${t("typed.help")} ${t("board.help")}`;
    default: return seen(asked, drawn, line);
  }
}

/** The answer that the board gives, of a game or of an analysis. */
export function seen(asked: Extract<Typed, { kind: "last" | "pieces" | "scan" }>, drawn: Drawn, line: Line | null): string {
  switch (asked.kind) {
    case "last": {
      const last = line?.plies.at(-1);
      return last ? spokenSan(last.san) : t("typed.noMoves");
    }
    case "pieces": {
      const squares = drawn.position ? squaresOf(drawn.position, asked.role, asked.color) : [];
      return `${spokenPiece(asked.color, asked.role)}: ${squares.join(", ") || t("board.nothing")}`;
    }
    case "scan": {
      const found = asked.squares.flatMap((square) => {
        const piece = drawn.position?.board.get(parseSquare(square));
        return piece ? [`${square} ${spokenPiece(piece.color, piece.role)}`] : [];
      });
      return found.join(", ") || t("board.empty");
    }
  }
}

function clocks(view: GameView, offsetMs: number): string {
  const game = view.confirmed;
  const white = game && readClock(game, "white", Date.now() + offsetMs);
  const black = game && readClock(game, "black", Date.now() + offsetMs);
  if (!white || !black) return t("typed.noClocks");
  const [w, b] = [spokenClock(white.left), spokenClock(black.left)];
  if (view.me === null) return t("typed.clocks.watching", { white: w, black: b });
  return t("typed.clocks", view.me === "white" ? { mine: w, theirs: b } : { mine: b, theirs: w });
}

/** `3 minutes 5 seconds`, for a screen reader. */
export function spokenClock(left: number): string {
  const seconds = Math.floor(left / 1000);
  const parts: [number, "day" | "hour" | "minute" | "second"][] = [
    [Math.floor(seconds / 86_400), "day"], [Math.floor(seconds / 3600) % 24, "hour"],
    [Math.floor(seconds / 60) % 60, "minute"], [seconds % 60, "second"],
  ];
  const said = parts.filter(([count]) => count > 0).slice(0, 2);
  if (said.length === 0) said.push([0, "second"]);
  return said.map(([count, unit]) => counted(`clock.${unit}`, count)).join(" ");
}
