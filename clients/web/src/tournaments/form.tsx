/** The form of an event's terms: for a new one, and to change one before it begins. */

import { bytesToHex } from "@noble/hashes/utils.js";
import { generateSecretKey, getPublicKey } from "nostr-tools/pure";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { pubkeyOf } from "../net/discovery.ts";
import { at } from "../router.ts";
import { Check } from "../shared/choices.tsx";
import type { PageProps } from "../shared/hooks.ts";
import { live } from "../terms.ts";
import { t, type TextKey } from "../texts/index.ts";
import { FOLLOW_SET } from "./answers.ts";
import { termsTags } from "./commands.ts";
import { ENTRIES, FORMATS, type Tournament, type TournamentTerms } from "./model.ts";
import { useTournaments, type TournamentSession } from "./session.ts";
import { refusedText } from "./texts.tsx";

const HALF_HOUR = 1_800;
const INTERVALS = [10, 30, 60, 300, 900, 3_600, 86_400];
const NO_SHOWS = [15, 30, 60, 120, 300, 600];

/** A club's evening, soon. */
export function usualTerms(nowMs: number): TournamentTerms {
  return {
    title: "", description: "", format: "swiss", time: live(300, 3) as TournamentTerms["time"],
    starts: (Math.floor(nowMs / 1000 / HALF_HOUR) + 1) * HALF_HOUR,
    rounds: 5, cycles: 1, minutes: 60, interval: 30, noShow: 60, rated: false, limit: 500, entry: "open", entryKey: "", allowed: [],
    late: 1, draws: 0, lateGames: false, bots: false, tieBreaks: [],
  };
}

interface FormProps extends PageProps {
  readonly edited: Tournament | null;
  /** Of the event that is edited; a new one has its own. */
  readonly session?: TournamentSession;
}

export function TournamentForm({ client, state, edited, session: given }: FormProps): JSX.Element {
  const own = useTournaments(client, null, "new");
  const session = given ?? own;
  const [terms, setTerms] = useState<TournamentTerms>(edited ?? usualTerms(Date.now() + state.clockOffsetMs));
  const [deputies, setDeputies] = useState((edited?.deputies ?? []).join("\n"));
  const [secret] = useState(() => generateSecretKey());
  const set = (change: Partial<TournamentTerms>): void => setTerms({ ...terms, ...change });
  const { format, entry } = terms;
  const word = edited ? "edit" : "create";
  const last = session?.commands.last?.content === word ? session.commands.last : null;
  const isSent = session?.commands.sent.some((one) => one.word.content === word) ?? false;
  const created = !edited && !last?.refusal ? last?.tournament : null;
  useEffect(() => {
    if (created) location.hash = at.event(created) + (entry === "secret" ? `?key=${bytesToHex(secret)}` : "");
  }, [created]);
  const send = (): void => {
    // A secret that was passed on stays good while it is edited.
    const isNew = entry === "secret" && edited?.entry !== "secret";
    // Those of another format are not meant.
    const tieBreaks = edited?.format === format && format !== "arena" ? terms.tieBreaks : [];
    const whole = { ...terms, tieBreaks, entryKey: isNew ? getPublicKey(secret) : terms.entryKey };
    session?.say(word, termsTags(whole, keysIn(deputies)));
  };
  const toggle = (name: "rated" | "bots" | "lateGames", text: TextKey): JSX.Element => (
    <Check text={t(text)} isOn={terms[name]} turn={(isOn) => set({ [name]: isOn })} />
  );
  const choice = <K extends "format" | "entry">(name: K, values: readonly TournamentTerms[K][], text: TextKey): JSX.Element => (
    <Field text={text}>
      <select data-testid={`form-${name}`} value={terms[name]} onChange={({ currentTarget: { value } }) => set({ [name]: value })}>
        {values.map((one) => <option value={one}>{t(`events.${name}.${one}` as TextKey)}</option>)}
      </select>
    </Field>
  );
  const number = (name: "rounds" | "minutes" | "limit" | "late" | "draws", least: number, most: number, text: TextKey): JSX.Element => (
    <Field text={text}><NumberInput name={name} value={terms[name]} least={least} most={most} set={(value) => set({ [name]: value })} /></Field>
  );
  return (
    <form class={edited ? "form" : "card narrow form events-form"} onSubmit={(event) => (event.preventDefault(), send())}>
      {!edited && <h1>{t("events.new")}</h1>}
      <Field text="events.title"><input type="text" required maxLength={80} value={terms.title} data-testid="form-title" onInput={({ currentTarget: { value } }) => set({ title: value })} /></Field>
      <Field text="events.description"><textarea rows={3} maxLength={1000} value={terms.description} onInput={({ currentTarget: { value } }) => set({ description: value })} /></Field>
      {choice("format", FORMATS, "events.format")}
      {format === "swiss" && number("rounds", 1, 20, "events.form.rounds")}
      {format === "arena" && number("minutes", 5, 720, "events.form.minutes")}
      {format === "round-robin" && (
        <Check text={t("events.double")} isOn={terms.cycles === 2} turn={(isOn) => set({ cycles: isOn ? 2 : 1 })} />
      )}
      <Field text="time.base"><NumberInput name="base" value={terms.time.base / 60} least={0.25} most={180} step={0.25} set={(value) => set({ time: { ...terms.time, base: Math.round(value * 60) } })} /></Field>
      <Field text="time.increment"><NumberInput name="increment" value={terms.time.increment} least={0} most={180} set={(increment) => set({ time: { ...terms.time, increment } })} /></Field>
      {toggle("rated", "terms.rated")}
      <Field text="events.form.starts"><input type="datetime-local" required value={localTime(terms.starts)} data-testid="form-starts" onInput={({ currentTarget: { value } }) => value && set({ starts: Math.floor(Date.parse(value) / 1000) })} /></Field>
      {format !== "arena" && <Field text="events.form.interval"><Seconds values={INTERVALS} value={terms.interval} hasNone set={(interval) => set({ interval })} /></Field>}
      {choice("entry", ENTRIES, "events.form.entry")}
      {entry === "list" && <Field text="events.form.allowed"><textarea rows={3} spellcheck={false} onInput={({ currentTarget: { value } }) => set({ allowed: peopleIn(value) })}>{terms.allowed.join("\n")}</textarea></Field>}
      {entry === "secret" && <p class="soft">{t("events.form.secret")}</p>}
      <details>
        <summary>{t("events.form.more")}</summary>
        <div class="form">
          <Field text="events.form.noShow"><Seconds values={NO_SHOWS} value={terms.noShow} set={(noShow) => set({ noShow: noShow ?? 60 })} /></Field>
          {format === "swiss" && number("late", 1, 20, "events.form.late")}
          {number("limit", 2, 500, "events.form.limit")}
          {number("draws", 0, 200, "events.form.draws")}
          {format === "arena" && toggle("lateGames", "events.form.lateGames")}
          {toggle("bots", "events.form.bots")}
          <Field text="events.form.deputies"><textarea rows={2} spellcheck={false} value={deputies} placeholder="npub1…" onInput={({ currentTarget: { value } }) => setDeputies(value)} /></Field>
        </div>
      </details>
      <p class="joined">
        <button type="submit" class="primary" disabled={!session || isSent || !terms.title.trim()} data-testid="form-send">{t(edited ? "events.form.save" : "events.form.create")}</button>
        <span role="status">{isSent ? t("events.sending") : last?.refusal ? refusedText(last.refusal) : last && edited ? t("events.noted") : ""}</span>
      </p>
    </form>
  );
}

