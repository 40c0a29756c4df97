/** The buttons of who organises an event. Each is a command signed by the player's key, wherever that is kept. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Tag } from "../net/event.ts";
import { pubkeyOf } from "../net/discovery.ts";
import { t, type TextKey } from "../texts/index.ts";
import { TournamentForm } from "./form.tsx";
import { AnswerLine, isOrganiser } from "./mine.tsx";
import type { TournamentBoard } from "./model.ts";
import { Sure } from "./sure.tsx";
import { plainName } from "./texts.tsx";
import type { PartProps } from "./tournament.tsx";

const RESULTS = ["1-0", "1/2-1/2", "0-1", "+/-", "-/+", "-/-", "*"];
const DELAYS = [60, 300, 900, 3600];

type Option = readonly [value: string, text: string];

export function Organiser(props: PartProps): JSX.Element | null {
  const { client, state, session, tournament, rounds, standings: { rows } } = props;
  const [isEdited, setEdited] = useState(false);
  const { status, phase } = tournament;
  if (!isOrganiser(tournament, state.me)) return null;
  if (status === "finished" || status === "cancelled") return null;
  const say = (content: string, tags: readonly Tag[] = []): void => session.say(content, tags);
  const round = rounds.find(({ number }) => number === tournament.round);
  const boards = round?.boards ?? [];
  const isPlanned = round?.status === "planned";
  const nameOf = (player: string): string => plainName({ state, player, rows });
  const players = rows.filter((row) => row.state !== "removed" && row.state !== "left").map(({ player }): Option => [player, nameOf(player)]);
  const boardNames = boards.map(({ number, white, black }): Option => [String(number), `${number}: ${nameOf(white)} – ${nameOf(black)}`]);
  const isWaiting = status === "open" || phase === "waiting" || phase === "pairing";
  return (
    <section class="card form" aria-label={t("events.organise")} data-testid="event-organiser">
      <h2>{t("events.organise")}</h2>
      <p class="joined">
        {isWaiting && <Order word="pair" text={status === "open" ? "events.do.begin" : "events.do.pair"} say={say} />}
        {isPlanned && <Order word="start" text="events.do.start" say={say} />}
        {status === "open" && <Order word="close" text="events.do.close" say={say} />}
        {status === "open" && <button type="button" aria-expanded={isEdited} onClick={() => setEdited(!isEdited)}>{t("events.do.edit")}</button>}
        {status === "playing" && <Sure text={t("events.do.finish")} onSure={() => say("finish")} />}
        <Sure text={t("events.do.cancel")} onSure={() => say("cancel")} />
      </p>
      {isEdited && status === "open" && <TournamentForm client={client} state={state} edited={tournament} session={session} />}
      <details>
        <summary>{t("events.do.more")}</summary>
        <div class="form">
          {tournament.next !== null && <Pick text="events.do.delay" lists={[DELAYS.map((s): Option => [String(s), t("events.minutes", { count: s / 60 })])]} say={([s]) => say(`delay:${s}`)} />}
          <Add say={say} />
          <Pick text="events.do.remove" lists={[players]} say={([player]) => say(`remove:${player}`)} isGrave />
          <Pick text="events.do.forbid" lists={[players, players]} say={([one, other]) => say(`forbid:${one}:${other}`)} />
          <Pick text="events.do.allow" lists={[players, players]} say={([one, other]) => say(`allow:${one}:${other}`)} />
          {isPlanned && <Pick text="events.do.swap" lists={[boardNames, boardNames]} say={([one, other]) => say(`swap:${tournament.round}:${one}:${other}`)} />}
          {boards.length > 0 && !isPlanned && (
            <>
              <Pick text="events.do.result" lists={[boardNames, RESULTS.map((one): Option => [one, one.replaceAll("1/2", "½")])]} say={([board, result]) => say(`result:${tournament.round}:${board}:${result}`)} />
              <Pick text="events.do.forfeit" lists={[playersOf(boards, nameOf)]} say={([player]) => say(`forfeit:${tournament.round}:${player}`)} isGrave />
            </>
          )}
          {isWaiting && status === "playing" && <ByHand players={players} round={tournament.round + (phase === "waiting" ? 1 : 0)} say={say} />}
        </div>
      </details>
      <AnswerLine {...props} />
    </section>
  );
}

function playersOf(boards: readonly TournamentBoard[], nameOf: (player: string) => string): readonly Option[] {
  return boards.flatMap(({ white, black }) => [white, black]).map((player): Option => [player, nameOf(player)]);
}

type Say = (content: string, tags?: readonly Tag[]) => void;

function Order({ word, text, say }: { readonly word: string; readonly text: TextKey; readonly say: Say }): JSX.Element {
  return <button type="button" data-testid={`event-${word}`} onClick={() => say(word)}>{t(text)}</button>;
}

interface PickProps {
  readonly text: TextKey;
  /** One choice from each. */
  readonly lists: readonly (readonly Option[])[];
  readonly say: (chosen: readonly string[]) => void;
  readonly isGrave?: boolean;
}

