/** Events as the page reads them, asks for them and commands them. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { schnorr } from "@noble/curves/secp256k1.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { npubEncode } from "nostr-tools/nip19";

import { choices } from "../src/pages/game_rules.ts";
import type { NostrEvent, Tag } from "../src/net/event.ts";
import { parseAnswer, parseRound, parseStandings, parseTournament } from "../src/tournaments/answers.ts";
import { cellsOf, EMPTY, heard, ownBoard, resultText, roundsOf, stagesOf, type Book } from "../src/tournaments/book.ts";
import { joinProof, NONE, stepCommands, termsTags, type CommandInput, type Commands, type Sent } from "../src/tournaments/commands.ts";
import { TournamentSession } from "../src/tournaments/session.ts";
import { atPage, RELAY } from "./page.ts";
import { ARBITER, AT, BLACK, byArbiter, byStranger, GAME, stateAfter, stateEvent, WHITE, WHITE_SECRET } from "./signed.ts";

const ID = "0123456789abcdef".repeat(2);
const ADDRESS = `30327:${ARBITER}:${ID}`;

function tournamentEvent(version: number, tags: readonly Tag[] = [], at = AT): NostrEvent {
  const usual: Tag[] = [
    ["d", ID], ["title", "Club evening"], ["format", "round-robin"], ["time", "180+2"], ["starts", String(AT + 60)], ["status", "open"],
    ["p", WHITE, "", "organiser"], ["p", BLACK, "", "deputy"], ["players", "2"], ["version", String(version)],
  ];
  const given = new Set(tags.map(([name]) => name));
  return byArbiter(30327, "Bring cake", [...usual.filter(([name]) => !given.has(name)), ...tags], at);
}

function roundEvent(round: number, version: number, boards: readonly Tag[], status = "playing", page = 1): NostrEvent {
  return byArbiter(30328, "", [["d", `${ID}:${round}:${page}`], ["a", ADDRESS], ["status", status], ...boards, ["version", String(version)]]);
}

const board = (number: number, white: string, black: string, game = "", result = "", ...more: string[]): Tag => ["b", String(number), white, black, game, result, ...more];

function bookOf(...events: readonly NostrEvent[]): Book {
  return events.reduce((book, event) => heard(book, event, ARBITER), EMPTY);
}

test("an event is read with its terms, and with the usual ones where a tag is missing", () => {
  const read = parseTournament(tournamentEvent(3, [["interval", "manual"], ["entry", "secret", WHITE], ["tiebreaks", "DE", "<b>", "SB"]]), ARBITER)!;
  assert.deepEqual(
    [read.title, read.description, read.format, read.time, read.interval, read.entry, read.entryKey, read.tieBreaks, read.organiser, read.deputies, read.version],
    ["Club evening", "Bring cake", "round-robin", { kind: "live", base: 180, increment: 2 }, null, "secret", WHITE, ["DE", "SB"], WHITE, [BLACK], 3],
  );
  assert.deepEqual([read.noShow, read.limit, read.late, read.cycles, read.rated, read.bots, read.next], [60, 500, 1, 1, false, false, null]);
  assert.equal(parseTournament(tournamentEvent(1), ARBITER)?.interval, 30);
});

test("a title cannot hide or turn the text around it, nor be longer than eighty characters", () => {
  const read = parseTournament(tournamentEvent(1, [["title", `\u202eevil\n${"x".repeat(200)}`]]), ARBITER)!;
  assert.match(read.title, /^evil x+$/);
  assert.equal(read.title.length, 80);
});

test("what another key signs, and what lacks a part, is no event, round or standings", () => {
  assert.equal(parseTournament({ ...tournamentEvent(1), pubkey: WHITE }, ARBITER), null);
  for (const tag of [["d", "x"], ["format", "league"], ["time", "3d"], ["status", "?"], ["version", "-1"], ["p", WHITE, "", "deputy"]] satisfies Tag[]) {
    assert.equal(parseTournament(tournamentEvent(1, [tag]), ARBITER), null, tag.join());
  }
  const stranger = byStranger(30328, "", roundEvent(1, 9, [board(1, WHITE, BLACK)]).tags);
  assert.equal(parseRound(stranger, ARBITER), null);
  assert.equal(bookOf(byStranger(30329, "", [["d", ID], ["version", "9"]])), EMPTY);
  const read = parseRound(roundEvent(1, 1, [board(1, WHITE, "<b>"), board(2, WHITE, BLACK, "x", "2-0"), ["bye", BLACK, "Q"]]), ARBITER)!;
  assert.deepEqual(read.boards, [{ number: 2, white: WHITE, black: BLACK, game: null, result: null, isCorrected: false }]);
  assert.deepEqual(read.byes, []);
});

test("of two of one address the higher version counts, in whatever order relays send them", () => {
  const older = tournamentEvent(4, [["status", "open"]], AT + 99);
  const newer = tournamentEvent(5, [["status", "playing"]]);
  for (const order of [[older, newer], [newer, older], [newer, older, newer]]) {
    assert.equal(bookOf(...order).tournaments.get(ID)?.status, "playing");
  }
  const book = bookOf(newer);
  assert.equal(heard(book, older, ARBITER), book, "nothing is drawn anew");
});

test("a round is all of its pages, and each page has its own version", () => {
  const book = bookOf(
    roundEvent(2, 7, [board(33, BLACK, WHITE, GAME)], "playing", 2),
    roundEvent(2, 6, [board(1, WHITE, BLACK, GAME, "1-0")], "done", 1),
    roundEvent(1, 3, [board(1, WHITE, BLACK, "", "+/-")], "done"),
  );
  const rounds = roundsOf(book, ID);
  assert.deepEqual(rounds.map(({ number, status, boards }) => [number, status, boards.map((one) => one.number)]), [[1, "done", [1]], [2, "playing", [1, 33]]]);
  assert.deepEqual(ownBoard(rounds, WHITE), { round: 2, board: rounds[1]!.boards[1], isPlanned: false });
  assert.equal(ownBoard(rounds, ARBITER), null);
});

test("a board without a game is one that begins soon", () => {
  const rounds = roundsOf(bookOf(roundEvent(1, 1, [board(1, WHITE, BLACK)], "planned")), ID);
  assert.equal(ownBoard(rounds, BLACK)?.isPlanned, true);
});

test("the crosstable has each result from the player's side, forfeits and byes as TRF has them", () => {
  const rounds = roundsOf(bookOf(
    roundEvent(1, 1, [board(1, WHITE, BLACK, GAME, "1/2-1/2")], "done"),
    roundEvent(2, 1, [board(1, BLACK, WHITE, GAME, "+/-", "corrected")], "done"),
    roundEvent(3, 1, [board(1, WHITE, BLACK, GAME)]),
    roundEvent(4, 1, [["bye", WHITE, "U"]], "done"),
  ), ID);
  assert.deepEqual(cellsOf(rounds, WHITE).map(({ score, color }) => [score, color]), [["½", "w"], ["−", "b"], ["", "w"], ["U", null]]);
  assert.deepEqual(cellsOf(rounds, BLACK).map(({ score }) => score), ["½", "+", ""]);
  assert.deepEqual(["1-0", "1/2-1/2", "-/-", "*", null].map(resultText), ["1–0", "½–½", "−–−", "*", ""]);
});

test("standings say who is in, with their names as text", () => {
  const read = parseStandings(byArbiter(30329, "", [
    ["d", ID], ["tiebreaks", "SB"], ["s", "1", WHITE, "2.5", "in", "Anna\n<b>", "4.25"], ["s", "2", BLACK, "1", "left", ""], ["s", "3", BLACK, "x", "in", ""],
    ["s", "4", "nobody", "0", "in", ""], ["version", "2"], ["final"],
  ]), ARBITER)!;
  assert.deepEqual(read.rows.map(({ rank, points, state, name, tieBreaks }) => [rank, points, state, name, tieBreaks]), [[1, "2.5", "in", "Anna <b>", ["4.25"]], [2, "1", "left", "", []]]);
  assert.ok(read.isFinal);
});

test("an answer is mine, by the arbiter, and about a command or an event", () => {
  const command = "ab".repeat(32);
  const read = (content: string, tags: readonly Tag[]) => parseAnswer(byArbiter(20301, content, [["p", WHITE], ...tags]), ARBITER, WHITE);
  assert.deepEqual(read("error:wrong-phase: too late", [["e", command], ["a", ADDRESS]]), { tournament: ID, command, word: "error", value: null, isUnheard: false, refusal: { reason: "wrong-phase", text: " too late".trim() } });
  assert.deepEqual([read("noted:unheard", [["e", command]])?.isUnheard, read("noted", [["e", command]])?.isUnheard], [true, false]);
  assert.deepEqual(read("wait:1800000600", [["a", ADDRESS]])?.value, 1_800_000_600);
  assert.equal(read("joined", []), null);
  assert.equal(read("queued", [["e", command]]), null);
  assert.equal(read("joined", [["a", `30327:${BLACK}:${ID}`]]), null, "of another arbiter");
  assert.equal(parseAnswer(byStranger(20301, "joined", [["p", WHITE], ["a", ADDRESS]]), ARBITER, WHITE), null);
});

test("the organiser's form asks for what its format has, and for nothing else", () => {
  const usual = parseTournament(tournamentEvent(1), ARBITER)!;
  const named = (change: object): string[] => termsTags({ ...usual, ...change }, [BLACK]).map(([name]) => name!);
  assert.deepEqual(["rounds", "cycles", "minutes", "late", "interval"].map((name) => [name, named({}).includes(name)]), [["rounds", false], ["cycles", true], ["minutes", false], ["late", false], ["interval", true]]);
  assert.deepEqual(["rounds", "minutes", "late", "interval"].map((name) => named({ format: "arena", minutes: 60 }).includes(name)), [false, true, false, false]);
  assert.deepEqual(["rounds", "late"].map((name) => named({ format: "swiss", rounds: 5 }).includes(name)), [true, true]);
  const tags = termsTags({ ...usual, interval: null, entry: "secret", entryKey: WHITE }, [BLACK]);
  assert.deepEqual(tags.filter(([name]) => ["interval", "entry", "p", "time"].includes(name!)), [["time", "180+2"], ["interval", "manual"], ["entry", "secret", WHITE], ["p", BLACK]]);
});

test("a proof of entry is by the secret key, for this event and this player", () => {
  const secret = bytesToHex(WHITE_SECRET);
  const proof = joinProof(ID, BLACK, ` ${secret.toUpperCase()} `)!;
  assert.ok(schnorr.verify(hexToBytes(proof), sha256(utf8ToBytes(`join:${ID}:${BLACK}`)), hexToBytes(WHITE)));
  assert.equal(joinProof(ID, BLACK, "00".repeat(32)), null);
  assert.equal(joinProof(ID, BLACK, npubEncode(WHITE)), null);
});

class Said {
  commands: Commands = NONE;
  nowMs = 1_000_000;
  sent: Sent | null = null;
  signed = 0;

  step(input: CommandInput): this {
    [this.commands, this.sent] = stepCommands(this.commands, input, this.nowMs);
    return this;
  }

  /** Says it, and signs what is to be signed. */
  say(content: string, tournament: string | null = ID): this {
    return this.step({ type: "say", word: { tournament, content, tags: [] } }).sign();
  }

  sign(): this {
    const { sent } = this;
    if (!sent) return this;
    this.signed += 1;
    [this.commands] = stepCommands(this.commands, { type: "signed", key: sent.key, id: String(this.signed) }, this.nowMs);
    return this;
  }

  answer(command: number, word: "noted" | "error", reason = "", text = ""): this {
    const refusal = word === "error" ? { reason, text } : null;
    return this.step({ type: "answer", answer: { tournament: ID, command: String(command), word, value: null, isUnheard: false, refusal } }).sign();
  }

  later(ms: number): this {
    this.nowMs += ms;
    return this.step({ type: "tick" }).sign();
  }
}

