/** Any game, pasted or linked to as PGN, with the engine beside it. */

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";

import { Analysis } from "../analysis/analysis.tsx";
import { importPgn } from "../analysis/pgn.ts";
import type { GameView } from "../arbiter/model.ts";
import { Board } from "../board/board.tsx";
import { drawn } from "../board/drawn.ts";
import { lineFrom } from "../board/position.ts";
import type { Arrow } from "../board/marks.tsx";
import { isStill } from "../preferences.ts";
import type { Route } from "../router.ts";
import { usePreferences, type PageProps } from "../shared/hooks.ts";
import { t } from "../texts/index.ts";
import { useKeys } from "./game_keys.ts";
import { Moves, Steps } from "./game_moves.tsx";
import { INITIAL_FEN } from "chessops/fen";
import "./game.css";

const NO_GAME: GameView = {
  game: "", me: null, confirmed: null, pendingMove: null, pendingWords: [], premoves: [],
  refused: null, chat: [], note: null, strikes: null,
};

export function AnalysisPage({ route }: PageProps & { readonly route: Extract<Route, { page: "analysis" }> }): JSX.Element {
  const preferences = usePreferences();
  const [pgn, setPgn] = useState(route.query.get("pgn") ?? "");
  const imported = useMemo(() => importPgn(pgn), [pgn]);
  const line = useMemo(() => imported?.line ?? lineFrom(INITIAL_FEN, [], null)!, [imported]);
  const [shown, setShown] = useState(0);
  const [isFlipped, setFlipped] = useState(false);
  const [arrows, setArrows] = useState<readonly Arrow[]>([]);
  const at = Math.min(shown, line.plies.length);
  const position = useMemo(() => drawn({ ...NO_GAME }, line, at, null), [line, at]);
  const show = (plies: number): void => setShown(Math.max(0, Math.min(line.plies.length, plies)));
  useKeys({
    step: (by) => show(at + by),
    first: () => show(0),
    last: () => show(line.plies.length),
    flip: () => setFlipped(!isFlipped),
    cancel: () => undefined,
    confirm: null,
  });
  return (
    <div class="match study">
      <h1 class="unseen">{t("analysis.title")}</h1>
      <div class="area-board">
        <Board
          drawn={position}
          orientation={isFlipped ? "black" : "white"}
          color={null}
          variant={imported?.variant ?? "standard"}
          preferences={preferences}
          isStill={isStill()}
          arrows={arrows}
        />
      </div>
      <div class="area-panel">
        {imported && <p class="study-players"><bdi>{imported.white}</bdi> – <bdi>{imported.black}</bdi></p>}
        <Analysis line={line} variant={imported?.variant ?? "standard"} shown={at} onShow={show} onArrows={setArrows} />
        <Moves line={line} shown={at} onShow={show} />
        <div class="below-moves"><Steps line={line} shown={at} onShow={show} /></div>
        <label class="study-pgn">
          {t("analysis.pgn")}
          <textarea rows={5} spellcheck={false} value={pgn} onInput={(event) => (setPgn(event.currentTarget.value), setShown(0))} />
        </label>
        {pgn.trim() && !imported && <p role="alert">{t("analysis.unreadable")}</p>}
      </div>
    </div>
  );
}
