/**
 * This player's requests to the arbiter outside a game, and their results. Pure: each input gives a
 * new value and what is to be done.
 */

import type { Response } from "./answers.ts";
import type { Color, GameId, IncomingChallenge, Pubkey, Refusal, Terms, Waiting } from "./model.ts";
import { notice, told, type NoticeEffect } from "./notices.ts";
import type { Ask } from "./requests.ts";

interface Asked {
  readonly key: number;
  readonly ask: Ask;
  /** Every event that asked it. */
  readonly ids: readonly string[];
  /** 0 while it is being signed. */
  readonly signedAtMs: number;
  readonly times: number;
  /** The clock was wrong, or work was asked for: once more is enough. */
  readonly corrected: readonly string[];
  /** A game was told; others of this player may follow until `end`. */
  readonly isTold?: boolean;
}

/** A request that waits for an opponent, with what only this browser knows of it. */
export interface OwnWaiting extends Waiting {
  readonly key: number;
  /** The challenge's id, once it is known. */
  readonly challenge: string | null;
  readonly linkSecret: string | null;
  /** The time of the last request for a place in the pool, which is to be renewed. */
  readonly renewedMs?: number;
}

export interface LobbySession {
  readonly waiting: readonly OwnWaiting[];
  readonly challenges: readonly IncomingChallenge[];
  readonly playing: GameId | null;
  /** An answer to `state`, or a state before any `started`, told of it. */
  readonly isResumed: boolean;
  /** The terms of the last place in the pool: it comes back if the opponent does not come. */
  readonly sought: Terms | null;
  /** The time of the last `started`, in seconds: an older `queued` that was not asked for was overtaken. */
  readonly startedAt: number;
  readonly asked: readonly Asked[];
  /** Bits of NIP-13 work that this arbiter asks of this player. */
  readonly bits: number;
  /** The time of the last answer to `state`: whatever it did not confirm is gone a little later. */
  readonly shownMs: number;
  /** The challenges that were told since `state` was asked; `null` once the others are gone. */
  readonly listed: readonly string[] | null;
  readonly nextKey: number;
}

export type LobbyInput =
  | { readonly type: "ask"; readonly ask: Ask }
  | { readonly type: "signed"; readonly key: number; readonly eventId: string }
  | { readonly type: "unsigned"; readonly key: number }
  /** `stored` by a relay before EOSE: perhaps of long ago. `isAside`: a game that does not take the place of the present one. */
  | { readonly type: "response"; readonly response: Response; readonly stored: boolean; readonly isAside?: boolean }
  | { readonly type: "playing"; readonly game: GameId }
  | { readonly type: "tick"; readonly connected: boolean };

export type LobbyEffect =
  | { readonly type: "request"; readonly key: number; readonly ask: Ask; readonly bits: number }
  | { readonly type: "started"; readonly game: GameId; readonly opponent: Pubkey; readonly color: Color }
  | NoticeEffect;

export type LobbyStep = readonly [LobbySession, readonly LobbyEffect[]];

const UNANSWERED_MS = 10_000;
const MAX_TIMES = 3;
const UNCONFIRMED_MS = 5_000;
/** Over relays a place in the pool is lost after two minutes. */
const RENEW_MS = 60_000;
/** Time for a house player to answer; one that is not running never does. */
const SILENT_MS = 10_000;
/** About a minute of work on a phone. */
export const MAX_BITS = 24;

export function newLobby(kept: Partial<Pick<LobbySession, "waiting" | "challenges">>): LobbySession {
  const waiting = (kept.waiting ?? []).map((one, index) => ({ ...one, key: -1 - index, confirmed: false }));
  return {
    waiting, challenges: kept.challenges ?? [], playing: null, isResumed: false, sought: null, startedAt: 0, asked: [], bits: 0, shownMs: 0,
    listed: null, nextKey: waiting.length + 1,
  };
}

export function stepLobby(lobby: LobbySession, input: LobbyInput, nowMs: number): LobbyStep {
  switch (input.type) {
    case "ask": return onAsk(lobby, input.ask, nowMs);
    case "signed": return [onSigned(lobby, input.key, input.eventId, nowMs), []];
    case "unsigned": return onUnsigned(lobby, input.key);
    case "response": return onResponse(lobby, input, nowMs);
    case "playing": return [{ ...lobby, playing: input.game, isResumed: true }, []];
    case "tick": return onTick(lobby, nowMs, input.connected);
  }
}

