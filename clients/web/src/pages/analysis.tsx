/** The analysis board: from the first position, of a FEN, of games in PGN, of a game that is over. */

import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";

import { Workbench } from "../analysis/workbench.tsx";
import type { ClientState, GameState } from "../arbiter/model.ts";
import { lineOf } from "../board/position.ts";
import { at, type Route } from "../router.ts";
import type { PageProps } from "../shared/hooks.ts";
import { nameOf } from "../shared/npub.ts";
import { t, type TextKey } from "../texts/index.ts";
import { pgnOf } from "./game_export.ts";

export function AnalysisPage(props: PageProps & { readonly route: Extract<Route, { page: "analysis" }> }): JSX.Element {
  const { state, route } = props;
  const mine = runningOf(state);
  const live = mine.find(({ time }) => time?.kind === "live");
  const game = route.query.get("game");
  if (live) return <Closed game={live.game} text="study.live" />;
  if (game) return <OfGame {...props} game={game} mine={mine} />;
  return <Workbench pgn={route.query.get("pgn")} fen={route.query.get("fen")} mine={mine} />;
}

/** The reader's own games that are not over. */
function runningOf({ games }: ClientState): readonly GameState[] {
  return [...games.values()].flatMap(({ me, confirmed }) => (me && confirmed?.result === null ? [confirmed] : []));
}

interface OfGameProps extends PageProps {
  readonly game: string;
  readonly mine: readonly GameState[];
}

/** The moves of a game are the main line, once it is over; in one of the reader that is slow conditional moves follow them. */
function OfGame({ client, state, game, mine }: OfGameProps): JSX.Element {
  const confirmed = state.games.get(game)?.confirmed ?? null;
  const isMine = state.playing === game;
  const [pgn, setPgn] = useState<string | null>(null);
  useEffect(() => (isMine ? undefined : client.watch(game)), [client, game, isMine]);
  useEffect(() => {
    // Once: the names that come later are no reason to lose the reader's variations.
    const line = confirmed?.result != null && pgn === null && lineOf(confirmed, null);
    if (line) setPgn(pgnOf(confirmed, line, [nameOf(state, confirmed.white), nameOf(state, confirmed.black)], location.href));
  }, [confirmed]);
  const me = state.games.get(game)?.me;
  const running = confirmed?.result === null ? confirmed : null;
  const line = useMemo(() => (running && me && running.time?.kind !== "live" ? lineOf(running, null) : null), [running?.fen, me]);
  if (running && me && line) {
    const names = [nameOf(state, running.white), nameOf(state, running.black)] as const;
    return <Workbench key={running.fen} pgn={pgnOf(running, line, names, location.href)} fen={null} mine={mine} own={{ client, game: running, me }} />;
  }
  if (running) return <Closed game={game} text="study.running" />;
  if (confirmed?.moves === null) return <Closed game={game} text="game.moves.tooMany" />;
  if (pgn === null) return <Closed game={game} text="game.loading" />;
  return <Workbench pgn={pgn} fen={null} mine={mine} />;
}

function Closed({ game, text }: { readonly game: string; readonly text: TextKey }): JSX.Element {
  return (
    <section class="card narrow study-closed">
      <h1>{t("analysis.title")}</h1>
      <p role="status">{t(text)}</p>
      <p><a class="button" href={at.game(game)}>{t("study.toGame")}</a></p>
    </section>
  );
}
