/** The check of a game's transcript, with no word of the arbiter trusted but its signed note. */

import { Chess, normalizeMove } from "chessops/chess";
import { INITIAL_FEN, parseFen } from "chessops/fen";
import { parseUci } from "chessops/util";
import { type NostrEvent, verifyEvent } from "nostr-tools/pure";
import { valueOf } from "../net/event.ts";

export interface Line {
  readonly id: string;
  readonly shown?: string;
  readonly event?: NostrEvent;
}

export interface Header {
  readonly game: string;
  readonly arbiter: string;
  readonly white: string;
  readonly black: string;
  readonly start: string;
  readonly variant: string;
  /** Empty where a release that keeps none played a part of the game: lines are missing of which nothing tells. */
  readonly chain: string;
  /** The first link, where there are no requests to compute it of. */
  readonly first?: string;
}

export interface Found {
  readonly how: "proven" | "said by the arbiter" | "missing" | "wrong";
  readonly text: string;
}

const NO_EVENT = "0".repeat(48);
const GAME_MOVE = 20303;
/** Ends that the position or a player's word proves. */
const PROVEN = new Set(["checkmate", "stalemate", "resignation", "agreement"]);
/** Charged beyond what both players' dates allow: their clocks may be off, and events wait. */
const CLOCK_TOLERANCE_MS = 10_000;
/** Ends by a move. */
const BY_MOVE = new Set(["checkmate", "stalemate", "insufficient-material", "fivefold-repetition", "seventyfive-moves"]);
const DRAWN = new Set(["stalemate", "insufficient-material", "fivefold-repetition", "seventyfive-moves", "agreement", "threefold-repetition", "fifty-moves"]);

/** A flaw, with its place. */
class Wrong extends Error {}

export async function check(header: Header, lines: readonly Line[], note: NostrEvent | null): Promise<Found[]> {
  try {
    return await checked(header, lines, note);
  } catch (flaw) {
    if (!(flaw instanceof Wrong)) throw flaw;
    return [{ how: "wrong", text: flaw.message }];
  }
}

async function checked(header: Header, lines: readonly Line[], note: NostrEvent | null): Promise<Found[]> {
  const found: Found[] = [];
  const requests = lines.filter((line) => !line.shown);
  const states = lines.slice(requests.length);
  const ids = requests.map((line) => line.id);
  if (!states.every((line) => line.shown) || ids.join() !== [...new Set(ids)].sort().join() || (ids.length > 0 && header.first))
    throw new Wrong("the requests are not first, each once, by their ids");
  if (header.first || (!header.chain && ids.length === 0)) found.push({ how: "missing", text: "the requests that the game was made of, and its terms" });
  if (!header.chain) found.push({ how: "missing", text: "the chain: a release that keeps none played a part of the game, so each line is by itself" });
  for (const [at, line] of lines.entries()) {
    if (line.event) signed(header, line, line.event, at + 1);
    else if (!line.id.startsWith(NO_EVENT)) found.push({ how: "missing", text: `line ${at + 1}: the event ${line.id} is not here` });
  }
  let chain = header.first ? bytes(header.first) : await sha256(bytes(header.game + ids.join("")));
  for (const line of states) chain = await nextLink(chain, line.id, line.shown ?? "");
  const board = played(header, states, found);
  if (header.chain && hex(chain) !== header.chain) throw new Wrong("the links do not lead to the chain that the first line names");
  const { result, ended, isProven } = ending(states, board);
  if (!header.chain && ended === "-") found.push({ how: "missing", text: "what followed the last state" });
  if (note) {
    if (!isNoteOf(header, note, result)) throw new Wrong("the arbiter signed another history");
    if (header.chain) found.push({ how: "proven", text: "the arbiter signed this history, and its result" });
    else found.push({ how: "said by the arbiter", text: `by its note the result is ${valueOf(note, "result")}` });
  } else found.push({ how: "missing", text: "the arbiter's note, by which it signed this history" });
  charged(header, states, found);
  const events = lines.filter((line) => line.event).length;
  found.push({ how: "proven", text: `the players signed ${events} of ${lines.length} lines, for this game` });
  found.push({ how: "proven", text: `${board.plies} half-moves are legal, in this order` });
  if (ended !== "-") found.push({ how: isProven ? "proven" : "said by the arbiter", text: `the result is ${result}, by ${ended}` });
  if (states.some((line) => !line.shown?.includes(" - - ")))
    found.push({ how: "said by the arbiter", text: "what the clocks showed, by when the arbiter received each event" });
  return found;
}

/** Throws if no player of this game signed this event for it. */
function signed(header: Header, line: Line, event: NostrEvent, number: number): void {
  const has = (name: string, value: string): boolean => event.tags.some((tag) => tag[0] === name && tag[1] === value);
  const isNative = event.kind === GAME_MOVE || event.kind === 20300;
  if (event.id !== line.id) throw new Wrong(`line ${number}: this is another event than the one of the line`);
  if (event.pubkey !== header.white && event.pubkey !== header.black) throw new Wrong(`line ${number}: neither player signed it`);
  // A new object: nostr-tools keeps on an event that it was verified.
  if (!verifyEvent({ ...event })) throw new Wrong(`line ${number}: its signature or its id is false`);
  if (isNative && !has("p", header.arbiter)) throw new Wrong(`line ${number}: it is for another arbiter`);
  if (event.kind === GAME_MOVE && line.shown && !has("d", header.game)) throw new Wrong(`line ${number}: it is of another game`);
}

