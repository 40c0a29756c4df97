/** The actions that a player has in a game now. None is offered that the arbiter would refuse. */

import type { Color, GameState, GameView, OfferKind, Refusal } from "../arbiter/model.ts";
import { isClaimable, type Line } from "../board/position.ts";
import { turnOf } from "../shared/fen.ts";
import { isTextKey, t } from "../texts/index.ts";

export type Action = "abort" | "resign" | "draw" | "takeback" | "claim" | "claim-left" | "flag" | "rematch";

export interface Choices {
  readonly actions: readonly Action[];
  /** The opponent's offer, to accept or to decline. */
  readonly theirs: OfferKind | null;
  /** My own offer that still waits. */
  readonly mine: OfferKind | null;
}

const NOTHING: Choices = { actions: [], theirs: null, mine: null };
const DAY_MS = 86_400_000;
/** PROTOCOL.md, Words in a game: `draw` once in twenty plies. */
const PLIES_BETWEEN_DRAWS = 20;
/** Abort with notice: where a move may take more than three days, when three have passed. */
const SILENCE_DAYS = 3;
/** The arbiter ends a game on time by itself two seconds after the deadline; the button is for when it cannot. */
export const FLAG_AFTER_MS = 3000;
const LEFT_MS = 60_000;
const LIVE_REMATCH_SECONDS = 300;
const SLOW_REMATCH_SECONDS = 86_400;

/** `lastDraw` is the ply at which my last offer of a draw was seen; `nowMs` is the arbiter's. */
export function choices(view: GameView, line: Line | null, lastDraw: number | null, nowMs: number): Choices {
  const { confirmed: state, me } = view;
  if (!state || !me) return NOTHING;
  const offer = openOffer(state, nowMs);
  const theirs = offer && offer.by !== me ? offer.kind : null;
  const mine = offer && offer.by === me ? offer.kind : null;
  const isFree = !state.tournament;
  if (state.result !== null) {
    const canAsk = isFree && state.rematch === null && offer === null;
    return { actions: canAsk ? ["rematch"] : [], theirs, mine };
  }
  const isMyTurn = turnOf(state.fen) === me;
  const isLate = isMyTurn && state.deadline !== null && nowMs > state.deadline;
  const isExpired = !isMyTurn && state.deadline !== null && nowMs > state.deadline + FLAG_AFTER_MS;
  const actions: Action[] = [];
  if (isExpired) actions.push("flag");
  if (isFree && (state.ply < 2 || (!theirs && canAbortLate(state, isMyTurn, mine, nowMs)))) actions.push("abort");
  const mayOffer = theirs === null && !isLate;
  const ownPlies = Math.floor((state.ply + (firstTurn(state) === me ? 1 : 0)) / 2);
  if (mayOffer && isFree && !state.rated && ownPlies > 0 && mine !== "takeback") actions.push("takeback");
  const isSoon = lastDraw !== null && state.ply - lastDraw < PLIES_BETWEEN_DRAWS && state.ply >= lastDraw;
  if (mayOffer && mine !== "draw" && !isSoon && state.ply >= 2) actions.push("draw");
  if (!isLate && line && isClaimable(line)) actions.push("claim");
  const leftAtMs = claimableAtMs(state, me);
  if (leftAtMs !== null && nowMs >= leftAtMs) actions.push("claim-left");
  if (state.ply >= 2 || !isFree) actions.push("resign");
  return { actions, theirs: isLate ? null : theirs, mine };
}

/** Whether the player's opponent is away. */
export function hasLeft({ confirmed, me }: GameView): boolean {
  return confirmed?.result === null && me !== null && confirmed.away[me === "white" ? "black" : "white"] !== null;
}

