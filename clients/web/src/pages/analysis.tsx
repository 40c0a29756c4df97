/** Any game, pasted, opened or linked to as PGN, with the engine beside it. */

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";

import { Analysis } from "../analysis/analysis.tsx";
import { gameOf, headingOf, told, type Game, type Heading } from "../analysis/pgn.ts";
import { textOf } from "../analysis/pgn_file.ts";
import { readPgn, type Pgn, type Written } from "../analysis/pgn_text.ts";
import { Board } from "../board/board.tsx";
import { looking } from "../board/drawn.ts";
import type { Arrow } from "../board/marks.tsx";
import { isStill } from "../preferences.ts";
import type { Route } from "../router.ts";
import { usePreferences, type PageProps } from "../shared/hooks.ts";
import { counted, t } from "../texts/index.ts";
import { useKeys } from "./game_keys.ts";
import { Moves, Steps } from "./game_moves.tsx";
import "./game.css";

const NO_GAME: Written = { tags: new Map(), words: [], result: null, flaw: null, hasMore: false };

export function AnalysisPage({ route }: PageProps & { readonly route: Extract<Route, { page: "analysis" }> }): JSX.Element {
  const preferences = usePreferences();
  const [text, setText] = useState(route.query.get("pgn"));
  const pgn = useMemo(() => readPgn(text ?? ""), [text]);
  const [chosen, setChosen] = useState<number | null>(null);
  const at = chosen ?? Math.max(0, pgn.games.findIndex((it) => it.words.length > 0));
  const written = pgn.games[at] ?? NO_GAME;
  const game = useMemo(() => gameOf(written), [written]);
  const { line, variant } = game;
  const [wanted, setShown] = useState(0);
  const [isFlipped, setFlipped] = useState(false);
  const [arrows, setArrows] = useState<readonly Arrow[]>([]);
  const shown = Math.min(wanted, line.plies.length);
  const position = useMemo(() => looking(line, shown), [line, shown]);
  const show = (plies: number): void => setShown(Math.max(0, Math.min(line.plies.length, plies)));
  const choose = (index: number | null): void => (setChosen(index), setShown(0));
  const read = (given: string | null): void => (setText(given), choose(null));
  useKeys({
    step: (by) => show(shown + by),
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
          variant={variant}
          preferences={preferences}
          isStill={isStill()}
          arrows={arrows}
        />
      </div>
      <div class="area-panel">
        {pgn.games.length > 1 && <Games pgn={pgn} chosen={at} onChoose={choose} />}
        {pgn.games.length === 1 && <p class="study-players"><bdi>{titleOf(game)}</bdi> {game.result}</p>}
        {flawsIn(text, pgn, game).map((sentence) => <p class="study-said" role="alert" key={sentence}>{sentence}</p>)}
        <Analysis line={line} variant={variant} shown={shown} onShow={show} onArrows={setArrows} />
        <Moves line={line} shown={shown} onShow={show} />
        <div class="below-moves"><Steps line={line} shown={shown} onShow={show} /></div>
        {written.hasMore && <p class="study-said">{t("pgn.more")}</p>}
        <label class="study-pgn">
          {t("analysis.pgn")}
          <textarea rows={5} spellcheck={false} value={text ?? ""} onInput={(event) => read(event.currentTarget.value || null)} />
        </label>
        <label class="study-pgn">
          {t("analysis.file")}
          <input type="file" accept=".pgn,.txt,text/plain" onChange={(event) => void textIn(event.currentTarget).then(read)} />
        </label>
      </div>
    </div>
  );
}

interface GamesProps {
  readonly pgn: Pgn;
  readonly chosen: number;
  readonly onChoose: (index: number) => void;
}

function Games({ pgn, chosen, onChoose }: GamesProps): JSX.Element {
  const headings = useMemo(() => pgn.games.map(headingOf), [pgn]);
  return (
    <select aria-label={counted("pgn.games", headings.length)} value={chosen} onChange={(event) => onChoose(event.currentTarget.selectedIndex)}>
      {headings.map((heading, index) => (
        <option value={index} key={index}>{`${index + 1}. ${titleOf(heading)} ${heading.result}`}</option>
      ))}
    </select>
  );
}

function titleOf({ white, black }: Heading): string {
  return white === "?" && black === "?" ? t("pgn.unnamed") : `${white} – ${black}`;
}

/** The parts of the text that are not shown. `text` is `null` before the reader gave one. */
function flawsIn(text: string | null, pgn: Pgn, game: Game): readonly string[] {
  if (text === null) return [];
  const flaws = [game.flaw, pgn.flaw].filter((it) => it !== null).map(told);
  if (flaws.length) return flaws;
  if (!pgn.games.length) return [t("pgn.none")];
  return game.line.plies.length ? [] : [t("pgn.empty")];
}

async function textIn(input: HTMLInputElement): Promise<string> {
  const bytes = await input.files?.[0]?.arrayBuffer();
  // The same file may have changed when it is chosen again.
  input.value = "";
  return textOf(new Uint8Array(bytes ?? []));
}