test("a command that is pressed twice is said once, and again after its answer", () => {
  const said = new Said().say("pair").say("pair");
  assert.equal(said.signed, 1);
  said.answer(1, "noted");
  assert.deepEqual(said.commands.last, { content: "pair", tournament: ID, refusal: null, isUnheard: false });
  assert.equal(said.say("pair").signed, 2);
});

test("a doubled or a stranger's answer changes nothing", () => {
  const said = new Said().say("pair").answer(1, "noted");
  const before = said.commands;
  assert.equal(said.answer(1, "error", "wrong-phase").commands, before);
  assert.equal(said.answer(7, "noted").commands, before);
});

test("without an answer a command is signed anew, thrice in all, but `create` once: each would be another event", () => {
  const said = new Said().say("join").later(9_999);
  assert.equal(said.signed, 1);
  assert.equal(said.later(1).signed, 2);
  assert.equal(said.later(20_000).signed, 3);
  said.later(30_000);
  assert.deepEqual([said.signed, said.commands.last?.refusal?.reason], [3, "unanswered"]);
  const created = new Said().say("create", null).later(10_000);
  assert.deepEqual([created.signed, created.commands.last?.refusal?.reason], [1, "unanswered"]);
});

test("an answer to an earlier copy of the command counts", () => {
  const said = new Said().say("join").later(10_000);
  assert.equal(said.answer(1, "noted").commands.sent.length, 0);
});

