/** One game: to play, to watch, to look at after its end. */

import type { ComponentType, JSX } from "preact";
import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";

import type { AnalysisProps } from "../analysis/analysis.tsx";
import { isLive, isToMove, nextToMove } from "../arbiter/mine.ts";
import type { ClientState, Color, GameState, GameView } from "../arbiter/model.ts";
import { Board } from "../board/board.tsx";
import { drawn as drawnOf } from "../board/drawn.ts";
import { turnOf } from "../shared/fen.ts";
import type { Arrow } from "../board/drawing.ts";
import { MAX_COUNTED, spectatorsIn } from "../lists.ts";
import { isStill, type Preferences } from "../preferences.ts";
import { at, type Route } from "../router.ts";
import { AccountContext } from "../shared/account.ts";
import { Afterwards } from "../shared/afterwards.tsx";
import { useLoaded, usePolled, usePreferences, type PageProps } from "../shared/hooks.ts";
import { later, part } from "../shared/later.tsx";
import { nameOf, npubOf } from "../shared/npub.ts";
import { termsText } from "../shared/terms_text.tsx";
import { play } from "../sounds.ts";
import { t } from "../texts/index.ts";
import { Actions, Banners, bannerTexts } from "./game_actions.tsx";
import { End } from "./game_end.tsx";
import { useArbiterTime, useLastDraw, useLine, useTurnedDown } from "./game_hooks.ts";
import { Icon } from "./game_icons.tsx";
import { useKeys } from "./game_keys.ts";
import { Connection, Tools } from "./game_menu.tsx";
import { Moves, Steps } from "./game_moves.tsx";
import { vacationText } from "./game_clock.ts";
import { News } from "./game_news.tsx";
import { PlayerBar } from "./game_player.tsx";
import { choices as choicesOf, endText } from "./game_rules.ts";
import { TypedField } from "./game_typed.tsx";
import "./game.css";

const COUNT_MS = 30_000;
const Chat = part((all) => all.Chat);
const NameQuestion = part((all) => all.NameQuestion);
const TurnsQuestion = part((all) => all.TurnsQuestion);
const Place = part((all) => all.Place);

interface GamePageProps extends PageProps {
  readonly route: Extract<Route, { page: "game" }>;
}

export function GamePage({ client, state, route }: GamePageProps): JSX.Element {
  const { game } = route;
  const view = state.games.get(game) ?? null;
  const isMine = state.playing === game;
  useEffect(() => (isMine ? undefined : client.watch(game)), [client, game, isMine]);
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 6000);
    return () => clearTimeout(timer);
  }, [game]);
  if (!view?.confirmed) {
    return <p class="game-missing" role="status">{t(isLate ? "game.unknown" : "game.loading")}</p>;
  }
  return <Game client={client} state={state} view={view} game={view.confirmed} />;
}

interface GameProps extends PageProps {
  readonly view: GameView;
  readonly game: GameState;
}

