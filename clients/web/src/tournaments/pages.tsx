/** Pages of events, which no move waits for: all of them, one, the form of a new one. */

import laterStyle from "url:../pages/later.css";
import style from "url:./tournaments.css";

import type { JSX } from "preact";
import { at, type Route } from "../router.ts";
import { useNow, type PageProps } from "../shared/hooks.ts";
import { styled } from "../shared/styles.ts";
import { enLater } from "../texts/en_later.ts";
import { enTournaments } from "../texts/en_tournaments.ts";
import { addEnglish, counted, t } from "../texts/index.ts";
import { TournamentForm } from "./form.tsx";
import type { Tournament } from "./model.ts";
import { useTournaments } from "./session.ts";
import { inTime, startText, summary } from "./texts.tsx";
import { TournamentPage } from "./tournament.tsx";

addEnglish({ ...enLater, ...enTournaments });
// Forms and tables look as elsewhere.
await Promise.all([styled(laterStyle, import.meta.url), styled(style, import.meta.url)]);

interface Props extends PageProps {
  readonly route: Extract<Route, { page: "events" }>;
}

export function EventsPage({ client, state, route: { tournament, query } }: Props): JSX.Element {
  if (tournament === "new") return <TournamentForm client={client} state={state} edited={null} />;
  if (tournament) return <TournamentPage client={client} state={state} id={tournament} query={query} />;
  return <TournamentList client={client} state={state} />;
}

/** The groups of the list, in order. */
const GROUPS = ["playing", "open", "finished", "cancelled"] as const;

function TournamentList({ client, state }: PageProps): JSX.Element {
  const session = useTournaments(client, null);
  const nowMs = useNow(1000) + state.clockOffsetMs;
  const all = [...(session?.book.tournaments.values() ?? [])];
  return (
    <section class="events" aria-labelledby="events-title">
      <header class="joined">
        <h1 id="events-title">{t("title.events")}</h1>
        <a class="button primary" href={at.event("new")} data-testid="event-new">{t("events.new")}</a>
      </header>
      {all.length === 0 && <p class="soft">{t("events.none")}</p>}
      {GROUPS.map((status) => {
        const ofStatus = all.filter((one) => one.status === status);
        ofStatus.sort((one, other) => (status === "open" ? one.starts - other.starts : other.starts - one.starts));
        return ofStatus.length > 0 && (
          <section class="card" aria-label={t(`events.status.${status}`)} key={status}>
            <h2>{t(`events.status.${status}`)}</h2>
            <ul class="rows">{ofStatus.map((one) => <Row key={one.id} tournament={one} nowMs={nowMs} />)}</ul>
          </section>
        );
      })}
    </section>
  );
}

function Row({ tournament, nowMs }: { readonly tournament: Tournament; readonly nowMs: number }): JSX.Element {
  const { id, title, starts, status, next, players } = tournament;
  return (
    <li>
      <span>
        <a href={at.event(id)} data-testid="event"><bdi>{title}</bdi></a>
        <small>{summary(tournament)} · {counted("events.players", players)}</small>
      </span>
      <time dateTime={new Date(starts * 1000).toISOString()}>
        {status === "open" ? `${startText(starts)} ${next ? inTime(next, nowMs) : ""}` : startText(starts)}
      </time>
    </li>
  );
}