test("work that is asked for is done once, and a wrong date is set right once", () => {
  const said = new Said().say("join").answer(1, "error", "pow", "12");
  assert.deepEqual([said.signed, said.commands.sent[0]?.bits], [2, 12]);
  said.answer(2, "error", "pow", "13");
  assert.equal(said.commands.last?.refusal?.reason, "pow");
  const late = new Said().say("pair").answer(1, "error", "stale", "created_at is 300 s behind");
  assert.equal(late.signed, 2);
  assert.equal(new Said().say("pair").answer(1, "error", "stale", "a later command counts").commands.last?.refusal?.reason, "stale");
  assert.equal(new Said().say("join").answer(1, "error", "pow", "99").commands.last?.refusal?.reason, "pow", "too much");
});

test("what the signer refuses, and what no relay takes, is said", () => {
  const said = new Said();
  said.step({ type: "say", word: { tournament: ID, content: "leave", tags: [] } }).step({ type: "unsigned", key: 1 });
  assert.equal(said.commands.last?.refusal?.reason, "unsigned");
  said.say("leave").step({ type: "untaken", id: "1", refusal: { reason: "rate-limited", text: "" } });
  assert.equal(said.commands.last?.refusal?.reason, "rate-limited");
});

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

test("a page of an event asks for it alone, hears it live, and asks no more when it is left", () => {
  const { client, relay } = atPage();
  const session = new TournamentSession(client, ID, "events", () => {});
  const [, name, ...filters] = relay.of("REQ").at(-1)!;
  assert.deepEqual(filters, [
    { kinds: [30327, 30329], authors: [ARBITER], "#d": [ID] },
    { kinds: [30328], authors: [ARBITER], "#a": [ADDRESS] },
  ]);
  relay.says("EVENT", name, tournamentEvent(1)).says("EVENT", name, byStranger(30327, "", tournamentEvent(9).tags)).says("EOSE", name);
  assert.equal(session.book.tournaments.get(ID)?.version, 1);
  session.close();
  assert.deepEqual(relay.of("CLOSE").at(-1), ["CLOSE", name]);
});

