/**
 * One game: what the arbiter has confirmed, and what this player has said since. Pure: each input
 * gives a new value and what is to be done.
 *
 * The arbiter's highest version is the truth. A move is drawn at once and pending until a state shows
 * it; what refuses it takes it back.
 */

import { backoff } from "../backoff.ts";
import { legalMove } from "./chess.ts";
import { turnOf } from "../shared/fen.ts";
import type { ArbiterError } from "./answers.ts";
import type { ChatLine, Color, GameId, GameNote, GameState, GameView, Pubkey, Refusal } from "./model.ts";
import { isAnswered, isInSeason, type Sent } from "./words.ts";

export interface GameSession {
  readonly view: GameView;
  readonly player: Pubkey | null;
  readonly sent: readonly Sent[];
  readonly nextKey: number;
  /** The present state as it was signed last: the arbiter knows that id for longest. */
  readonly newest: GameState | null;
  /** The time at which the present state, or `started` without one, came. */
  readonly heardMs: number;
  /** Until then nothing more is asked. */
  readonly quietUntilMs: number;
  /** The number of questions for a state that had no answer. */
  readonly asks: number;
}

export type GameInput =
  | { readonly type: "state"; readonly state: GameState }
  | { readonly type: "error"; readonly error: ArbiterError }
  | { readonly type: "note"; readonly note: GameNote }
  | { readonly type: "line"; readonly line: ChatLine }
  | { readonly type: "move"; readonly uci: string }
  | { readonly type: "word"; readonly content: string }
  | { readonly type: "clear-premoves" }
  | { readonly type: "signed"; readonly key: number; readonly eventId: string }
  | { readonly type: "unsigned"; readonly key: number }
  | { readonly type: "tick"; readonly offsetMs: number; readonly connected: boolean };

export type GameEffect =
  /** Sign this as the answer to that state, and publish it. */
  | { readonly type: "sign"; readonly key: number; readonly content: string; readonly answers: string }
  /** Ask for the present state. */
  | { readonly type: "ask" };

export type GameStep = readonly [GameSession, readonly GameEffect[]];

export const UNANSWERED_MS = 10_000;
const MAX_UNANSWERED_MS = 80_000;
const MAX_TIMES = 3;
const MAX_PREMOVES = 30;
/** The arbiter ends a game on time by itself two seconds after the deadline. */
const FLAG_AFTER_MS = 5_000;
const ASK_AGAIN_MS = 5_000;
const MAX_QUIET_MS = 60_000;
const TIME_LEFT_MS = 30_000;
const FIRST_ASK_MS = 2_000;
const MAX_LINES = 200;

/** Reasons that say that a newer state has not come here. */
const LOOK_AGAIN = new Set(["stale", "not-your-turn", "game-over", "no-offer", "unknown-game", "time-left"]);

export function newSession(game: GameId, player: Pubkey | null, nowMs: number): GameSession {
  const view: GameView = {
    game, me: null, confirmed: null, pendingMove: null, pendingWords: [], premoves: [],
    refused: null, chat: [], note: null, strikes: null,
  };
  return { view, player, sent: [], nextKey: 1, newest: null, heardMs: nowMs, quietUntilMs: 0, asks: 0 };
}

export function stepGame(session: GameSession, input: GameInput, nowMs: number): GameStep {
  switch (input.type) {
    case "state": return onState(session, input.state, nowMs);
    case "error": return onError(session, input.error, nowMs);
    case "note": return [seen(session, { note: input.note }), []];
    case "line": return [onLine(session, input.line), []];
    case "move": return onMove(session, input.uci);
    case "word": return onWord(session, input.content);
    case "clear-premoves": return [seen(session, { premoves: [] }), []];
    case "signed": return [onSigned(session, input.key, input.eventId, nowMs), []];
    case "unsigned": return [onUnsigned(session, input.key), []];
    case "tick": return onTick(session, nowMs, input);
  }
}

function seen(session: GameSession, change: Partial<GameView>): GameSession {
  return { ...session, view: { ...session.view, ...change } };
}