function Game({ client, state, view, game }: GameProps): JSX.Element {
  const preferences = usePreferences();
  const isSignedElsewhere = useContext(AccountContext)?.signer.kind === "bunker";
  const line = useLine(game);
  const [shown, setShown] = useState<number | null>(null);
  const [isFlipped, setFlipped] = useState(false);
  const [unsent, setUnsent] = useState<string | null>(null);
  const [answer, setAnswer] = useState("");
  const [isStudying, setStudying] = useState(false);
  const [arrows, setArrows] = useState<readonly Arrow[]>([]);
  const { pendingMove, premoves, refused, me } = view;
  const drawn = useMemo(
    () => drawnOf(view, line, shown, unsent),
    [game, line, shown, unsent, pendingMove, premoves, refused, me],
  );
  const choices = choicesOf(view, line, useLastDraw(view), useArbiterTime(game, view.me, state.clockOffsetMs));
  const names = [nameOf(state, game.white), nameOf(state, game.black)] as const;
  const banners = { view, choices, offerer: names[game.offer?.by === "black" ? 1 : 0], unsent: unsent && (drawn.pending?.san ?? unsent), turnedDown: useTurnedDown(view, game) };
  const texts = [...(game.result === null ? [] : [endText(game)]), ...bannerTexts(banners)];
  const bottom: Color = (me ?? "white") === "white" ? (isFlipped ? "black" : "white") : isFlipped ? "white" : "black";
  const canStudy = game.result !== null && line !== null && line.plies.length > 0;
  const isMyTurn = me !== null && turnOf(game.fen) === me;
  const isMine = me !== null && !isToMove(view) && !(isLive(game) && game.result === null);
  const next = isMine ? nextToMove(state.games, view.game) : null;

  useEffect(() => setUnsent(null), [game.ply, game.result]);
  // A player who looks back comes to the board when they are to move.
  useEffect(() => {
    if (isMyTurn && game.result === null) setShown(null);
  }, [game.ply]);

  function move(uci: string): void {
    if (drawn.mode === "move" && mustConfirm(preferences, game)) setUnsent(uci);
    else client.move(view.game, uci);
  }
  function confirm(): void {
    if (unsent) client.move(view.game, unsent);
    setUnsent(null);
  }
  function show(plies: number): void {
    const count = line?.plies.length ?? 0;
    setShown(plies >= count ? null : Math.max(0, plies));
  }
  const clear = (): void => client.clearPremoves(view.game);
  // A typed move was confirmed by Enter.
  const known = { client, state, view, drawn, line, choices, names, onMove: (uci: string) => client.move(view.game, uci), onClear: clear };
  const tell = (text: string): void =>
    void later().then(({ obey }) => setAnswer(obey(text, known)), () => setAnswer(t("app.failed")));
  useKeys({
    step: (by) => show((shown ?? line?.plies.length ?? 0) + by), first: () => show(0), last: () => show(Infinity),
    flip: () => setFlipped(!isFlipped), cancel: () => (unsent ? setUnsent(null) : clear()),
    confirm: unsent ? confirm : null,
  });

  // Most states say nothing new to these, and what has not changed is not compared again.
  const latest = useRef({ move, clear, tell, show });
  latest.current = { move, clear, tell, show };
  const board = useMemo(
    () => (
      <Board
        drawn={drawn} orientation={bottom} color={me} variant={game.variant} preferences={preferences}
        isStill={isStill()} arrows={arrows} onMove={(uci) => latest.current.move(uci)}
        onCancel={() => latest.current.clear()} onCommand={(key) => latest.current.tell(key)}
        data={{ fen: game.fen, pending: pendingMove !== null, result: game.result }}
      />
    ),
    [drawn, bottom, me, game, preferences, arrows, pendingMove !== null],
  );
  const moves = useMemo(
    () => <Moves line={line} areLeftOut={game.moves === null} shown={shown} onShow={(plies) => latest.current.show(plies)} />,
    [line, game.moves === null, shown],
  );
  const chat = useMemo(
    () => <Chat client={client} state={state} view={view} />,
    [client, view.chat, me, game.result, state.profiles, state.ratings],
  );
  const http = game.result === null ? state.arbiter?.http : null;
  // A relay may show the game before the arbiter's own has the subscription, by which it counts.
  const spectators = usePolled(http ? `${http}/games/${game.game}/spectators` : null, spectatorsIn, COUNT_MS).value || (http && me === null ? 1 : 0);
  const watching = [
    me === null && t("game.watching"),
    spectators > 0 && t("game.spectators", { count: spectators < MAX_COUNTED ? spectators : `${MAX_COUNTED}+` }),
  ];
  const bar = (color: Color): JSX.Element => (
    <PlayerBar
      client={client} state={state} game={game} color={color} isMe={color === me} board={drawn.position?.board ?? null}
      note={view.note} status={statusOf(state, view, color, isSignedElsewhere)} tenths={preferences.tenths}
      onLow={color === me ? () => play("low") : null}
    />
  );
  return (
    <div class={`match ${preferences.zen ? "zen" : ""} ${game.result === null ? "" : "over"} ${isStudying ? "studying" : ""}`}>
      <h1 class="unseen">{t("game.title", { white: names[0], black: names[1] })}</h1>
      <News view={view} line={line} texts={texts} isOffline={game.result === null && isOffline(state)} />
      <Afterwards><div class="area-top">{bar(bottom === "white" ? "black" : "white")}</div></Afterwards>
      <div class="area-board">{board}</div>
      <Afterwards>
        <div class="area-bottom">{bar(bottom)}</div>
        <div class="area-panel">
          <header class="game-head">
            <p class="terms">
              {game.tournament && <Place client={client} game={game} isMine={me !== null} />}
              {[termsText(game), ...watching].filter(Boolean).join(" · ")}
            </p>
            <Connection relays={state.relays} />
          </header>
          {moves}
          <div class="below-moves">
            <Steps line={line} shown={shown} onShow={show} />
            <Tools
              preferences={preferences} onFlip={() => setFlipped(!isFlipped)} game={game} line={line} note={view.note}
              client={client} state={state} npubs={[npubOf(game.white), npubOf(game.black)]} names={names}
              fen={drawn.fen} marked={drawn.lastMove} orientation={bottom}
            />
          </div>
          <div class="below-moves">
            {shown !== null && game.result === null && (
              <button type="button" class="quiet" onClick={() => setShown(null)}>{t("game.back")}</button>
            )}
            {premoves.length > 0 && (
              <button type="button" class="quiet" onClick={clear}>
                <Icon name="abort" /> {t("game.premoves", { count: premoves.length })}
                <span class="unseen">{t("game.premoves.clear")}</span>
              </button>
            )}
          </div>
          {me && game.result === null && <TypedField onLine={tell} answer={answer} />}
          {isStudying && line && (
            <Study line={line} variant={game.variant} shown={shown} onShow={show} onArrows={setArrows} onClose={() => setStudying(false)} board={`${at.analysis}?game=${game.game}`} />
          )}
        </div>
        <div class="area-actions">
          <End view={view} />
          <Banners {...banners} client={client} onConfirm={confirm} onForget={() => setUnsent(null)} />
          <Actions client={client} view={view} choices={choices}>
            {next !== null && (
              <a class="button action" href={at.game(next)} data-testid="next-game"><Icon name="next" /><span>{t("games.next")}</span></a>
            )}
            {canStudy && !isStudying && (
              <button type="button" class="action" onClick={() => setStudying(true)}>
                <Icon name="chart" /><span>{t("analysis.open")}</span>
              </button>
            )}
            {game.result !== null && me && <a class="button action" href={at.lobby}><span>{t("end.lobby")}</span></a>}
          </Actions>
        </div>
        <div class="area-chat">
          {me && game.ply > 1 && <NameQuestion client={client} state={state} />}
          {me && <TurnsQuestion game={game} hasMoved={game.ply > (isMyTurn ? 1 : 0)} />}
          {chat}
        </div>
      </Afterwards>
    </div>
  );
}