test("a page that is opened again has what relays have sent already, and will not send twice", () => {
  const { client, relay } = atPage();
  const first = new TournamentSession(client, ID, "events", () => {});
  relay.says("EVENT", relay.of("REQ").at(-1)![1], tournamentEvent(1));
  first.close();
  assert.equal(new TournamentSession(client, ID, "events", () => {}).book.tournaments.get(ID)?.title, "Club evening");
});

test("a command is signed, sent and answered; its refusal by every relay counts as one of the arbiter's", async () => {
  const { client, relay } = atPage();
  let drawn = 0;
  const session = new TournamentSession(client, ID, "events", () => (drawn += 1));
  session.say("join", [["name", "Anna"]]);
  await settled();
  const [, event] = relay.of("EVENT").at(-1) as [string, NostrEvent];
  assert.deepEqual([event.kind, event.pubkey, event.content, event.tags.slice(0, 3)], [20307, WHITE, "join", [["p", ARBITER], ["a", ADDRESS], ["name", "Anna"]]]);
  relay.says("EVENT", "play", byArbiter(20301, "joined", [["p", WHITE], ["e", event.id], ["a", ADDRESS]]));
  assert.deepEqual(session.commands, { sent: [], last: { content: "join", tournament: ID, refusal: null, isUnheard: false }, nextKey: 2 });
  session.say("leave");
  await settled();
  const [, refused] = relay.of("EVENT").at(-1) as [string, NostrEvent];
  relay.says("OK", refused.id, false, "blocked: not here");
  assert.deepEqual(session.commands.last?.refusal, { reason: "blocked", text: "not here" });
  assert.ok(drawn > 3);
});

