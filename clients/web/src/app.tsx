/** The page around the pages: header, notices, the page of the address. */

import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ComponentType, JSX } from "preact";
import type { GameId, GameState } from "./arbiter/model.ts";
import { ChallengePage } from "./pages/challenge.tsx";
import { LobbyPage } from "./pages/lobby.tsx";
import { at, routeIn, type Route } from "./router.ts";
import { AccountContext } from "./shared/account.ts";
import { useClientState, useLoaded, usePreferences, type PageProps } from "./shared/hooks.ts";
import { later, part } from "./shared/later.tsx";
import { tabTitle } from "./shared/title.ts";
import { Header } from "./shell/header.tsx";
import { Notices } from "./shell/notices.tsx";
import { isTextKey, t } from "./texts/index.ts";

type Page = ComponentType<PageProps & { readonly route: Route }>;

/** The pages that are loaded when they are asked for. */
const PAGES: Readonly<Partial<Record<Route["page"], () => Promise<Page>>>> = {
  game: whole(async () => (await import("./pages/game.tsx")).GamePage as Page),
  challenge: whole(async () => ChallengePage as Page),
  player: whole(async () => (await later()).PlayerPage as Page),
  leaderboard: whole(async () => (await later()).LeaderboardPage as Page),
  tv: whole(async () => (await later()).TvPage as Page),
  events: whole(async () => (await import("./tournaments/pages.tsx")).EventsPage as Page),
  analysis: whole(async () => (await import("./pages/analysis.tsx")).AnalysisPage as Page),
  settings: whole(async () => (await later()).SettingsPage as Page),
};

const KeyWarning = part((all) => all.KeyWarning);
const Elsewhere = part((all) => all.Elsewhere);
const Looking = part((all) => all.Looking);

/** Without a network, or after a release with other files, there is a page that says so. */
function whole(load: () => Promise<Page>): () => Promise<Page> {
  return () => load().catch(() => Unloaded);
}

function Unloaded(): JSX.Element {
  return <Trouble text={t("app.failed")} retry={() => location.reload()} />;
}

/** A message about a fault, and a button. */
export function Trouble({ text, retry }: { readonly text: string; readonly retry: () => void }): JSX.Element {
  return (
    <section class="card narrow" role="alert">
      <p>{text}</p>
      <button type="button" class="primary" onClick={retry}>{t("app.retry")}</button>
    </section>
  );
}

/** Brings the files of a game before there is one. */
export async function preload(): Promise<void> {
  await PAGES.game?.();
}

export function App({ client }: Pick<PageProps, "client">): JSX.Element {
  const state = useClientState(client);
  const { zen } = usePreferences();
  const [hash, setHash] = useState(location.hash);
  const route = routeIn(hash);
  const main = useRef<HTMLElement>(null);
  const account = useContext(AccountContext);

  useEffect(() => {
    const changed = (): void => {
      setHash(location.hash);
      window.scrollTo(0, 0);
      main.current?.focus({ preventScroll: true });
    };
    addEventListener("hashchange", changed);
    setHash(location.hash); // it may have changed since the first drawing
    return () => removeEventListener("hashchange", changed);
  }, []);
  const title = tabTitle(state, route.page === "game" ? route.game : null, titleOf(route));
  useEffect(() => {
    document.title = title === titleOf({ page: "lobby" }) ? title : `${title} · ${t("app.name")}`;
  }, [title]);
  const seek = state.waiting.find(({ kind, isBack, terms }) => kind === "pool" && (isBack || terms?.time?.kind !== "days"));
  const mine = state.games.get(state.playing ?? "")?.confirmed ?? null;
  useNewGame(mine, state.isResumed);

  const props = { client, state, route };
  // A game's states come often, and few change what the header shows.
  const header = useMemo(() => <Header {...props} />, [state.relays, state.me, state.profiles, state.arbiter, hash]);
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        {t("app.skip")}
      </a>
      {!(zen && route.page === "game") && header}
      {account && (account.fellBack || !account.identity.lasts) && <KeyWarning account={account} />}
      {route.page !== "lobby" && seek && <Looking client={client} seek={seek} key={hash} />}
      {state.games.size > 1 && <Elsewhere state={state} route={route} />}
      {route.page !== "lobby" && mine?.result !== null && state.challenges.length > 0 && (
        <section class="warning over" role="status">
          <a href={at.lobby} data-testid="inbox">{t("challenge.title")} ({state.challenges.length})</a>
        </section>
      )}
      <main id="main" tabIndex={-1} ref={main} class={`page ${route.page}`}><PageOf {...props} /></main>
      <Notices client={client} state={state} />
    </>
  );
}

function PageOf(props: PageProps & { readonly route: Route }): JSX.Element {
  const { page } = props.route;
  const load = PAGES[page];
  const Loaded = useLoaded(load ?? nothing);
  if (page === "lobby") return <LobbyPage {...props} />;
  if (!load) return <NotFound />;
  // A key of its own for each address: a page about another player begins anew.
  return Loaded ? <Loaded {...props} key={location.hash} /> : <p class="loading">{t("app.loading")}</p>;
}

const nothing = async (): Promise<null> => null;

/**
 * Opens the board when a game begins, and that of a live one at a visit. A slow game that was under
 * way before is the lobby's to offer.
 */
function useNewGame(mine: GameState | null, isResumed: boolean): void {
  const known = useRef<GameId | null>(null);
  useEffect(() => {
    if (!mine || mine.result !== null || known.current === mine.game) return;
    const isListed = mine.time?.kind === "days" && routeIn(location.hash).page === "lobby";
    if (isResumed && mine.time?.kind !== "live" && (mine.ply >= 2 || isListed)) return;
    known.current = mine.game;
    location.hash = at.game(mine.game);
  }, [mine, isResumed]);
}

function NotFound(): JSX.Element {
  return (
    <section class="card narrow">
      <h1>{t("notFound.title")}</h1>
      <p><a href={at.lobby}>{t("notFound.toLobby")}</a></p>
    </section>
  );
}

function titleOf({ page }: Route): string {
  if (page === "lobby") return t("app.title");
  const key = `title.${page}`;
  return isTextKey(key) ? t(key) : t("notFound.title");
}