function onAsk(lobby: LobbySession, ask: Ask, nowMs: number): LobbyStep {
  const key = lobby.nextKey;
  // What no signer has signed yet is taken back here.
  const isUnsigned = ({ requestId, isBack, confirmed }: OwnWaiting): boolean => requestId === "" && !isBack && !confirmed;
  if (ask.kind === "cancel" && lobby.waiting.some(isUnsigned)) {
    const unsigned = lobby.waiting.filter(isUnsigned).map((one) => one.key);
    const rest = unsigned.reduce((left, one) => settled(left, one, true), lobby);
    return rest.waiting.length === 0 ? [rest, []] : onAsk(rest, ask, nowMs);
  }
  // A state that is asked for already, and another place in the pool, replace the first.
  const asked = lobby.asked.filter((one) => one.ask.kind !== ask.kind || !isReplaced(ask));
  const entry: Asked = { key, ask, ids: [], signedAtMs: 0, times: 0, corrected: [] };
  const waiting = [
    ...lobby.waiting.filter((one) => ask.kind !== "pool" || one.kind !== "pool"),
    ...waitingFor(ask, key, nowMs),
  ];
  const listed = ask.kind === "state" ? { shownMs: 0, listed: [] } : {};
  const next = { ...lobby, ...listed, nextKey: key + 1, asked: [...asked, entry], waiting };
  return [next, [{ type: "request", key, ask, bits: lobby.bits }]];
}

function isReplaced(ask: Ask): boolean {
  return ask.kind === "pool" || ask.kind === "state" || ask.kind === "cancel";
}

function waitingFor(ask: Ask, key: number, nowMs: number): readonly OwnWaiting[] {
  if (ask.kind !== "pool" && ask.kind !== "challenge" && ask.kind !== "open") return [];
  return [{
    key,
    kind: ask.kind,
    terms: ask.terms,
    opponent: ask.kind === "challenge" ? ask.opponent : null,
    house: ask.kind === "challenge" && ask.house,
    linkSecret: ask.kind === "open" ? ask.linkSecret : null,
    requestId: "", challenge: null, place: null, secretLink: null, confirmed: false, isBack: false, sinceMs: nowMs,
  }];
}

function onSigned(lobby: LobbySession, key: number, id: string, nowMs: number): LobbySession {
  const asked = lobby.asked.map((one) =>
    one.key === key
      ? { ...one, ids: [...one.ids, id], signedAtMs: nowMs, times: one.times + 1 }
      : one,
  );
  const waiting = lobby.waiting.map((one) => (one.key === key ? { ...one, requestId: id } : one));
  return { ...lobby, asked, waiting };
}

function onUnsigned(lobby: LobbySession, key: number): LobbyStep {
  // `state` is asked for the player, who has not asked for anything.
  const quiet = lobby.asked.find((one) => one.key === key)?.ask.kind === "state";
  return [settled(lobby, key, true), quiet ? [] : [notice("request.unsigned")]];
}

/** Without this request; what it waits for goes too if it `failed`. */
function settled(lobby: LobbySession, key: number, failed: boolean): LobbySession {
  return {
    ...lobby,
    asked: lobby.asked.filter((one) => one.key !== key),
    waiting: failed ? lobby.waiting.filter((one) => one.key !== key) : lobby.waiting,
  };
}

function onResponse(
  lobby: LobbySession, { response, stored, isAside }: Extract<LobbyInput, { type: "response" }>, nowMs: number,
): LobbyStep {
  const asked = lobby.asked.find(({ ids }) => response.request && ids.includes(response.request));
  // Relays that store ephemeral events send those of games long ended, before EOSE.
  const isOld = stored && !asked;
  switch (response.type) {
    case "queued": return isOld ? [lobby, []] : [onQueued(lobby, asked, response, nowMs), []];
    case "cancelled":
      return isOld ? [lobby, []] : [response.challenge ? without(lobby, response.challenge) : onCancelled(lobby, asked), []];
    case "started": return isOld ? [lobby, []] : onStarted(lobby, asked, response, nowMs, isAside);
    case "end": return [asked ? settled(lobby, asked.key, false) : lobby, []];
    case "challenged": return isOld ? [lobby, []] : [onChallenged(lobby, response.challenge, nowMs), []];
    case "refused": return isOld ? [lobby, []] : onRefused(lobby, asked, response, nowMs);
  }
}

