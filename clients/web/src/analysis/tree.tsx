/** The moves of a study as a list, in which each side line is a list of its own. */

import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";

import { turnOf } from "../shared/fen.ts";
import { spokenSan } from "../board/speech.ts";
import { MoveButton, showActive } from "../pages/game_moves.tsx";
import { t } from "../texts/index.ts";
import type { Move, Moves, Place, Study, Turn } from "./study.ts";

interface TreeProps {
  readonly study: Study;
  readonly place: Place;
  readonly onGo: (place: Place) => void;
}

export function Tree({ study, place, onGo }: TreeProps): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  const latest = useRef(onGo);
  latest.current = onGo;
  const go = useRef((to: Place) => latest.current(to)).current;
  useEffect(() => {
    if (list.current) showActive(list.current);
  }, [place]);
  if (study.moves.length === 0) return <p class="moves none">{t("game.moves.none")}</p>;
  // Plies are counted from White's first move.
  const before = (Number(study.start.split(" ")[5] ?? 1) - 1) * 2 + (turnOf(study.start) === "black" ? 1 : 0);
  return (
    <div class="moves tree" ref={list}>
      <LineOf moves={study.moves} turns={[]} before={before} place={place} onGo={go} label={t("game.moves")} />
    </div>
  );
}

interface LineProps {
  readonly moves: Moves;
  readonly turns: readonly Turn[];
  /** Plies of the game before this line. */
  readonly before: number;
  /** `null` if another line is shown. */
  readonly place: Place | null;
  readonly onGo: (place: Place) => void;
  readonly label: string;
}

function LineOf({ moves, turns, before, place, onGo, label }: LineProps): JSX.Element {
  const within = place && place.turns.length > turns.length ? place.turns[turns.length]! : null;
  return (
    <ol aria-label={label}>
      {moves.map((move, index) => (
        <Item
          key={index} move={move} turns={turns} index={index} ply={before + index}
          hasNumber={index === 0 || (before + index) % 2 === 0 || moves[index - 1]!.sides.length > 0}
          isCurrent={place !== null && !within && place.plies === index + 1}
          place={within?.ply === index ? place : null} onGo={onGo}
        />
      ))}
    </ol>
  );
}

interface ItemProps extends Pick<LineProps, "turns" | "place" | "onGo"> {
  readonly move: Move;
  readonly index: number;
  readonly ply: number;
  readonly hasNumber: boolean;
  readonly isCurrent: boolean;
}

/** Of a long game most moves are as they were: they are not compared again. */
function Item({ move, turns, index, ply, hasNumber, isCurrent, place, onGo }: ItemProps): JSX.Element {
  return useMemo(
    () => (
      <li>
        <span class="numbered">
          {hasNumber && <span class="number">{Math.floor(ply / 2) + 1}{ply % 2 ? "…" : "."}</span>}
          <MoveButton ply={move.ply} isCurrent={isCurrent} onClick={() => onGo({ turns, plies: index + 1 })} />
        </span>
        {move.comment && <bdi class="comment">{move.comment}</bdi>}
        {move.sides.map((moves, side) => (
          <LineOf
            key={side} moves={moves} turns={[...turns, { ply: index, side }]} before={ply}
            place={place?.turns[turns.length]?.side === side ? place : null} onGo={onGo}
            label={t("study.side", { move: spokenSan(move.ply.san) })}
          />
        ))}
      </li>
    ),
    [move, JSON.stringify(turns), ply, hasNumber, isCurrent, place],
  );
}
