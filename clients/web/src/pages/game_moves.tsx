/** The moves that were played, and the buttons that step through them. */

import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

import { turnOf, type Line } from "../board/position.ts";
import { figurines, spokenSan } from "../board/speech.ts";
import { t } from "../texts/index.ts";
import { Icon, type IconName } from "./game_icons.tsx";

interface MovesProps {
  readonly line: Line | null;
  /** How many plies are shown; all of them if `null`. */
  readonly shown: number | null;
  readonly onShow: (plies: number) => void;
}

export function Moves({ line, shown, onShow }: MovesProps): JSX.Element {
  const list = useRef<HTMLOListElement>(null);
  const count = line?.plies.length ?? 0;
  const at = shown ?? count;
  useLayoutEffect(() => {
    const box = list.current;
    if (!box) return;
    const centre = (): void => showActive(box);
    // Also when an offer or the analysis takes some of its room.
    const resized = new ResizeObserver(centre);
    resized.observe(box);
    centre();
    return () => resized.disconnect();
  }, [at, count]);
  if (!line) return <p class="moves none">{t("game.moves.tooMany")}</p>;
  if (count === 0) return <p class="moves none">{t("game.moves.none")}</p>;
  const offset = turnOf(line.start) === "black" ? 1 : 0;
  const first = Number(line.start.split(" ")[5] ?? 1);
  const pairs = Array.from({ length: Math.ceil((count + offset) / 2) }, (_, index) => index);
  return (
    <ol class="moves" ref={list} aria-label={t("game.moves")}>
      {pairs.map((pair) => (
        <li key={pair}>
          <span class="number">{first + pair}.</span>
          {[pair * 2 - offset, pair * 2 + 1 - offset].map((index) => {
            const ply = line.plies[index];
            if (index < 0) return <span key={index} class="gap">…</span>;
            return ply ? (
              <button
                key={index}
                type="button"
                tabIndex={index + 1 === at ? 0 : -1}
                aria-current={index + 1 === at ? "step" : undefined}
                onClick={() => onShow(index + 1)}
              >
                <span aria-hidden="true">{figurines(ply.san)}</span>
                <span class="unseen">{spokenSan(ply.san)}</span>
              </button>
            ) : null;
          })}
        </li>
      ))}
    </ol>
  );
}

/** `scrollIntoView` would scroll the page too. */
function showActive(box: HTMLElement): void {
  const active = box.querySelector<HTMLElement>("[aria-current]");
  if (!active) return box.scrollTo(0, 0);
  box.scrollTop = active.offsetTop - box.clientHeight / 2 + active.clientHeight / 2;
  box.scrollLeft = active.offsetLeft - box.clientWidth / 2 + active.clientWidth / 2;
}

export function Steps({ line, shown, onShow }: MovesProps): JSX.Element {
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