interface Board {
  readonly position: Chess;
  /** Lines before some state are missing, so that the position is not known from there on. */
  readonly isCut: boolean;
  readonly plies: number;
}

interface Shown {
  readonly ply: number;
  readonly uci: string;
  readonly offer: string;
  readonly result: string;
  readonly ended: string;
}

const BEGINNING: Shown = { ply: 0, uci: "-", offer: "-", result: "*", ended: "-" };

function read(shown: string, where: string): Shown {
  const [ply = "", uci = "", offer = "", white = "", black = "", result = "", ended = "", ...more] = shown.split(" ");
  const isTime = [white, black].every((it) => /^(-|-?\d{1,15})$/.test(it));
  if (!/^\d{1,6}$/.test(ply) || !isTime || !ended || more.length > 0) throw new Wrong(`${where}: it shows no state`);
  return { ply: Number(ply), uci, offer, result, ended };
}

/** The game up to some state: its positions and moves by ply, and the events that made states. */
interface Told {
  readonly positions: [Chess, ...Chess[]];
  readonly moves: string[];
  readonly used: Set<string>;
  before: Shown;
  id: string;
}

/** The last position; throws where a state does not follow from the one before, though no line is missing. */
function played(header: Header, states: readonly Line[], found: Found[]): Board {
  const start = parseFen(header.start).chain((setup) => Chess.fromSetup(setup));
  if (start.isErr) throw new Wrong("the first position is none");
  const told: Told = { positions: [start.value], moves: ["-"], used: new Set(), before: BEGINNING, id: "" };
  let isCut = false;
  for (const [at, line] of states.entries()) {
    const where = `state ${at + 1}`;
    const now = read(line.shown ?? "", where);
    try {
      if (!isCut) follow(header, told, line, now, where, found);
    } catch (flaw) {
      if (header.chain) throw flaw;
      isCut = true;
      found.push({ how: "missing", text: `what led to ${where}, and so the position from there on` });
    }
  }
  return { position: told.positions.at(-1) ?? start.value, plies: told.positions.length - 1, isCut };
}

/** Goes on by this state; throws where it does not follow, by who was to say so. */
function follow(header: Header, told: Told, { id, event }: Line, now: Shown, where: string, found: Found[]): void {
  const { positions, moves, used, before } = told;
  const own = event?.kind === GAME_MOVE ? event.content : null;
  const isLines = own?.startsWith("lines:") === true;
  const isMove = now.ply > before.ply;
  if (id !== told.id) {
    if (used.has(id) && !(isMove && (isLines || !event))) throw new Wrong(`${where}: its event made an earlier state`);
    if (before.ended !== "-") throw new Wrong(`${where}: the game was over`);
  }
  used.add(id);
  const last = positions.at(-1) ?? positions[0];
  const me = event && (event.pubkey === header.white ? "w" : "b");
  const isOnTurn = me === last.turn[0];
  if (isMove && event && !isOnTurn) throw new Wrong(`${where}: it was not the turn of who signed this`);
  if (me && own !== null && !(isLines ? isMove : isSaidBy(own, me, isOnTurn, before, now)))
    throw new Wrong(`${where}: the player signed ${own}`);
  const hasResult = now.ended !== "-" && now.ended !== "aborted";
  const wins = { white: "1-0", black: "0-1" }[last.turn];
  if (hasResult !== (now.result !== "*") || (DRAWN.has(now.ended) && now.result !== "1/2-1/2") || (/^(timeout|illegal-moves)$/.test(now.ended) && now.result === wins))
    throw new Wrong(`${where}: the result ${now.result}, by ${now.ended}, does not follow`);
  if (isMove) {
    const position = last.clone();
    const move = parseUci(now.uci);
    if (!move || now.ply !== positions.length || !position.isLegal(normalizeMove(position, move))) throw new Wrong(`${where}: ${now.uci} is not legal`);
    position.play(normalizeMove(position, move));
    positions.push(position);
    moves.push(now.uci);
    if (isLines) found.push({ how: "said by the arbiter", text: `${where}: half-move ${now.ply} is by ${last.turn === "white" ? "White" : "Black"}'s lines, which it alone saw` });
  } else positions.length = moves.length = now.ply + 1;
  if (moves.at(-1) !== now.uci) throw new Wrong(`${where}: it does not follow from the version before`);
  told.before = now;
  told.id = id;
}