/** Without a network, or after another release, the engine does not come: the game is still there. */
const loadAnalysis = () => import("../analysis/analysis.tsx").then(({ Analysis }) => Analysis, () => Failed);

function Failed(): JSX.Element {
  return <p role="alert">{t("analysis.failed")}</p>;
}

function Study(props: AnalysisProps): JSX.Element {
  const Analysis = useLoaded<ComponentType<AnalysisProps>>(loadAnalysis);
  return Analysis ? <Analysis {...props} /> : <p role="status">{t("analysis.loading")}</p>;
}

function mustConfirm({ confirmMoves }: Preferences, game: GameState): boolean {
  return confirmMoves === "always" || (confirmMoves === "correspondence" && game.time?.kind === "days");
}

/** A word to the player about the side to move, or about an opponent who has left. */
function statusOf(state: ClientState, view: GameView, color: Color, isSignedElsewhere: boolean): string | null {
  const { confirmed: game, pendingMove, me } = view;
  if (!game || game.result !== null) return null;
  if (isOffline(state) && color === (me ?? "white")) return t(pendingMove ? "game.offline" : "game.silent");
  const vacation = pendingMove && color === me ? null : vacationText(game, color, Date.now() + state.clockOffsetMs, state.clockOffsetMs);
  if (vacation) return vacation;
  if (me === null) return game.away[color] === null ? null : t("game.away");
  if (pendingMove?.eventId === null && isSignedElsewhere && color === me) return t("waiting.signing");
  if (pendingMove && color === me) return t(pendingMove.times > 1 ? "game.resending" : "game.sending");
  if (game.away[color] !== null && color !== me) return t("game.away");
  if (pendingMove || turnOf(game.fen) !== color) return null;
  return t(color === me ? "game.yourTurn" : "game.theirTurn");
}

const isOffline = ({ relays }: ClientState): boolean => relays.every(({ status }) => status !== "connected");