/** The keys in a text, and the addresses of follow sets. */
export function peopleIn(text: string): readonly string[] {
  return [...keysIn(text), ...text.split(/\s+/).filter((one) => FOLLOW_SET.test(one))];
}

/** The keys in a text, as people paste them. */
export function keysIn(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,;]+/).map(pubkeyOf).filter((key) => key !== null))];
}

/** As `datetime-local` has it: in the reader's time zone, to the minute. */
function localTime(seconds: number): string {
  const at = new Date(seconds * 1000);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function Field({ text, children }: { readonly text: TextKey; readonly children: ComponentChildren }): JSX.Element {
  return <label class="field"><span>{t(text)}</span>{children}</label>;
}

interface NumberProps {
  readonly name: string;
  readonly value: number;
  readonly least: number;
  readonly most: number;
  readonly step?: number;
  readonly set: (value: number) => void;
}

function NumberInput({ name, value, least, most, step = 1, set }: NumberProps): JSX.Element {
  return (
    <input
      type="number" required value={value} min={least} max={most} step={step} data-testid={`form-${name}`}
      onInput={({ currentTarget: { valueAsNumber: given } }) => Number.isFinite(given) && set(given)}
    />
  );
}

interface SecondsProps {
  readonly values: readonly number[];
  readonly value: number | null;
  readonly hasNone?: boolean;
  readonly set: (value: number | null) => void;
}

/** Spans of time; what an event has that is not offered here stays offered. */
function Seconds({ values, value, hasNone = false, set }: SecondsProps): JSX.Element {
  const offered = value === null || values.includes(value) ? values : [...values, value];
  return (
    <select data-testid={hasNone ? "form-interval" : undefined} value={value ?? ""} onChange={({ currentTarget: { value: given } }) => set(given === "" ? null : Number(given))}>
      {hasNone && <option value="">{t("events.form.manual")}</option>}
      {offered.map((seconds) => (
        <option value={seconds}>{seconds < 60 ? t("events.seconds", { count: seconds }) : t("events.minutes", { count: seconds / 60 })}</option>
      ))}
    </select>
  );
}