/** Whether this word of the player `me` leads from one state to the next. */
function isSaidBy(word: string, me: "w" | "b", isOnTurn: boolean, before: Shown, now: Shown): boolean {
  const other = me === "w" ? "b" : "w";
  const isLost = now.result === (me === "w" ? "0-1" : "1-0");
  if (now.ply > before.ply) return sameMove(word, now.uci) && (now.ended === "-" || BY_MOVE.has(now.ended));
  // Of who asked for it the last move is undone, and the reply to it.
  if (now.ply < before.ply) return word === "takeback" && before.offer === `takeback:${other}` && now.ended === "-" && before.ply - now.ply === (isOnTurn ? 1 : 2);
  switch (now.ended) {
    case "-": {
      const isDeclined = now.offer === "-" && `${before.offer.split(":")[0]}-decline` === word && before.offer.endsWith(`:${other}`);
      if (/^vacation:[1-9]\d?$/.test(word)) return now.offer === before.offer;
      return isDeclined || (now.offer === `${word}:${me}` && !before.offer.endsWith(`:${other}`));
    }
    case "resignation": return /^(resign|quit)$/.test(word) && isLost;
    case "agreement": return word === "draw" && before.offer === `draw:${other}`;
    case "threefold-repetition":
    case "fifty-moves": return word === "claim";
    case "left": return word === "claim-left" && !isOnTurn && !isLost;
    case "illegal-moves": return isOnTurn;
    default:
      // Time ended the game, or a player before both had moved: the arbiter's word.
      return /^(aborted|timeout|no-show)$/.test(now.ended);
  }
}

/** Compares what the arbiter took off each mover's clock with both players' dates, once both have moved. */
function charged({ white }: Header, states: readonly Line[], found: Found[]): void {
  for (const [at, { shown = "", event }] of states.entries()) {
    const before = states[at - 1];
    if (!event || !before?.event || Number.parseInt(before.shown ?? "", 10) < 2) continue;
    const isWhite = event.pubkey === white;
    const [then, now] = [before.shown ?? "", shown].map((text) => Number(text.split(" ")[isWhite ? 3 : 4]));
    const [taken, dated] = [(then ?? NaN) - (now ?? NaN), 1000 * (event.created_at - before.event.created_at)];
    if (taken > Math.max(dated, 0) + CLOCK_TOLERANCE_MS)
      found.push({ how: "said by the arbiter", text: `state ${at + 1}: ${isWhite ? "White" : "Black"} lost ${Math.round(taken / 1000)} s in ${dated / 1000} s by both dates` });
  }
}

/** Castling may be signed as the king that takes its rook. */
function sameMove(signedAs: string, uci: string): boolean {
  const move = signedAs.toLowerCase();
  return move === uci || (/^e[18][ah][18]$/.test(move) && /^e[18][cg][18]$/.test(uci) && move[1] === uci[1] && move[2] === (uci[2] === "g" ? "h" : "a"));
}

function ending(states: readonly Line[], { position, isCut }: Board): { result: string; ended: string; isProven: boolean } {
  const last = states.at(-1);
  const { result, ended } = last ? read(last.shown ?? "", "the last state") : BEGINNING;
  const isNative = last?.event?.kind === GAME_MOVE;
  if (isCut) return { result, ended, isProven: false };
  const isByBoard: Readonly<Record<string, boolean>> = {
    checkmate: position.isCheckmate() && result === (position.turn === "white" ? "0-1" : "1-0"),
    stalemate: position.isStalemate(),
  };
  if (isByBoard[ended] === false) throw new Wrong(`the result ${result}, by ${ended}, does not follow`);
  if (ended === "-" && (position.isCheckmate() || position.isStalemate())) throw new Wrong("the game is over, and the last state shows no end");
  // The words of other protocols are not read here.
  return { result, ended, isProven: PROVEN.has(ended) && (isNative || ended in isByBoard) };
}

function isNoteOf(header: Header, note: NostrEvent, result: string): boolean {
  const all = (name: string): string => note.tags.filter((tag) => tag[0] === name).map((tag) => tag[1]).join();
  const isSame = all("d") === header.game && (!header.chain || (all("chain") === header.chain && all("result") === result));
  const tag = (name: string): string | undefined => new RegExp(`^\\[${name} "([^"]*)"\\]$`, "m").exec(note.content)?.[1];
  const isBegunSo = (tag("FEN") ?? INITIAL_FEN) === header.start && (tag("Variant") ?? "standard").toLowerCase() === header.variant;
  return verifyEvent({ ...note }) && note.pubkey === header.arbiter && isSame && isBegunSo && all("p") === `${header.white},${header.black}`;
}

/** The chain once this event made a version that shows this state. */
export function nextLink(chain: Uint8Array<ArrayBuffer>, id: string, shown: string): Promise<Uint8Array<ArrayBuffer>> {
  return sha256(new Uint8Array([...chain, ...bytes(id), ...new TextEncoder().encode(shown)]));
}

async function sha256(data: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", data));
}

export function bytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text.match(/[0-9a-f]{2}/g) ?? [], (pair) => Number.parseInt(pair, 16));
}

export function hex(data: Uint8Array): string {
  return [...data].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