/** Without this request, but of `state` more may follow until `end`. */
function answered(lobby: LobbySession, asked: Asked): LobbySession {
  if (asked.ask.kind !== "state") return settled(lobby, asked.key, false);
  return { ...lobby, asked: lobby.asked.map((one) => (one === asked ? { ...one, isTold: true } : one)) };
}

function onQueued(
  lobby: LobbySession, asked: Asked | undefined,
  { request, challenge, place, at }: Extract<Response, { type: "queued" }>,
  nowMs: number,
): LobbySession {
  const isMine = (one: OwnWaiting): boolean =>
    (request !== null && one.requestId === request) ||
    (challenge !== null ? challengeOf(one) === challenge : asked?.ask.kind === "state" && one.kind === "pool");
  const shown = asked?.ask.kind === "state" ? { ...lobby, shownMs: nowMs } : lobby;
  const next = asked ? answered(shown, asked) : shown;
  if (next.waiting.some(isMine)) {
    const waiting = next.waiting.map((one) => (isMine(one) ? confirmed(one, challenge, place) : one));
    return { ...next, waiting };
  }
  // Without a request the player was left alone in a game, and waits again.
  const isBack = request === null && challenge === null;
  if (isBack && (at < lobby.startedAt || next.waiting.some(({ kind }) => kind === "pool"))) return next;
  if (asked?.ask.kind !== "state" && !isBack) return next; // It was answered otherwise in the meantime.
  const elsewhere: OwnWaiting = {
    key: -next.nextKey, kind: challenge === null ? "pool" : "challenge", terms: isBack ? lobby.sought : null, opponent: null, house: false,
    requestId: "", challenge, place, linkSecret: null, secretLink: null, confirmed: true, isBack, sinceMs: nowMs,
  };
  return { ...next, waiting: [...next.waiting, elsewhere], nextKey: next.nextKey + 1 };
}

/** "The first 32 hex digits of the request's id." */
function challengeOf({ kind, requestId, challenge }: OwnWaiting): string | null {
  return challenge ?? (kind === "pool" || requestId === "" ? null : requestId.slice(0, 32));
}

function confirmed(one: OwnWaiting, challenge: string | null, place: number | null): OwnWaiting {
  const id = challenge ?? one.challenge;
  const link = one.linkSecret === null ? id : `${id}-${one.linkSecret}`;
  return { ...one, confirmed: true, challenge: id, place: place ?? one.place, secretLink: one.kind === "open" && id ? link : null };
}

function onCancelled(lobby: LobbySession, asked: Asked | undefined): LobbySession {
  if (!asked) return lobby;
  const next = settled(lobby, asked.key, false);
  // Of what was asked after it, nothing was cancelled.
  if (asked.ask.kind === "cancel") {
    return { ...next, waiting: next.waiting.filter(({ key }) => key > asked.key) };
  }
  return asked.ask.kind === "decline" ? without(next, asked.ask.challenge) : next;
}

function without(lobby: LobbySession, challenge: string): LobbySession {
  const id = challenge.slice(0, 32);
  return { ...lobby, challenges: lobby.challenges.filter((one) => one.id !== id) };
}

