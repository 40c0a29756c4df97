/** For a player who looks elsewhere: an icon of the tab that counts the games in which they are to move, and notifications. */

import { gamesOf, isToMove } from "../arbiter/mine.ts";
import type { ArbiterClient, ClientState, GameView } from "../arbiter/model.ts";
import { preferences } from "../preferences.ts";
import { dueText } from "../pages/game_clock.ts";
import { attendPushes } from "../push/browser.ts";
import { at } from "../router.ts";
import { nameOf } from "../shared/npub.ts";
import { t } from "../texts/index.ts";

const SEEN = "arbiter.seen";

/** The turns that wait for this player, each by its game and ply. */
export function turnsIn({ games }: Pick<ClientState, "games">): ReadonlyMap<string, GameView> {
  return new Map(gamesOf(games).filter(isToMove).map((view) => [`${view.game} ${view.confirmed.ply}`, view]));
}

/** An icon with this number, as an address. */
export function icon(count: number): string {
  const text = count > 9 ? "9+" : String(count);
  return `data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="#2c6e3f"/>` +
      `<text x="32" y="48" font-family="sans-serif" font-size="${text.length > 1 ? 34 : 46}" font-weight="700" text-anchor="middle" fill="#fff">${text}</text></svg>`,
  )}`;
}

/** Follows the client's games until the page ends. */
export function attend(client: ArbiterClient): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const usual = link?.getAttribute("href") ?? "";
  const told = new Map<string, Notification>();
  let known: ReadonlyMap<string, GameView> | null = null;
  const look = (): void => {
    const turns = turnsIn(client.state());
    const wanted = turns.size > 0 ? icon(turns.size) : usual;
    if (link && link.getAttribute("href") !== wanted) link.setAttribute("href", wanted);
    for (const [turn, notice] of told) if (!turns.has(turn)) (notice.close(), told.delete(turn));
    // Those that waited when the page was opened are no news.
    const before = known;
    known = turns;
    if (before && document.hidden) for (const [turn, view] of turns) if (!before.has(turn)) void tell(client, turn, view, told);
  };
  client.subscribe(look);
  look();
  void attendPushes(client).catch(() => {});
  const turned = (): void => {
    if (document.hidden) return;
    for (const notice of told.values()) notice.close();
    told.clear();
    hold();
  };
  document.addEventListener("visibilitychange", turned);
  turned();
}

/** Holds a lock while the page is seen, for other tabs of it to find. */
function hold(): void {
  void navigator.locks?.request(SEEN, { mode: "shared" }, () => new Promise<void>((done) => {
    const left = (): void => {
      if (!document.hidden) return;
      document.removeEventListener("visibilitychange", left);
      done();
    };
    document.addEventListener("visibilitychange", left);
  })).catch(() => {});
}

async function tell(client: ArbiterClient, turn: string, view: GameView, told: Map<string, Notification>): Promise<void> {
  const { game, me, confirmed } = view;
  if (!confirmed || preferences().turns !== "on" || globalThis.Notification?.permission !== "granted") return;
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  if (held.some(({ name }) => name === SEEN)) return;
  const { clockOffsetMs } = client.state();
  const title = `${t("game.yourTurn")} — ${nameOf(client.state(), me === "white" ? confirmed.black : confirmed.white)}`;
  const url = at.game(game);
  // A pushed one of the same game has this tag too, and takes its place.
  const options = { body: dueText(confirmed, Date.now() + clockOffsetMs, clockOffsetMs), tag: `turn:${game}`, data: { url } };
  try {
    const notice = new Notification(title, options);
    notice.onclick = () => {
      focus();
      location.hash = url;
    };
    told.set(turn, notice);
  } catch {
    // Android's browsers leave it to the service worker.
    void navigator.serviceWorker?.ready.then((worker) => worker.showNotification(title, options)).catch(() => {});
  }
}