test("a game that an event begins comes to the board, but not in place of one that is played", () => {
  const { client, relay } = atPage();
  const other = "cd".repeat(16);
  const started = (game: string, tags: readonly Tag[] = []): unknown => relay.says("EVENT", "play", byArbiter(20301, `started:${game}:${BLACK}:w`, [["p", WHITE], ...tags]));
  started(GAME);
  relay.says("EVENT", "play", stateEvent(["e2e4", "e7e5"], 3, [["time", "180+2"]]));
  started(other, [["a", ADDRESS], ["round", "2"], ["board", "1"]]);
  const place: Tag[] = [["a", ADDRESS], ["round", "2.1"], ["time", "180+2"]];
  relay.says("EVENT", "play", byArbiter(20302, stateEvent([], 1).content, [["d", other], ["p", WHITE], ["p", BLACK], ["version", "1"], ["ply", "0"], ...place], AT + 1));
  assert.equal(client.state().playing, GAME);
  assert.deepEqual([client.state().games.get(other)?.confirmed?.tournament, client.state().games.get(other)?.confirmed?.round], [ID, "2.1"]);
  relay.says("EVENT", "play", stateEvent(["e2e4", "e7e5"], 4, [["time", "180+2"], ["result", "1-0"], ["termination", "resignation"]], AT + 2));
  started(other, [["a", ADDRESS]]);
  assert.equal(client.state().playing, other);
});

test("in a game of an event no takeback, abort or rematch is offered", () => {
  const view = (tags: readonly Tag[], moves: readonly string[] = []) => ({
    game: GAME, me: "white" as const, confirmed: stateAfter(moves, 1, tags), pendingMove: null, pendingWords: [], premoves: [], refused: null, chat: [], note: null, strikes: null,
  });
  const offered = (tags: readonly Tag[], moves: readonly string[] = []) => choices(view(tags, moves), null, null, AT * 1000).actions;
  const place: Tag = ["a", ADDRESS];
  assert.deepEqual([offered([]), offered([place])], [["abort"], ["resign"]]);
  assert.deepEqual([offered([], ["e2e4", "e7e5"]), offered([place], ["e2e4", "e7e5"])], [["takeback", "draw", "resign"], ["draw", "resign"]]);
  const over: Tag[] = [["result", "1-0"], ["termination", "resignation"]];
  assert.deepEqual([offered(over), offered([place, ...over])], [["rematch"], []]);
});

test("a knockout is a tree: games of a tie are one match, a bye keeps its place, and what a match comes of is beside it", () => {
  const [A, B, C, D, E] = [1, 2, 3, 4, 5].map((digit) => String(digit).repeat(64)) as [string, string, string, string, string];
  const book = bookOf(
    roundEvent(1, 1, [board(1, D, E, "", "1/2-1/2"), ...[C, B, A].map((player): Tag => ["bye", player, "U"])]),
    roundEvent(2, 1, [board(1, E, D, "", "1-0")]),
    roundEvent(3, 1, [board(1, A, E), board(2, C, B)]),
  );
  assert.deepEqual(stagesOf(roundsOf(book, ID)), [[[A], [D, E], [B], [C]], [[A, E], [B, C]]]);
});