function onStarted(
  lobby: LobbySession, asked: Asked | undefined,
  { game, opponent, color, at, challenge }: Extract<Response, { type: "started" }>,
  nowMs: number, isAside = false,
): LobbyStep {
  // The first is the live game, or the one most in need of a move.
  if (asked?.isTold) return [lobby, []];
  // "The beginning of any game takes a player's other challenges and requests back."
  const next: LobbySession = {
    ...lobby,
    playing: isAside ? lobby.playing : game,
    isResumed: asked?.ask.kind === "state" && (lobby.playing !== game || lobby.isResumed),
    sought: lobby.waiting.find(({ kind }) => kind === "pool")?.terms ?? null,
    startedAt: at,
    shownMs: nowMs,
    listed: asked?.ask.kind === "state" ? lobby.listed : null,
    waiting: [],
    asked: lobby.asked
      .filter((one) => one.ask.kind === "decline" || (one === asked && one.ask.kind === "state"))
      .map((one) => (one === asked ? { ...one, isTold: true } : one)),
    // Beside others a game takes no further challenge of the opponent's back.
    challenges: lobby.challenges.filter((one) => one.id !== challenge && (isAside && challenge || one.challenger !== opponent)),
  };
  return [next, [{ type: "started", game, opponent, color }]];
}

function onChallenged(lobby: LobbySession, one: IncomingChallenge, nowMs: number): LobbySession {
  const listed = lobby.listed && [...lobby.listed, one.id];
  const isKnown = lobby.challenges.some(({ id }) => id === one.id);
  if (isKnown || one.expiresAt * 1000 <= nowMs) return { ...lobby, listed };
  return { ...lobby, listed, challenges: [...lobby.challenges, one].slice(-50) };
}

function onRefused(
  lobby: LobbySession, asked: Asked | undefined,
  { request, refusal, challenge }: Extract<Response, { type: "refused" }>, nowMs: number,
): LobbyStep {
  if (refusal.reason === "declined") return onDeclined(lobby, refusal, challenge);
  if (!asked) {
    // A place in the pool that was confirmed once, and is lost now.
    const lost = lobby.waiting.find(({ requestId }) => requestId !== "" && requestId === request);
    return lost ? [settled(lobby, lost.key, true), [told(refusal)]] : [lobby, []];
  }
  const corrected = correction(lobby, asked, refusal);
  if (corrected) return corrected;
  const next = settled(lobby, asked.key, true);
  const { ask } = asked;
  if (ask.kind === "state" && refusal.reason === "unknown-game") {
    // A later or unanswered request may come after it.
    const isOpen = (key: number): boolean => key > asked.key || next.asked.some((one) => one.key === key);
    const waiting = next.waiting.filter(({ key }) => isOpen(key));
    return [{ ...next, waiting, shownMs: nowMs }, []];
  }
  if (ask.kind === "state" || ask.kind === "cancel") return [next, []];
  const gone = (ask.kind === "accept" || ask.kind === "decline") && refusal.reason === "unknown-challenge";
  return [gone ? without(next, ask.challenge) : next, [told(refusal)]];
}

/** Without a name: if there is only one that it can be, it is that one. */
function onDeclined(lobby: LobbySession, { text }: Refusal, challenge: string | null): LobbyStep {
  const mine = lobby.waiting.filter(({ kind }) => kind === "challenge");
  const declined = mine.find((one) => challenge !== null && one.challenge === challenge)
    ?? (mine.length === 1 ? mine[0] : undefined);
  const next = declined ? settled(lobby, declined.key, true) : lobby;
  const isBusy = declined?.house && text === "later";
  return [next, [isBusy ? notice("house.busy") : notice("challenge.declined", { reason: text })]];
}

/** Asks again, with what the arbiter missed in the first request. */
function correction(lobby: LobbySession, asked: Asked, { reason, text }: Refusal): LobbyStep | null {
  if (asked.corrected.includes(reason)) return null;
  const again = { ...asked, signedAtMs: 0, corrected: [...asked.corrected, reason] };
  const repeated = (bits: number): LobbySession => ({
    ...lobby, bits, asked: lobby.asked.map((one) => (one === asked ? again : one)),
  });
  const request: LobbyEffect = { type: "request", key: asked.key, ask: asked.ask, bits: lobby.bits };
  if (reason === "stale") {
    // The date of the refusal has told the clock: see ArbiterClock.
    return text.startsWith("created_at is ") ? [repeated(lobby.bits), [request]] : null;
  }
  if (reason === "pow") {
    const bits = /^[0-9]{1,3}$/.test(text) ? Number(text) : Infinity;
    if (bits > MAX_BITS) return [settled(lobby, asked.key, true), [notice("request.pow", { bits: text })]];
    const working: LobbyEffect = { type: "notice", text: "request.working", values: { bits: text }, tone: "plain" };
    return [repeated(bits), [working, { ...request, bits }]];
  }
  return null;
}

