/** A player beside the board: name, captured material, and the clock. */

import type { Board } from "chessops/board";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

import type { Color, GameNote, GameState } from "../arbiter/model.ts";
import { advantageOf } from "../board/material.ts";
import type { Preferences } from "../preferences.ts";
import { PlayerName } from "../shared/player_name.tsx";
import type { PageProps } from "../shared/hooks.ts";
import { speedOf } from "../terms.ts";
import { t } from "../texts/index.ts";
import { RatingChange } from "./game_end.tsx";
import { clockText, dueText, lowTime, readClock, untilNextText } from "./game_clock.ts";

interface PlayerProps extends PageProps {
  readonly game: GameState;
  readonly color: Color;
  readonly isMe: boolean;
  /** The board as shown, for the material. */
  readonly board: Board | null;
  readonly status: string | null;
  readonly note: GameNote | null;
  readonly tenths: Preferences["tenths"];
  /** This side's time becomes low. */
  readonly onLow: (() => void) | null;
}

export function PlayerBar(props: PlayerProps): JSX.Element {
  const { client, state, game, color, isMe, board, status, note } = props;
  const result = game.result?.split("-")[color === "white" ? 0 : 1];
  return (
    <div class={`player-bar ${isMe ? "own" : ""}`}>
      <i class={`colour ${color}`} aria-hidden="true" />
      <div class="who">
        <span class="name-line">
          <PlayerName client={client} state={state} player={game[color]} linked speed={speedOf(game.time)} />
          {result && game.result !== "*" && <b class="point">{result.replace("1/2", "½")}</b>}
        </span>
        <span class="below-name">
          {status && <span class="turn">{status}</span>}
          <RatingChange note={note} color={color} />
          {board && <Material board={board} color={color} />}
        </span>
      </div>
      <Clock {...props} offsetMs={state.clockOffsetMs} />
    </div>
  );
}

function Material({ board, color }: { readonly board: Board; readonly color: Color }): JSX.Element | null {
  const { pieces, points } = advantageOf(board, color);
  const other = color === "white" ? "black" : "white";
  if (pieces.length === 0) return null;
  return (
    <span class="material" aria-hidden="true">
      {pieces.map((role, index) => (
        <i key={index} class={`figure ${other} ${role} ${role === pieces[index - 1] ? "same" : ""}`} />
      ))}
      {points > 0 && <small>+{points}</small>}
    </span>
  );
}

interface ClockProps extends Omit<PlayerProps, "client" | "state"> {
  readonly offsetMs: number;
}

/** Draws itself when its text changes, without drawing the page again. */
function Clock({ game, color, offsetMs, tenths, onLow }: ClockProps): JSX.Element | null {
  const element = useRef<HTMLTimeElement>(null);
  const wasLow = useRef(true);
  const low = useRef(onLow);
  low.current = onLow;

  useEffect(() => {
    // A page that opens in time trouble makes no sound.
    const reading = readClock(game, color, Date.now() + offsetMs);
    wasLow.current = reading !== null && reading.left < lowTime(game);
  }, [game.game]);

  useLayoutEffect(() => {
    let timer = 0;
    const tick = (): void => {
      clearTimeout(timer);
      const reading = readClock(game, color, Date.now() + offsetMs);
      if (!reading || !element.current) return;
      const { left, isRunning, restsMs, firstMoveLeft } = reading;
      const isLow = left < lowTime(game) && game.result === null;
      element.current.dataset["ms"] = String(Math.round(left));
      write(element.current, clockText(left, isRunning || left > 0 ? tenths : "never"));
      element.current.classList.toggle("running", isRunning || firstMoveLeft !== null);
      element.current.classList.toggle("low", isLow);
      element.current.classList.toggle("slow", left >= 86_400_000);
      const due = isRunning && game.time?.kind === "days" ? dueText(game, Date.now() + offsetMs, offsetMs) : "";
      const first = firstMoveLeft === null ? due : t("clock.firstMove", { seconds: Math.ceil(firstMoveLeft / 1000) });
      write(element.current.nextElementSibling, first);
      if (isLow && !wasLow.current && isRunning) low.current?.();
      wasLow.current = isLow;
      const next = firstMoveLeft ?? (isRunning ? left : 0);
      if (next > 0) timer = setTimeout(tick, firstMoveLeft === null ? restsMs + untilNextText(next, tenths) : (next % 1000) + 1);
    };
    tick();
    // A tab in the background is slow to tick: it is right again when it is seen.
    document.addEventListener("visibilitychange", tick);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", tick);
    };
  }, [game, color, offsetMs, tenths]);

  if (!game.clock) return null;
  return (
    <div class="clock-box">
      <time ref={element} class="clock" role="timer" data-testid={`clock-${color}`} aria-label={t("clock.label", { player: t(`game.${color}`) })} />
      <small class="first-move" />
    </div>
  );
}

/** Writes a new text only: the same one would be laid out again, and the page with it. */
function write(element: Element | null, text: string): void {
  if (element && element.textContent !== text) element.textContent = text;
}
