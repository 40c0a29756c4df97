/** One event: what it is, my part in it, rounds, standings, and the organiser's buttons. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { at } from "../router.ts";
import { useNow, usePolled, type PageProps } from "../shared/hooks.ts";
import { linkTo, ShareLink } from "../shared/share_link.tsx";
import { counted, t } from "../texts/index.ts";
import { standingsIn } from "./all_standings.ts";
import { roundsOf, type Book, type Round } from "./book.ts";
import type { Standings, Tournament } from "./model.ts";
import { Mine } from "./mine.tsx";
import { Organiser } from "./organiser.tsx";
import { Rounds } from "./rounds.tsx";
import { useTournaments, type TournamentSession } from "./session.ts";
import { Bracket } from "./bracket.tsx";
import { Crosstable, StandingsTable } from "./standings.tsx";
import { inTime, Name, startText, summary } from "./texts.tsx";

const LATE_MS = 6_000;
/** The arbiter's event names the first hundred alone. */
const NAMED = 100;
const ALL_MS = 30_000;

interface Props extends PageProps {
  readonly id: string;
  readonly query: URLSearchParams;
}

/** The values that the parts of the page draw. */
export interface PartProps extends PageProps {
  readonly session: TournamentSession;
  readonly tournament: Tournament;
  readonly rounds: readonly Round[];
  readonly standings: Standings;
  readonly nowMs: number;
}

export function TournamentPage({ client, state, id, query }: Props): JSX.Element {
  const session = useTournaments(client, id);
  const nowMs = useNow(1000) + state.clockOffsetMs;
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), LATE_MS);
    return () => clearTimeout(timer);
  }, []);
  const tournament = session?.book.tournaments.get(id);
  const isLong = (tournament?.players ?? 0) > NAMED;
  const all = usePolled(isLong && state.arbiter?.http ? `${state.arbiter.http}/events/${id}` : null, standingsIn, ALL_MS).value;
  if (!session || !tournament) return <p class="loading" role="status">{t(isLate ? "events.unknown" : "app.loading")}</p>;
  const isPoster = query.get("view") === "poster";
  const props: PartProps = {
    client, state, session, tournament, nowMs,
    rounds: roundsOf(session.book, id),
    standings: { ...standingsOf(session.book, tournament), ...(all && { rows: all }) },
  };
  return (
    <article class={isPoster ? "events poster" : "events"} aria-labelledby="event-title">
      <Head {...props} isPoster={isPoster} secret={query.get("key")} />
      {!isPoster && <Mine {...props} secret={query.get("key") ?? ""} />}
      {!isPoster && <Organiser {...props} />}
      <Rounds {...props} isPoster={isPoster} />
      <StandingsTable {...props} />
      {!isPoster && <Crosstable {...props} />}
      <Bracket {...props} />
    </article>
  );
}

function standingsOf(book: Book, { id, tieBreaks }: Tournament): Standings {
  return book.standings.get(id) ?? { tournament: id, rows: [], tieBreaks, isFinal: false, version: 0 };
}

function Head({ state, tournament, standings, nowMs, isPoster, secret }: PartProps & { readonly isPoster: boolean; readonly secret: string | null }): JSX.Element {
  const { id, title, description, status, organiser, players, starts, trouble } = tournament;
  const { http } = state.arbiter ?? {};
  const isMine = organiser === state.me;
  return (
    <header class="event-head">
      <h1 id="event-title"><bdi>{title}</bdi></h1>
      <p>
        {summary(tournament)} · {counted("events.players", players)}
        {!isPoster && <> · {t("events.by")} <Name state={state} player={organiser} rows={standings.rows} /></>}
      </p>
      <p>
        <strong data-testid="event-status">{stageText(tournament)}</strong>
        {status === "open" && ` · ${startText(starts)}`} <Countdown tournament={tournament} nowMs={nowMs} />
      </p>
      {trouble && isMine && <p class="warning" role="alert">{t("events.trouble")} {trouble}</p>}
      {!isPoster && (
        <>
          {description && <p class="about">{description}</p>}
          <ShareLink label={t("events.link")} address={linkTo(at.event(id) + (isMine && secret ? `?key=${secret}` : ""))} />
          <p class="joined links">
            <a href={at.events}>{t("events.all")}</a>
            <a href={`${at.event(id)}?view=poster`}>{t("events.poster")}</a>
            <button type="button" class="plain" onClick={() => print()}>{t("events.print")}</button>
            {http && <a href={`${http}/events/${id}/pgn`}>PGN</a>}
            {http && <a href={`${http}/events/${id}/trf`}>TRF</a>}
          </p>
        </>
      )}
    </header>
  );
}

/** `Round 3 of 7`, `Starts soon`, `Finished`. */
function stageText({ status, round, rounds, format, phase }: Tournament): string {
  if (status !== "playing" || format === "arena") return t(`events.status.${status}`);
  const now = rounds > 0 ? t("events.roundOf", { round, rounds }) : t("events.round", { round });
  return phase === "waiting" && round > 0 ? `${now} · ${t("events.between")}` : now;
}

/** The time until what comes by itself, which a screen reader reads when it is asked to. */
function Countdown({ tournament: { next }, nowMs }: Pick<PartProps, "tournament" | "nowMs">): JSX.Element | null {
  const text = next === null ? "" : inTime(next, nowMs);
  return text ? <span role="timer" class="countdown">{text}</span> : null;
}
