/** For the pages of games: the event that a game belongs to, and another game of the player's whose clock runs too. */

import type { JSX } from "preact";
import { isLive } from "../arbiter/mine.ts";
import type { GameState } from "../arbiter/model.ts";
import { at, type Route } from "../router.ts";
import type { PageProps } from "../shared/hooks.ts";
import { t } from "../texts/index.ts";
import { usePresence, useTournaments } from "./session.ts";

interface PlaceProps extends Pick<PageProps, "client"> {
  readonly game: GameState;
  readonly isMine: boolean;
}

/** `Club evening, round 3`, with a link back. */
export function Place({ client, game: { tournament, round, ply, result }, isMine }: PlaceProps): JSX.Element | null {
  const session = useTournaments(client, tournament, "place");
  const known = session?.book.tournaments.get(tournament ?? "");
  const isArena = known?.format === "arena" && known.status === "playing";
  usePresence(session, isMine && ply < 2 && result === null ? round : null, isMine && isArena && result !== null);
  if (tournament === null) return null;
  const event = known?.title || t("title.events");
  return <a href={at.event(tournament)} data-testid="game-event"><bdi>{t("events.gameOf", { event, round })}</bdi></a>;
}

/** Paired by an event while they play elsewhere, a player has two clocks that run. */
export function Elsewhere({ state, route }: Pick<PageProps, "state"> & { readonly route: Route }): JSX.Element | null {
  const shown = route.page === "game" ? route.game : null;
  const mine = [...state.games.values()].filter(({ me, confirmed }) => me !== null && confirmed?.result === null && isLive(confirmed));
  const other = mine.find(({ game }) => game !== shown);
  const isEvent = mine.some(({ confirmed }) => confirmed!.tournament !== null);
  if (!other || mine.length < 2 || !isEvent) return null;
  return (
    <section class="warning over" role="alert" data-testid="elsewhere">
      <p>{t(other.confirmed!.tournament === null ? "events.elsewhere" : "events.begun")}</p>
      <a class="button primary" href={at.game(other.game)}>{t("study.toGame")}</a>
    </section>
  );
}