/** PROTOCOL.md, Who is away: from when on this player can claim the game; `null` if not in this state. */
export function claimableAtMs(state: GameState, me: Color): number | null {
  const turn = turnOf(state.fen);
  const sinceSeconds = state.away[turn];
  if (turn === me || sinceSeconds === null || state.clock === null || state.ply < 2) return null;
  const neededMs = Math.min(Math.max(LEFT_MS, state.clock[turn] / 5), 3 * LEFT_MS);
  // The tag leaves out what is less than a second.
  return (sinceSeconds + 1) * 1000 + neededMs;
}

/** The offer of a state, unless it is a rematch that was not answered in time. */
function openOffer(state: GameState, nowMs: number): GameState["offer"] {
  if (state.offer?.kind !== "rematch") return state.offer;
  const seconds = state.time?.kind === "live" ? LIVE_REMATCH_SECONDS : SLOW_REMATCH_SECONDS;
  return nowMs - state.createdAt * 1000 > seconds * 1000 ? null : state.offer;
}

/** With no limit a state does not say since when the opponent thinks: then the arbiter decides. */
function canAbortLate(state: GameState, isMyTurn: boolean, mine: OfferKind | null, nowMs: number): boolean {
  if (isMyTurn) return false;
  if (state.time === null) return true;
  if (state.time.kind !== "days" || state.time.days <= SILENCE_DAYS || state.deadline === null) return false;
  const sinceMs = state.deadline - state.time.days * DAY_MS;
  const noticeDays = mine === "abort" ? SILENCE_DAYS + 1 : SILENCE_DAYS;
  return nowMs - sinceMs > noticeDays * DAY_MS;
}

function firstTurn(state: GameState): Color {
  return state.start === null ? "white" : turnOf(state.start);
}

/** The ply of my last offer of a draw, after this state too. */
export function drawOfferedAt(view: GameView, before: number | null): number | null {
  const state = view.confirmed;
  if (!state || state.result !== null) return before;
  if (before !== null && state.ply < before) return null;
  const isMine = state.offer?.kind === "draw" && state.offer.by === view.me;
  return isMine && (before === null || state.ply - before >= PLIES_BETWEEN_DRAWS) ? state.ply : before;
}

/** The words for an offer that ended in this state without being accepted. `mine` are my words that it answers. */
export function turnedDown(before: GameState, now: GameState, me: Color | null, mine: readonly string[]): string | null {
  const { offer } = before;
  if (!offer || now.offer || now.rematch || now.ply < before.ply) return null;
  if ((now.result === null) !== (before.result === null)) return null;
  // "Your own move ends your offer of a takeback."
  if (offer.kind === "takeback" && now.ply > before.ply && turnOf(before.fen) === offer.by) return null;
  const isWithdrawn = offer.kind === "rematch" && (offer.by === me) === mine.includes("rematch-decline");
  return t(isWithdrawn ? "offer.withdrawn" : `offer.declined.${offer.kind}`);
}

/** A refusal in plain words: what happened, and what to do. */
export function refusalText(refusal: Refusal): string {
  const key = `reason.${refusal.reason}`;
  return isTextKey(key) ? t(key, { text: refusal.text || refusal.reason }) : refusal.text || refusal.reason;
}

/** The end of the game, such as "Checkmate. White wins." */
export function endText(state: GameState): string {
  const key = `end.${state.termination ?? ""}`;
  const draw = `end.draw.${state.termination ?? ""}`;
  if (isTextKey(draw)) return t(draw);
  const how = isTextKey(key) ? t(key) : (state.termination ?? "");
  if (state.result === "1-0") return `${how} ${t("end.white")}`;
  if (state.result === "0-1") return `${how} ${t("end.black")}`;
  return state.result === "1/2-1/2" ? `${how} ${t("end.draw")}` : how;
}

/** The player's result: `won`, `lost` or `drawn`; `null` for a spectator or no result. */
export function outcomeFor(state: GameState, me: Color | null): "won" | "lost" | "drawn" | null {
  if (me === null || state.result === null || state.result === "*") return null;
  if (state.result === "1/2-1/2") return "drawn";
  return (state.result === "1-0") === (me === "white") ? "won" : "lost";
}