function onTick(lobby: LobbySession, nowMs: number, connected: boolean): LobbyStep {
  const isShown = lobby.shownMs > 0 && nowMs - lobby.shownMs > UNCONFIRMED_MS;
  const listed = isShown ? null : lobby.listed;
  const isAnswered = (id: string): boolean => isShown && lobby.listed?.includes(id) === false;
  const challenges = lobby.challenges.filter(({ id, expiresAt }) => expiresAt * 1000 > nowMs && !isAnswered(id));
  const isGone = ({ key, confirmed }: OwnWaiting): boolean => !confirmed && key < 0 && isShown;
  const waiting = lobby.waiting.filter((one) => !isGone(one));
  const isSame =
    listed === lobby.listed && challenges.length === lobby.challenges.length && waiting.length === lobby.waiting.length;
  const next = isSame ? lobby : { ...lobby, challenges, waiting, listed };
  if (!connected) return [next, []];
  const silent = next.waiting.find(
    ({ house, place, confirmed, sinceMs }) => house && place === null && confirmed && nowMs - sinceMs >= SILENT_MS,
  );
  if (silent) return onSilence(next, silent.key);
  const due = next.waiting.find((one) => isDue(one, nowMs));
  if (due && !lobby.asked.some(({ key }) => key === due.key)) return renewed(next, due, nowMs);
  const late = lobby.asked.find(
    ({ signedAtMs, times }) => signedAtMs > 0 && nowMs - signedAtMs >= UNANSWERED_MS * times,
  );
  if (late?.isTold) return [settled(next, late.key, false), []];
  return late ? onLate(next, late, nowMs) : [next, []];
}

function isDue({ kind, confirmed, terms, sinceMs, renewedMs }: OwnWaiting, nowMs: number): boolean {
  const isSoon = terms !== null && terms.time?.kind !== "days";
  return kind === "pool" && confirmed && isSoon && nowMs - (renewedMs ?? sinceMs) >= RENEW_MS;
}

/** Asks for the same place again, which it keeps. */
function renewed(lobby: LobbySession, due: OwnWaiting, nowMs: number): LobbyStep {
  if (!due.terms) return [lobby, []];
  const ask: Ask = { kind: "pool", terms: due.terms };
  const entry: Asked = { key: due.key, ask, ids: [], signedAtMs: 0, times: 0, corrected: [] };
  const waiting = lobby.waiting.map((one) => (one === due ? { ...one, renewedMs: nowMs } : one));
  const next = { ...lobby, waiting, asked: [...lobby.asked, entry] };
  return [next, [{ type: "request", key: due.key, ask, bits: lobby.bits }]];
}

/** Its challenge waits like any other. */
function onSilence(lobby: LobbySession, key: number): LobbyStep {
  const waiting = lobby.waiting.map((one) => (one.key === key ? { ...one, house: false } : one));
  return [{ ...lobby, waiting }, [notice("house.silent")]];
}

/**
 * A request without an answer is signed anew. A challenge is not: each is another one. What became of
 * it `state` is asked, as for one from before the page was loaded again; the answer may come late, too.
 */
function onLate(lobby: LobbySession, late: Asked, nowMs: number): LobbyStep {
  const { ask, key } = late;
  const isChallenge = ask.kind === "challenge" || ask.kind === "open";
  if (late.times < MAX_TIMES && !isChallenge) {
    const asked = lobby.asked.map((one) => (one === late ? { ...one, signedAtMs: 0 } : one));
    return [{ ...lobby, asked }, [{ type: "request", key, ask, bits: lobby.bits }]];
  }
  const unanswered = ask.kind === "state" || ask.kind === "cancel" ? [] : [notice("request.unanswered")];
  const next = settled(lobby, key, !isChallenge);
  if (!isChallenge) return [next, unanswered];
  const waiting = next.waiting.map((one) => (one.key === key ? { ...one, key: -key } : one));
  const [asking, effects] = onAsk({ ...next, waiting }, { kind: "state" }, nowMs);
  return [asking, [...unanswered, ...effects]];
}
