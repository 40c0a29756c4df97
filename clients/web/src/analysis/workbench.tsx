/** A board on which both sides are moved, the tree of what was tried, and the engine beside it. */

import { makeFen } from "chessops/fen";
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";

import type { GameState } from "../arbiter/model.ts";
import { Board } from "../board/board.tsx";
import { legalDestinations } from "../board/destinations.ts";
import { looking, type Drawn } from "../board/drawn.ts";
import type { Arrow } from "../board/drawing.ts";
import { placeOf, played, type Line } from "../board/position.ts";
import { turnOf } from "../shared/fen.ts";
import { announced } from "../board/speech.ts";
import { typed } from "../board/typed.ts";
import { seen } from "../pages/game_commands.ts";
import { Icon, type IconName } from "../pages/game_icons.tsx";
import { useKeys } from "../pages/game_keys.ts";
import { Steps } from "../pages/game_moves.tsx";
import { TypedField } from "../pages/game_typed.tsx";
import { isStill } from "../preferences.ts";
import { usePreferences } from "../shared/hooks.ts";
import { play } from "../sounds.ts";
import { t, type TextKey } from "../texts/index.ts";
import { Analysis } from "./analysis.tsx";
import { ConditionalMoves } from "./conditional_moves.tsx";
import { isChess960, readFen } from "./fen.ts";
import { FenField } from "./fen_field.tsx";
import type { OwnGame } from "./lines_session.ts";
import { LONGEST } from "./openings.ts";
import { gameOf, titleOf, told, writePgn, type Game } from "./pgn.ts";
import { readPgn, type Pgn, type Written } from "./pgn_text.ts";
import { PgnFields } from "./pgn_fields.tsx";
import { BEGINNING, deleted, depthOf, lineThrough, placeAt, promoted, withMove, type Place, type Study } from "./study.ts";
import { Tree } from "./tree.tsx";

const NO_GAME: Written = { tags: new Map(), words: [], result: null, flaw: null, hasMore: false };

interface WorkbenchProps {
  readonly pgn: string | null;
  readonly fen: string | null;
  /** The reader's games that are not over. */
  readonly mine: readonly GameState[];
  /** The reader's game that goes on here. */
  readonly own?: OwnGame;
}

/** The reader's work on what was given. */
interface Work {
  readonly of: Study;
  readonly study: Study;
  readonly place: Place;
  /** Before the last deletion. */
  readonly undo: Work | null;
}

