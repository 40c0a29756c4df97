/** A game with the engine: evaluation, best move, graph, opening. */

import style from "url:./analysis.css";
import openings from "../../../../layers/arbiter/python/arbiter/core/openings.tsv";

import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";

import type { Variant } from "../board/position.ts";
import { landing, legalMove, positionOf, type Line } from "../board/position.ts";
import type { Arrow } from "../board/drawing.ts";
import { figurines, spokenSan } from "../board/speech.ts";
import { makeSan } from "chessops/san";
import { makeSquare } from "chessops/util";
import { styled } from "../shared/styles.ts";
import { enLater } from "../texts/en_later.ts";
import { addEnglish, t } from "../texts/index.ts";
import { Graph } from "./graph.tsx";
import { openingOf } from "./openings.ts";
import { scoreText, whiteShare } from "./score.ts";
import { useEngine } from "./use_engine.ts";

addEnglish(enLater);
await styled(style, import.meta.url);

export interface AnalysisProps {
  readonly line: Line;
  readonly variant: Variant;
  /** The number of plies shown; all of them if `null`. */
  readonly shown: number | null;
  readonly onShow: (plies: number) => void;
  readonly onArrows: (arrows: readonly Arrow[]) => void;
  readonly onClose?: () => void;
  /** The analysis board with this game. */
  readonly board?: string;
}

export function Analysis({ line, variant, shown, onShow, onArrows, onClose, board }: AnalysisProps): JSX.Element {
  const at = Math.min(shown ?? line.plies.length, line.plies.length);
  const { status, evaluations } = useEngine(line, at, variant === "chess960");
  const here = evaluations[at];
  const fen = line.plies[at - 1]?.fen ?? line.start;
  const best = useMemo(() => bestMove(fen, here?.best[0]), [fen, here?.best[0]]);
  const isUsual = variant === "standard" && line.start.startsWith("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w");
  const opening = useMemo(() => (isUsual ? openingOf(openings, line.plies.map((ply) => ply.san)) : null), [line]);
  useEffect(() => onArrows(best ? [best.arrow] : []), [best?.arrow.from, best?.arrow.to, at]);
  useEffect(() => () => onArrows([]), []);
  const looked = evaluations.filter(Boolean).length;
  const share = here ? whiteShare(here.score) : 0.5;
  return (
    <section class="analysis" aria-label={t("analysis.title")}>
      <header>
        <b class="verdict">{here ? scoreText(here.score) : "…"}</b>
        <span class="best">{best && <><span aria-hidden="true">{figurines(best.san)}</span><span class="unseen">{t("analysis.best", { move: spokenSan(best.san) })}</span></>}</span>
        <small>{here && t("analysis.depth", { depth: here.depth })}</small>
        {board && <a href={board}>{t("analysis.board")}</a>}
        {onClose && <button type="button" class="quiet" aria-label={t("analysis.close")} title={t("analysis.close")} onClick={onClose}>✕</button>}
      </header>
      <div class="evaluation" role="img" aria-label={t("analysis.bar", { score: here ? scoreText(here.score) : "?" })}>
        <i style={{ width: `${share * 100}%` }} />
      </div>
      {line.plies.length > 0 && <Graph line={line} evaluations={evaluations} shown={at} onShow={onShow} />}
      {opening && <p class="opening">{opening}</p>}
      <p class="progress" role="status">
        {status === "loading" && t("analysis.loading")}
        {status === "failed" && t("analysis.failed")}
        {status === "ready" && looked <= line.plies.length && line.plies.length > 0 && t("analysis.running", { ply: looked, plies: line.plies.length })}
      </p>
    </section>
  );
}

/** The engine's move as an arrow and in SAN; castling points at the king's goal. */
function bestMove(fen: string, uci: string | undefined): { san: string; arrow: Arrow } | null {
  const position = positionOf(fen);
  const move = position && uci ? legalMove(position, uci) : null;
  if (!position || !move) return null;
  const [from, to] = [makeSquare(move.from), makeSquare(landing(position, move))];
  return { san: makeSan(position, move), arrow: { from, to, kind: "best" } };
}
