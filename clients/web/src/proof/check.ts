/** The check of a game's transcript, with no word of the arbiter trusted but its signed note. */

import { Chess, normalizeMove } from "chessops/chess";
import { parseFen } from "chessops/fen";
import { parseUci } from "chessops/util";
import { type NostrEvent, verifyEvent } from "nostr-tools/pure";

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
  readonly chain: string;
}

export interface Found {
  readonly how: "proven" | "said by the arbiter" | "missing" | "wrong";
  readonly text: string;
}

const NO_EVENT = "0".repeat(48);
const GAME_MOVE = 20303;
/** Ends that the position or a player's word proves. */
const PROVEN = new Set(["checkmate", "stalemate", "resignation", "agreement"]);

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
  if (!states.every((line) => line.shown) || ids.join() !== [...new Set(ids)].sort().join())
    throw new Wrong("the requests are not first, each once, by their ids");
  for (const [at, line] of lines.entries()) {
    if (line.event) signed(header, line, line.event, at + 1);
    else if (!line.id.startsWith(NO_EVENT)) found.push({ how: "missing", text: `line ${at + 1}: the event ${line.id} is not here` });
  }
  let chain = await sha256(bytes(header.game + ids.join("")));
  for (const line of states) chain = await sha256(new Uint8Array([...chain, ...bytes(line.id), ...new TextEncoder().encode(line.shown)]));
  const board = played(header, states);
  if (hex(chain) !== header.chain) throw new Wrong("the links do not lead to the chain that the first line names");
  const { result, ended, isProven } = ending(header, states, board);
  if (note) {
    if (!isNoteOf(header, note, result)) throw new Wrong("the arbiter signed another history");
    found.push({ how: "proven", text: "the arbiter signed this history, and its result" });
  } else found.push({ how: "missing", text: "the arbiter's note, by which it signed this history" });
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
  readonly plies: number;
}

/** The last position; throws where a state does not follow from the one before. */
function played(header: Header, states: readonly Line[]): Board {
  const start = parseFen(header.start).chain((setup) => Chess.fromSetup(setup));
  if (start.isErr) throw new Wrong("the first position is none");
  const positions = [start.value];
  const used = new Set<string>();
  for (const [at, { id, shown = "", event }] of states.entries()) {
    const [ply = "", uci = ""] = shown.split(" ");
    const before = states[at - 1];
    if (before && before.id !== id) {
      if (used.has(id)) throw new Wrong(`state ${at + 1}: its event made an earlier state`);
      if (!before.shown?.endsWith(" -")) throw new Wrong(`state ${at + 1}: the game was over`);
    }
    used.add(id);
    if (shown.split(" ").length !== 7 || !/^\d+$/.test(ply)) throw new Wrong(`state ${at + 1}: it shows no state`);
    if (Number(ply) < positions.length) {
      positions.length = Number(ply) + 1;
      continue;
    }
    const position = positions[positions.length - 1]?.clone();
    const move = parseUci(uci);
    if (event?.kind === GAME_MOVE && !sameMove(event.content, uci)) throw new Wrong(`state ${at + 1}: the player signed ${event.content}`);
    if (!position || !move || Number(ply) !== positions.length || !position.isLegal(normalizeMove(position, move)))
      throw new Wrong(`state ${at + 1}: ${uci} is not legal`);
    position.play(normalizeMove(position, move));
    positions.push(position);
  }
  return { position: positions[positions.length - 1] ?? start.value, plies: positions.length - 1 };
}

/** Castling may be signed as the king that takes its rook. */
function sameMove(signedAs: string, uci: string): boolean {
  return signedAs.toLowerCase() === uci || (/^e[18][ah][18]$/.test(signedAs) && /^e[18][cg][18]$/.test(uci));
}

function ending(header: Header, states: readonly Line[], { position }: Board): { result: string; ended: string; isProven: boolean } {
  const last = states[states.length - 1];
  const [, , , , , result = "*", ended = "-"] = (last?.shown ?? "").split(" ");
  const author = last?.event?.pubkey;
  const word = last?.event?.content ?? "";
  const loser = result === "1-0" ? header.black : header.white;
  const wasOffered = states.some(({ shown = "" }) => shown.includes(` draw:${author === header.white ? "b" : "w"} `));
  const isNative = last?.event?.kind === GAME_MOVE;
  const isRight: Readonly<Record<string, boolean>> = {
    checkmate: position.isCheckmate() && result === (position.turn === "white" ? "0-1" : "1-0"),
    stalemate: position.isStalemate() && result === "1/2-1/2",
    resignation: !isNative || (/^(resign|quit)$/.test(word) && author === loser),
    agreement: !isNative || (wasOffered && result === "1/2-1/2"),
  };
  if (PROVEN.has(ended) && !isRight[ended]) throw new Wrong(`the result ${result}, by ${ended}, does not follow`);
  if (ended === "-" && (position.isCheckmate() || position.isStalemate())) throw new Wrong("the game is over, and the last state shows no end");
  // The words of other protocols are not read here.
  return { result, ended, isProven: PROVEN.has(ended) && (isNative || ended === "checkmate" || ended === "stalemate") };
}

function isNoteOf(header: Header, note: NostrEvent, result: string): boolean {
  const all = (name: string): string => note.tags.filter((tag) => tag[0] === name).map((tag) => tag[1]).join();
  const isSame = all("d") === header.game && all("chain") === header.chain && all("result") === result;
  return verifyEvent({ ...note }) && note.pubkey === header.arbiter && isSame && all("p") === `${header.white},${header.black}`;
}

async function sha256(data: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", data));
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text.match(/[0-9a-f]{2}/g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function hex(data: Uint8Array): string {
  return [...data].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