/** With other words of mine; the view follows. */
function withSent(session: GameSession, sent: readonly Sent[], refused?: Refusal | null): GameSession {
  const change = {
    pendingMove: sent.find((word) => word.isMove) ?? null,
    pendingWords: sent.filter((word) => !word.isMove),
    ...(refused === undefined ? {} : { refused }),
  };
  return { ...seen(session, change), sent };
}

function onState(session: GameSession, state: GameState, nowMs: number): GameStep {
  const { view, player } = session;
  const before = view.confirmed;
  if (state.game !== view.game || (before && state.version < before.version)) return [session, []];
  if (before && state.version === before.version) {
    // The same, signed again because somebody asked, or a player left or came back.
    if (state.createdAt < (session.newest ?? before).createdAt) return [session, []];
    const { away } = state;
    const isSame = away.white === before.away.white && away.black === before.away.black;
    const heard = { ...session, newest: state };
    return [isSame ? heard : seen(heard, { confirmed: { ...before, away } }), []];
  }
  const me: Color | null =
    state.white === player ? "white" : state.black === player ? "black" : null;
  const over = state.result !== null;
  const left = session.sent.filter((word) => !isAnswered(word, state, me));
  const heard = { ...session, newest: state, heardMs: nowMs, asks: 0 };
  const change = { confirmed: state, me, ...(over ? { premoves: [] } : {}) };
  return playOn(withSent(seen(heard, change), left, null));
}

/** In a new state, send what waited for it, and play the next premove. */
function playOn(session: GameSession): GameStep {
  const { view, newest: state } = session;
  if (!state || view.pendingMove) return [session, []];
  const answering = session.sent.map((word) =>
    word.answers === null ? { ...word, answers: state.eventId, ply: state.ply, fen: state.fen } : word,
  );
  const effects = answering.flatMap((word, index) =>
    session.sent[index]?.answers === null ? [signing(word)] : [],
  );
  const ready = withSent(session, answering);
  const [next, ...later] = view.premoves;
  if (next === undefined || !isMyTurn(view)) return [ready, effects];
  const legal = legalMove(state, next);
  if (legal === null) return [seen(ready, { premoves: [] }), effects];
  const [played, sent] = say(seen(ready, { premoves: later }), legal, true, state);
  return [played, [...effects, ...sent]];
}

function isMyTurn(view: GameView): boolean {
  const state = view.confirmed;
  return state !== null && state.result === null && turnOf(state.fen) === view.me;
}

function signing(word: Sent): GameEffect {
  return { type: "sign", key: word.key, content: word.content, answers: word.answers ?? "" };
}

/** Says it now; or, while a move of mine is pending, once a state shows that move. */
function say(session: GameSession, content: string, isMove: boolean, state: GameState): GameStep {
  const waits = session.view.pendingMove !== null;
  const word: Sent = {
    key: session.nextKey, content, isMove, eventId: null, ids: [], signedAtMs: 0, times: 1,
    answers: waits ? null : (session.newest ?? state).eventId, ply: state.ply, fen: state.fen,
  };
  const next = { ...session, nextKey: session.nextKey + 1 };
  return [withSent(next, [...session.sent, word], null), waits ? [] : [signing(word)]];
}

function onMove(session: GameSession, uci: string): GameStep {
  const { view } = session;
  const state = view.confirmed;
  if (!state || !view.me || state.result !== null) return [session, []];
  if (!isMyTurn(view) || view.pendingMove) {
    const premoves = [...view.premoves, uci.toLowerCase()].slice(0, MAX_PREMOVES);
    return [seen(session, { premoves }), []];
  }
  // An illegal move is a strike: it never leaves this browser.
  const legal = legalMove(state, uci);
  const refused = { reason: "illegal-move", text: "" };
  return legal === null ? [seen(session, { refused }), []] : say(session, legal, true, state);
}

function onWord(session: GameSession, content: string): GameStep {
  const { view } = session;
  const state = view.confirmed;
  if (!state || !view.me || !isInSeason(content, state)) return [session, []];
  if (session.sent.some((word) => word.content === content)) return [session, []];
  return say(session, content, false, state);
}

function onSigned(session: GameSession, key: number, eventId: string, nowMs: number): GameSession {
  const sent = session.sent.map((word) =>
    word.key === key
      ? { ...word, eventId, ids: [...word.ids, eventId], signedAtMs: nowMs }
      : word,
  );
  return withSent(session, sent);
}