export function Workbench({ pgn: firstPgn, fen: firstFen, mine, own }: WorkbenchProps): JSX.Element {
  const preferences = usePreferences();
  const [firstFlaw] = useState(() => flawOf(firstFen));
  const [given, setGiven] = useState({ pgn: firstPgn, fen: firstFlaw ? null : firstFen });
  const pgn = useMemo(() => readPgn(given.pgn ?? ""), [given.pgn]);
  const [chosen, setChosen] = useState<number | null>(null);
  const index = chosen ?? Math.max(0, pgn.games.findIndex((it) => it.words.length > 0));
  const written = pgn.games[index] ?? NO_GAME;
  const game = useMemo(() => gameOf(written), [written]);
  const initial = useMemo(() => studyOf(game, given.fen), [game, given.fen]);
  const [kept, setKept] = useState<Work | null>(null);
  const work: Work = kept?.of === initial ? kept : { of: initial, study: initial, place: own ? { turns: [], plies: own.game.ply } : BEGINNING, undo: null };
  const { study, place } = work;
  const line = useMemo(() => lineThrough(study, place), [study, place.turns]);
  const shown = depthOf(place);
  const drawn = useMemo(() => drawnAt(line, shown), [line, shown]);
  const [isFlipped, setFlipped] = useState(own?.me === "black");
  const [arrows, setArrows] = useState<readonly Arrow[]>([]);
  const [answer, setAnswer] = useState("");
  const [hasEngine, setEngine] = useState(firstPgn !== null || firstFen !== null);
  const isOwn = own !== undefined || isOfOne(mine, line);

  const change = ([next, to]: [Study, Place], undo = work.undo): void => setKept({ of: initial, study: next, place: to, undo });
  const go = (to: Place): void => change([study, to]);
  const show = (plies: number): void => go(placeAt(place, Math.max(0, Math.min(line.plies.length, plies))));
  const read = (text: string | null): void => (setGiven({ pgn: text, fen: null }), setChosen(null));
  function move(uci: string): void {
    const ply = drawn.position && played(drawn.position.clone(), uci);
    if (!ply) return;
    play(ply.check ? "check" : ply.captured ? "capture" : "move");
    change(withMove(study, place, ply));
  }
  function setUp(fen: string): TextKey | null {
    const flaw = flawOf(fen);
    if (!flaw) setGiven({ pgn: null, fen });
    return flaw;
  }
  function obey(text: string): string {
    const meant = typed(text, drawn.position, false, study.variant);
    switch (meant.kind) {
      case "move": return (move(meant.uci), "");
      case "clear": return "";
      case "unclear": return t("typed.unclear", { text: text.trim().slice(0, 40) });
      case "last": return shown ? announced([line.plies[shown - 1]!.san], 1) : t("typed.noMoves");
      case "pieces":
      case "scan": return seen(meant, drawn, line);
      case "help": return `${t("study.help")} ${t("board.help")}`;
      default: return t("typed.notNow", { text: text.trim().slice(0, 40) });
    }
  }
  const step = (by: number): void => show(shown + by);
  const flip = (): void => setFlipped(!isFlipped);
  useKeys({ step, first: () => show(0), last: () => show(Infinity), flip, cancel: () => undefined, confirm: null });
  const tool = (icon: IconName, text: TextKey, isPossible: boolean, act: () => void): JSX.Element => (
    <button type="button" class="quiet" aria-label={t(text)} title={t(text)} disabled={!isPossible} onClick={act}><Icon name={icon} /></button>
  );
  return (
    <div class="match study">
      <h1 class="unseen">{t("analysis.title")}</h1>
      <p class="unseen" aria-live="assertive" data-testid="status">
        {shown ? announced([line.plies[shown - 1]!.san], shown) : t("game.first")}
      </p>
      <div class="area-board">
        <Board
          drawn={drawn} orientation={isFlipped ? "black" : "white"} color={turnOf(drawn.fen)} variant={study.variant}
          preferences={preferences} isStill={isStill()} arrows={arrows} onMove={move}
          onCommand={(key) => setAnswer(obey(key))}
        />
      </div>
      <div class="area-panel">
        {pgn.games.length === 1 && <p class="study-players"><bdi>{titleOf(game)}</bdi> {game.result}</p>}
        {!own && flawsIn(given.pgn, pgn, game).map((sentence) => <p class="study-said" role="alert" key={sentence}>{sentence}</p>)}
        {isOwn && <p class="study-said" role="status">{t("study.own")}</p>}
        {hasEngine && !isOwn && <Analysis line={line} variant={study.variant} shown={shown} onShow={show} onArrows={setArrows} />}
        {written.comment && <p class="study-said"><bdi>{written.comment}</bdi></p>}
        <Tree study={study} place={place} onGo={go} />
        {own && <ConditionalMoves {...own} line={line} shown={shown} />}
        <div class="below-moves" role="group" aria-label={t("study.tools")}>
          <Steps line={line} shown={shown} onShow={show} />
          <div class="tools-row">
            <button type="button" class="quiet" aria-pressed={hasEngine} disabled={isOwn} onClick={() => setEngine(!hasEngine)}>{t("study.engine")}</button>
            {tool("flip", "game.flip", true, flip)}
            {tool("promote", "study.promote", place.turns.length > 0, () => change(promoted(study, place)))}
            {tool("remove", "study.delete", shown > 0, () => change(deleted(study, place), work))}
            {work.undo && tool("takeback", "study.undo", true, () => setKept(work.undo))}
          </div>
        </div>
        <TypedField onLine={(text) => setAnswer(obey(text))} answer={answer} />
        <FenField fen={drawn.fen} flaw={firstFlaw} onFen={setUp} />
        {written.hasMore && <p class="study-said">{t("pgn.more")}</p>}
        <PgnFields
          pgn={pgn} chosen={index} onChoose={setChosen} text={given.pgn} onText={read}
          write={() => writePgn(study, new Map([...[...written.tags].map(([name, { text }]) => [name, text] as const), ["Result", game.result]]), written.comment)}
        />
      </div>
    </div>
  );
}

function flawOf(fen: string | null): TextKey | null {
  const read = fen === null ? null : readFen(fen);
  return typeof read === "string" ? read : null;
}

function studyOf({ line, variant, moves }: Game, fen: string | null): Study {
  const position = fen === null ? null : readFen(fen);
  if (position === null || typeof position === "string") return { start: line.start, variant, moves };
  return { start: makeFen(position.toSetup()), variant: isChess960(position) ? "chess960" : "standard", moves: [] };
}

function drawnAt(line: Line, shown: number): Drawn {
  const drawn = looking(line, shown);
  return drawn.position ? { ...drawn, mode: "move", destinations: legalDestinations(drawn.position) } : drawn;
}

/** Whether the line comes to where a game of the reader is; beginnings that have names are known to all. */
function isOfOne(mine: readonly GameState[], { start, plies }: Line): boolean {
  const places = mine.filter(({ ply }) => ply > LONGEST).map(({ fen }) => placeOf(fen));
  return places.length > 0 && [start, ...plies.map(({ fen }) => fen)].some((fen) => places.includes(placeOf(fen)));
}

/** The parts of the text that are not shown. `text` is `null` before the reader gave one. */
function flawsIn(text: string | null, pgn: Pgn, game: Game): readonly string[] {
  if (text === null) return [];
  const flaws = [game.flaw, game.sideFlaw, pgn.flaw].filter((it) => it !== null).map(told);
  if (flaws.length) return flaws;
  if (!pgn.games.length) return [t("pgn.none")];
  return game.line.plies.length ? [] : [t("pgn.empty")];
}
