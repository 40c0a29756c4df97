/** The board as a grid of 64 named squares, one of which has the focus. It lies over chessground,
 * lets pointers through, and shows where the focus is. */

import { Board as Pieces } from "chessops/board";
import type { SquareName } from "chessops/types";
import { charToRole, parseSquare } from "chessops/util";
import type { JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";

import type { Color } from "../arbiter/model.ts";
import { t } from "../texts/index.ts";
import type { Drawn } from "./drawn.ts";
import { spokenSquare } from "./speech.ts";

interface SquaresProps {
  readonly drawn: Drawn;
  readonly orientation: Color;
  readonly picked: SquareName | null;
  readonly onPick: (square: SquareName | null) => void;
  readonly onPut: (from: SquareName, to: SquareName) => void;
  readonly onCancel: () => void;
  readonly onCommand: (key: string) => void;
}

const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0], Home: [-7, 0], End: [7, 0],
};

export function Squares(props: SquaresProps): JSX.Element {
  const { drawn, orientation, picked } = props;
  const [focus, setFocus] = useState<SquareName>("e2");
  const grid = useRef<HTMLDivElement>(null);
  const pieces = useMemo(() => drawn.position?.board ?? Pieces.empty(), [drawn]);
  const rows = useMemo(() => rowsOf(orientation), [orientation]);
  const goals = (picked && drawn.destinations.get(picked)) || [];

  function go(square: SquareName): void {
    setFocus(square);
    grid.current?.querySelector<HTMLElement>(`[data-square=${square}]`)?.focus();
  }

  function act(square: SquareName): void {
    if (picked === square) props.onPick(null);
    else if (picked && goals.includes(square)) props.onPut(picked, square);
    else props.onPick(drawn.destinations.has(square) ? square : null);
  }

  function pressed(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!handled(event)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  function handled(event: KeyboardEvent): boolean {
    const step = STEPS[event.key];
    const digit = /^Digit([1-8])$/.exec(event.code)?.[1] ?? (/^[1-8]$/.test(event.key) ? event.key : null);
    const role = event.key.length === 1 ? charToRole(event.key.toLowerCase()) : undefined;
    if (step) go(stepped(rows, focus, step));
    else if (event.key === "Enter" || event.key === " ") act(focus);
    else if (event.key === "Escape") picked ? props.onPick(null) : props.onCancel();
    else if (digit && event.shiftKey) go(`${"abcdefgh"[Number(digit) - 1]!}${focus[1]!}` as SquareName);
    else if (digit) go((focus[0]! + digit) as SquareName);
    else if (role) {
      const next = nextOf([...pieces[role]], parseSquare(focus), event.shiftKey);
      if (next !== null) go(`${"abcdefgh"[next & 7]!}${(next >> 3) + 1}` as SquareName);
    } else if (["c", "l", "o"].includes(event.key)) props.onCommand(event.key);
    else return false;
    return true;
  }

  const latest = useRef(act);
  latest.current = act;
  const actOn = useRef((square: SquareName) => latest.current(square)).current;
  return (
    <div ref={grid} class="squares" role="grid" aria-label={t("board.label")} onKeyDown={pressed}>
      {rows.map((row) => (
        <div key={row[0]} role="row">
          {row.map((square) => (
            <Cell
              key={square} square={square} label={spokenSquare(square, pieces, picked, goals.includes(square))}
              hasFocus={square === focus} isPicked={square === picked} onFocus={setFocus} onClick={actOn}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

interface CellProps {
  readonly square: SquareName;
  readonly label: string;
  readonly hasFocus: boolean;
  readonly isPicked: boolean;
  readonly onFocus: (square: SquareName) => void;
  readonly onClick: (square: SquareName) => void;
}

/** Most squares are the same after a move: those are not compared again. */
function Cell({ square, label, hasFocus, isPicked, onFocus, onClick }: CellProps): JSX.Element {
  return useMemo(
    () => (
      <div
        role="gridcell" data-square={square} tabIndex={hasFocus ? 0 : -1} aria-selected={isPicked} aria-label={label}
        onFocus={() => onFocus(square)} onClick={() => onClick(square)}
      />
    ),
    [label, hasFocus, isPicked],
  );
}

/** The squares as they are seen, the top row first. */
export function rowsOf(orientation: Color): SquareName[][] {
  const ranks = orientation === "white" ? "87654321" : "12345678";
  const files = orientation === "white" ? "abcdefgh" : "hgfedcba";
  return [...ranks].map((rank) => [...files].map((file) => (file + rank) as SquareName));
}

function stepped(rows: SquareName[][], from: SquareName, [dx, dy]: readonly [number, number]): SquareName {
  const y = rows.findIndex((row) => row.includes(from));
  const x = rows[y]!.indexOf(from);
  const within = (at: number): number => Math.min(7, Math.max(0, at));
  return rows[within(y + dy)]![within(x + dx)]!;
}

/** The next of these squares after `from`, round the board. */
function nextOf(squares: readonly number[], from: number, isBack: boolean): number | null {
  const sorted = [...squares].sort((one, other) => (isBack ? other - one : one - other));
  const beyond = sorted.find((square) => (isBack ? square < from : square > from));
  return beyond ?? sorted[0] ?? null;
}