function onUnsigned(session: GameSession, key: number): GameSession {
  const unsigned = session.sent.find((word) => word.key === key);
  if (!unsigned) return session;
  const left = session.sent.filter((word) => word !== unsigned);
  const refused = { reason: "unsigned", text: "" };
  return withSent(unsigned.isMove ? seen(session, { premoves: [] }) : session, left, refused);
}

function onError(session: GameSession, error: ArbiterError, nowMs: number): GameStep {
  const word = session.sent.find(({ ids }) => ids.includes(error.event));
  if (!word) return [session, []];
  const left = session.sent.filter((one) => one !== word);
  const change = { premoves: word.isMove ? [] : session.view.premoves, strikes: error.strikes ?? session.view.strikes };
  const refused = withSent(seen(session, change), left, error.refusal);
  // The decision was for a position that is gone: look at the present one before anything else.
  const reread = LOOK_AGAIN.has(error.refusal.reason);
  const [next, effects] = playOn(refused);
  if (!reread) return [next, effects];
  // While the arbiter hears no relay no clock runs, which its deadlines do not show.
  const quietMs = error.refusal.reason === "time-left" ? TIME_LEFT_MS : ASK_AGAIN_MS;
  return [{ ...next, quietUntilMs: nowMs + quietMs }, [...effects, { type: "ask" }]];
}

function onLine(session: GameSession, line: ChatLine): GameSession {
  const { view } = session;
  const isHidden = line.room === "spectators" && view.me !== null && !view.confirmed?.result;
  if (line.text === "" || isHidden) return session;
  if (view.chat.some((one) => one.id === line.id)) return session;
  return seen(session, { chat: [...view.chat, line].slice(-MAX_LINES) });
}

function onTick(
  session: GameSession, nowMs: number,
  { offsetMs, connected }: { readonly offsetMs: number; readonly connected: boolean },
): GameStep {
  if (!connected) return [session, []];
  const [repeated, effects] = repeat(session, nowMs);
  const state = repeated.view.confirmed;
  const mayAsk = nowMs >= repeated.quietUntilMs;
  const asked: GameSession = {
    ...repeated,
    asks: repeated.asks + 1,
    quietUntilMs: nowMs + backoff(ASK_AGAIN_MS, MAX_QUIET_MS, repeated.asks),
  };
  if (!state) {
    if (!mayAsk || nowMs - repeated.heardMs < FIRST_ASK_MS) return [repeated, effects];
    return [asked, [...effects, { type: "ask" }]];
  }
  const lateMs = state.deadline === null ? 0 : nowMs + offsetMs - state.deadline;
  if (state.result !== null || lateMs < FLAG_AFTER_MS || !mayAsk) return [repeated, effects];
  if (repeated.view.me === null || isMyTurn(repeated.view)) {
    return [asked, [...effects, { type: "ask" }]];
  }
  const [flagged, more] = onWord(asked, "flag");
  return [flagged, [...effects, ...more]];
}

/** Sign anew what nothing has answered, with the same `e`: relays drop an event they have seen. */
function repeat(session: GameSession, nowMs: number): GameStep {
  const effects: GameEffect[] = [];
  const left = session.sent.filter((word) => {
    const patienceMs = backoff(UNANSWERED_MS, MAX_UNANSWERED_MS, word.times - 1);
    if (word.signedAtMs === 0 || nowMs - word.signedAtMs < patienceMs) return true;
    const must = word.isMove || word.content === "resign";
    if (!must && word.times >= MAX_TIMES) return false;
    effects.push(signing(word));
    return true;
  });
  const waiting = left.map((word) =>
    effects.some((effect) => effect.type === "sign" && effect.key === word.key)
      ? { ...word, signedAtMs: 0, times: word.times + 1 }
      : word,
  );
  if (effects.length === 0 && left.length === session.sent.length) return [session, effects];
  const lost = left.length < session.sent.length;
  const refused = lost ? { reason: "unanswered", text: "" } : session.view.refused;
  return [withSent(session, waiting, refused), effects];
}
