/** The moves that were played, and the buttons that step through them. */

import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";

import type { Color } from "../arbiter/model.ts";
import { type Line, type Ply } from "../board/position.ts";
import { turnOf } from "../shared/fen.ts";
import { figurines, spokenSan } from "../board/speech.ts";
import { t } from "../texts/index.ts";
import { Icon, type IconName } from "./game_icons.tsx";

interface StepsProps {
  readonly line: Line | null;
  /** The number of plies shown; all of them if `null`. */
  readonly shown: number | null;
  readonly onShow: (plies: number) => void;
}

interface MovesProps extends StepsProps {
  /** By the arbiter, of a game of very many moves. */
  readonly areLeftOut?: boolean;
}

export function Moves({ line, areLeftOut = false, shown, onShow }: MovesProps): JSX.Element {
  const list = useRef<HTMLOListElement>(null);
  const latest = useRef(onShow);
  latest.current = onShow;
  const showNow = useRef((plies: number) => latest.current(plies)).current;
  const count = line?.plies.length ?? 0;
  const at = shown ?? count;
  const isEmpty = count === 0;
  useEffect(() => {
    const box = list.current;
    if (!box) return;
    // An offer or the analysis may take some of its room.
    const resized = new ResizeObserver(() => showActive(box));
    resized.observe(box);
    return () => resized.disconnect();
  }, [isEmpty]);
  // After the move is drawn: before, the whole page would be laid out once more for it.
  useEffect(() => {
    if (list.current) showActive(list.current);
  }, [at, count]);
  if (!line) return <p class="moves none">{areLeftOut && t("game.moves.tooMany")}</p>;
  if (isEmpty) return <p class="moves none">{t("game.moves.none")}</p>;
  const offset = turnOf(line.start) === "black" ? 1 : 0;
  const first = Number(line.start.split(" ")[5] ?? 1);
  const pairs = Array.from({ length: Math.ceil((count + offset) / 2) }, (_, index) => index);
  return (
    <ol class="moves" ref={list} aria-label={t("game.moves")}>
      {pairs.map((pair) => {
        const index = pair * 2 - offset;
        return (
          <Pair
            key={pair} number={first + pair} index={index} white={line.plies[index] ?? null}
            black={line.plies[index + 1] ?? null}
            current={at - 1 === index ? "white" : at - 1 === index + 1 ? "black" : null} onShow={showNow}
          />
        );
      })}
    </ol>
  );
}

interface PairProps {
  readonly number: number;
  /** Of White's ply; -1 if the game began with a move of Black. */
  readonly index: number;
  readonly white: Ply | null;
  readonly black: Ply | null;
  readonly current: Color | null;
  readonly onShow: (plies: number) => void;
}

/** Earlier moves stay as they are: they are not compared again. */
function Pair({ number, index, white, black, current, onShow }: PairProps): JSX.Element {
  return useMemo(
    () => (
      <li>
        <span class="number">{number}.</span>
        {index < 0 ? <span class="gap">…</span> : white && <MoveButton ply={white} isCurrent={current === "white"} onClick={() => onShow(index + 1)} />}
        {black && <MoveButton ply={black} isCurrent={current === "black"} onClick={() => onShow(index + 2)} />}
      </li>
    ),
    [number, index, white, black, current],
  );
}

interface MoveProps {
  readonly ply: Ply;
  readonly isCurrent: boolean;
  readonly onClick: () => void;
}

export function MoveButton({ ply, isCurrent, onClick }: MoveProps): JSX.Element {
  return (
    <button type="button" tabIndex={isCurrent ? 0 : -1} aria-current={isCurrent ? "step" : undefined} onClick={onClick}>
      <span aria-hidden="true">{figurines(ply.san)}</span>
      <span class="unseen">{spokenSan(ply.san)}</span>
    </button>
  );
}

/** `scrollIntoView` would scroll the page too. */
export function showActive(box: HTMLElement): void {
  const active = box.querySelector<HTMLElement>("[aria-current]");
  if (!active) return box.scrollTo(0, 0);
  box.scrollTop = active.offsetTop - box.clientHeight / 2 + active.clientHeight / 2;
  box.scrollLeft = active.offsetLeft - box.clientWidth / 2 + active.clientWidth / 2;
}

export function Steps({ line, shown, onShow }: StepsProps): JSX.Element {
  const count = line?.plies.length ?? 0;
  const at = shown ?? count;
  const button = (icon: IconName & ("first" | "previous" | "next" | "last"), to: number): JSX.Element => (
    <button type="button" class="quiet" aria-label={t(`game.${icon}`)} title={t(`game.${icon}`)} disabled={to === at || to < 0 || to > count} onClick={() => onShow(to)}>
      <Icon name={icon} />
    </button>
  );
  return (
    <div class="steps">
      {button("first", 0)}
      {button("previous", at - 1)}
      {button("next", at + 1)}
      {button("last", count)}
    </div>
  );
}