/** A command about what is chosen from lists; the same from two lists is none. */
function Pick({ text, lists, say, isGrave = false }: PickProps): JSX.Element | null {
  const [chosen, choose] = useState<readonly string[]>([]);
  const values = lists.map((list, place) => list.find(([value]) => value === chosen[place])?.[0] ?? "");
  const isWhole = values.every(Boolean) && new Set(values).size === values.length;
  const press = (): void => (say(values), choose([]));
  return (
    <fieldset disabled={lists.some((list) => list.length === 0)}>
      <legend>{t(text)}</legend>
      <div class="joined">
        {lists.map((list, place) => (
          <select aria-label={`${t(text)} (${place + 1})`} value={values[place]} onChange={({ currentTarget: { value } }) => choose(values.map((old, at) => (at === place ? value : old)))}>
            <option value="">…</option>
            {list.map(([value, shown]) => <option value={value}>{shown}</option>)}
          </select>
        ))}
        {isWhole && isGrave ? <Sure text={t("events.do.it")} onSure={press} /> : <button type="button" disabled={!isWhole} onClick={press}>{t("events.do.it")}</button>}
      </div>
    </fieldset>
  );
}

/** A player who cannot join by themselves, by their key. */
function Add({ say }: { readonly say: Say }): JSX.Element {
  const [key, setKey] = useState("");
  const [name, setName] = useState("");
  const player = pubkeyOf(key);
  const press = (): void => {
    say(`add:${player}`, name.trim() ? [["name", name.trim()]] : []);
    setKey("");
    setName("");
  };
  return (
    <fieldset>
      <legend>{t("events.do.add")}</legend>
      <div class="joined">
        <input type="text" autocomplete="off" spellcheck={false} placeholder="npub1…" aria-label={t("events.do.add.key")} value={key} onInput={({ currentTarget: { value } }) => setKey(value)} />
        <input type="text" autocomplete="off" maxLength={32} placeholder={t("events.do.add.name")} aria-label={t("events.do.add.name")} value={name} onInput={({ currentTarget: { value } }) => setName(value)} />
        <button type="button" disabled={!player} onClick={press}>{t("events.do.it")}</button>
      </div>
    </fieldset>
  );
}

/** Pairings of the organiser's own, where the program has none or they know better. */
function ByHand({ players, round, say }: { readonly players: readonly Option[]; readonly round: number; readonly say: Say }): JSX.Element {
  const [pairs, setPairs] = useState<readonly (readonly [Option, Option])[]>([]);
  const left = players.filter(([player]) => !pairs.flat().some(([one]) => one === player));
  const send = (): void => (say(`boards:${round}`, [["boards", ...pairs.flat().map(([player]) => player)]]), setPairs([]));
  return (
    <>
      <Pick text="events.do.byHand" lists={[left, left]} say={(chosen) => {
        const [white, black] = chosen.map((one) => left.find(([player]) => player === one)!);
        setPairs([...pairs, [white!, black!]]);
      }} />
      {pairs.length > 0 && (
        <div>
          <ol>{pairs.map(([[, white], [, black]]) => <li>{white} – {black}</li>)}</ol>
          <p class="joined">
            <button type="button" class="primary" onClick={send}>{t("events.do.boards")}</button>
            <button type="button" onClick={() => setPairs(pairs.slice(0, -1))}>{t("events.do.undo")}</button>
          </p>
        </div>
      )}
    </>
  );
}
