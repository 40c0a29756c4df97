/** The player's own part in an event: to join and to leave, and their game. */

import type { JSX } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { isToMove } from "../arbiter/mine.ts";
import type { Tag } from "../net/event.ts";
import { at } from "../router.ts";
import { AccountContext } from "../shared/account.ts";
import { part } from "../shared/later.tsx";
import { colorText } from "../shared/terms_text.tsx";
import { counted, t, type TextKey } from "../texts/index.ts";
import { ownBoard } from "./book.ts";
import { joinProof, type Outcome } from "./commands.ts";
import type { EntryState, Tournament } from "./model.ts";
import { usePresence } from "./session.ts";
import { plainName, refusedText } from "./texts.tsx";
import { Sure } from "./sure.tsx";
import type { PartProps } from "./tournament.tsx";

const NameQuestion = part((all) => all.NameQuestion);

/** The arbiter names the first hundred entries alone. */
const NAMED = 100;

export function Mine(props: PartProps & { readonly secret: string }): JSX.Element | null {
  const { client, state, session, tournament, rounds, standings } = props;
  const mine = standings.rows.find(({ player }) => player === state.me)?.state ?? (standings.rows.length < NAMED ? null : undefined);
  const own = ownBoard(rounds, state.me);
  usePresence(session, own && String(own.round), mine === "in" && tournament.format === "arena" && tournament.status === "playing" && !own);
  if (tournament.status === "finished" || tournament.status === "cancelled") return null;
  return (
    <section class="card mine" aria-label={t("events.mine")}>
      <OwnGame {...props} />
      <Entry {...props} mine={mine} />
      {!isOrganiser(tournament, state.me) && <AnswerLine {...props} />}
      {mine && <NameQuestion client={client} state={state} />}
    </section>
  );
}

export function isOrganiser({ organiser, deputies }: Tournament, me: string | null): boolean {
  return me !== null && [organiser, ...deputies].includes(me);
}

/** What has come of the last command; an organiser reads it among their buttons. */
export function AnswerLine({ session: { commands: { sent, last } } }: PartProps): JSX.Element {
  const isSignedElsewhere = useContext(AccountContext)?.signer.kind === "bunker";
  return (
    <p role="status" class="soft" data-testid="event-answer">
      {sent.length > 0 ? t(isSignedElsewhere && sent.some(({ ids }) => ids.length === 0) ? "waiting.signing" : "events.sending") : last && outcomeText(last)}
    </p>
  );
}

function outcomeText({ content, refusal, isUnheard }: Outcome): string {
  if (refusal) return refusedText(refusal);
  if (isUnheard) return t("events.unheard");
  return content === "here" ? "" : t(content === "join" ? "events.joined" : content === "leave" ? "events.left" : "events.noted");
}

/** `mine` is undefined where nothing says whether I take part. */
function Entry({ state, session, tournament, mine, secret }: PartProps & { readonly mine: EntryState | null | undefined; readonly secret: string }): JSX.Element {
  const [typed, setTyped] = useState(secret);
  const { entry, round, format } = tournament;
  const isIn = mine === "in" || mine === "asked" || mine === "paused";
  const say = (word: string): void => session.say(word);
  const join = (): void => {
    const name = state.me && state.profiles.get(state.me)?.name;
    const proof = entry === "secret" && state.me ? joinProof(tournament.id, state.me, typed) : null;
    session.say("join", [...(name ? [["name", name]] : []), ...(proof ? [["proof", proof]] : [])] satisfies Tag[]);
  };
  return (
    <>
      {mine && <p data-testid="event-entry">{t(`events.state.${mine}`)}</p>}
      {!isIn && mine !== "removed" && mayJoin(tournament) && (
        <form class="joined" onSubmit={(event) => (event.preventDefault(), join())}>
          {entry === "secret" && (
            <input type="password" autocomplete="off" value={typed} aria-label={t("events.secret")} placeholder={t("events.secret")} onInput={({ currentTarget: { value } }) => setTyped(value)} />
          )}
          <button type="submit" class="primary" data-testid="event-join" disabled={entry === "secret" && !/^[0-9a-f]{64}$/i.test(typed.trim())}>
            {t(entry === "rsvp" || entry === "list" ? `events.join.${entry}` : "events.join")}
          </button>
        </form>
      )}
      {isIn && (
        <p class="joined">
          {mine !== "in" && <button type="button" class="primary" onClick={() => say(mine === "paused" ? "back" : "here")}>{t(mine === "paused" ? "events.back" : "events.here")}</button>}
          {mine === "in" && <button type="button" onClick={() => say("pause")}>{t("events.pause")}</button>}
          {format === "swiss" && mine === "in" && round < tournament.rounds && (
            <button type="button" onClick={() => say(`bye:${round + 1}`)}>{t("events.bye", { round: round + 1 })}</button>
          )}
          <Sure text={t("events.leave")} onSure={() => say("leave")} />
        </p>
      )}
      {mine === undefined && <Sure text={t("events.leave")} onSure={() => say("leave")} />}
    </>
  );
}

/** Whether a player may still come, as far as the page can know. */
function mayJoin({ status, format, round, late, players, limit }: Tournament): boolean {
  return players < limit && (status === "open" || (status === "playing" && (format === "arena" || round < late)));
}

/** The game to play now or next, or why there is none. */
function OwnGame({ client, state, session, tournament, rounds, standings }: PartProps): JSX.Element | null {
  const { me } = state;
  const own = ownBoard(rounds, me);
  const bye = rounds.at(-1)?.number === tournament.round ? rounds.at(-1)?.byes.find(({ player }) => player === me) : undefined;
  const opponent = own && (own.board.white === me ? own.board.black : own.board.white);
  useEffect(() => {
    if (opponent) client.wonder(opponent);
  }, [client, opponent]);
  const { told } = session;
  const view = state.games.get(own?.board.game ?? "");
  if (own && opponent) {
    const values = {
      round: own.round, board: own.board.number, player: plainName({ state, player: opponent, rows: standings.rows }),
      color: colorText(own.board.white === me ? "white" : "black"),
    };
    return (
      <div class="banner card" role="status" data-testid="event-pairing">
        <span>
          <strong>{t("events.pairing", values)}</strong>
          <small>{view && isToMove(view) ? `${t("game.yourTurn")}. ` : ""}{t(own.isPlanned ? "events.beginsSoon" : "events.noShow", { time: counted("clock.second", tournament.noShow) })}</small>
        </span>
        {own.board.game && <a class="button primary" href={at.game(own.board.game)} data-testid="event-game">{t("events.toGame")}</a>}
      </div>
    );
  }
  if (bye) return <p role="status">{t(`events.byeNow.${bye.kind}` satisfies TextKey, { round: tournament.round })}</p>;
  return told?.word === "bye" && told.value === tournament.round ? <p role="status">{t("events.byeNow.U", { round: told.value })}</p> : null;
}
