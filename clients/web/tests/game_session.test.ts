import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Chess } from "chessops/chess";
import { makeFen } from "chessops/fen";
import { makeUci } from "chessops/util";

import { parseState, type ArbiterError } from "../src/arbiter/answers.ts";
import { newSession, stepGame, type GameEffect, type GameInput, type GameSession } from "../src/arbiter/game_session.ts";
import type { Tag } from "../src/net/event.ts";
import { AT, BLACK, fenOf, GAME, stateAfter, WHITE } from "./signed.ts";

const START_MS = AT * 1000;

/** A session that is stepped, with a signer that signs at once, in order. */
class Played {
  session: GameSession;
  nowMs = START_MS;
  effects: GameEffect[] = [];
  signed = 0;

  constructor(player: string | null = WHITE) {
    this.session = newSession(GAME, player, this.nowMs);
  }

  get view() {
    return this.session.view;
  }

  step(input: GameInput): this {
    const [session, effects] = stepGame(this.session, input, this.nowMs);
    this.session = session;
    this.effects = [...effects];
    return this;
  }

  state(moves: readonly string[], version: number, tags: readonly Tag[] = [], at = AT): this {
    return this.step({ type: "state", state: stateAfter(moves, version, tags, at) });
  }

  move(uci: string): this {
    return this.step({ type: "move", uci });
  }

  word(content: string): this {
    return this.step({ type: "word", content });
  }

  /** Signs everything that the last step wanted signed. */
  sign(): this {
    for (const effect of this.effects) {
      if (effect.type === "sign") this.#sign(effect.key);
    }
    return this;
  }

  #sign(key: number): void {
    this.signed += 1;
    const [session] = stepGame(this.session, { type: "signed", key, eventId: idOf(this.signed) }, this.nowMs);
    this.session = session;
  }

  refuse(number: number, reason: string, strikes: ArbiterError["strikes"] = null): this {
    const error = { event: idOf(number), game: GAME, refusal: { reason, text: "why" }, strikes };
    return this.step({ type: "error", error });
  }

  tick(ms = 0, connected = true): this {
    this.nowMs += ms;
    return this.step({ type: "tick", offsetMs: 0, connected });
  }
}

const idOf = (number: number): string => number.toString(16).padStart(64, "0");
const signs = (effects: readonly GameEffect[]): (string | undefined)[][] =>
  effects.flatMap((effect) => (effect.type === "sign" ? [[effect.content, effect.answers]] : []));
const started = (player?: string): Played => new Played(player).state([], 1);
const stateId = (moves: readonly string[], version: number, tags: readonly Tag[] = []) => stateAfter(moves, version, tags).eventId;

test("the highest version counts, in whatever order states come", () => {
  const states = [1, 2, 3, 4].map((version) => stateAfter(["e2e4", "e7e5", "g1f3"].slice(0, version - 1), version));
  for (const order of permutations(states)) {
    const played = new Played(BLACK);
    for (const state of order) {
      const before = played.view.confirmed?.version ?? 0;
      played.step({ type: "state", state });
      assert.equal(played.view.confirmed!.version, Math.max(before, state.version));
    }
    assert.equal(played.view.me, "black");
  }
});

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, index) =>
    permutations([...items.slice(0, index), ...items.slice(index + 1)]).map((rest) => [item, ...rest]));
}

test("a state of another game changes nothing", () => {
  const played = new Played().step({ type: "state", state: { ...stateAfter([], 1), game: "00".repeat(16) } });
  assert.equal(played.view.confirmed, null);
});

test("the present state signed again changes nothing that is seen, and the next move names its newest id", () => {
  const played = started();
  const { view } = played;
  for (const at of [AT + 50, AT + 20]) played.step({ type: "state", state: stateAfter([], 1, [], at) });
  assert.equal(played.view, view);
  const [named] = played.move("e2e4").effects.flatMap((effect) => (effect.type === "sign" ? [effect.answers] : []));
  assert.equal(named, stateAfter([], 1, [], AT + 50).eventId);
});

test("what a stranger's question brought in a report from the field changes nothing that is seen", () => {
  const { first_state, answer } = JSON.parse(readFileSync(new URL("promotion_state_events.json", import.meta.url), "utf8"));
  const [before, after] = [first_state, answer].map((event) => parseState(event, event.pubkey)!);
  const [session] = stepGame(newSession(before!.game, before!.white, START_MS), { type: "state", state: before! }, START_MS);
  const [asked, effects] = stepGame(session, { type: "state", state: after! }, START_MS);
  assert.equal(asked.view, session.view);
  assert.deepEqual(effects, []);
});

test("a move is drawn at once, answers the present state, and is pending until a state shows it", () => {
  const played = started().move("e2e4");
  assert.deepEqual(signs(played.effects), [["e2e4", stateId([], 1)]]);
  assert.deepEqual([played.view.pendingMove?.eventId, played.view.confirmed?.ply], [null, 0]);
  played.sign();
  assert.equal(played.view.pendingMove?.eventId, idOf(1));
  played.state(["e2e4"], 2);
  assert.equal(played.view.pendingMove, null);
});

test("a refused move goes back, with the reason; the next state clears it", () => {
  const played = started().move("e2e4").sign().refuse(1, "too-late");
  assert.deepEqual([played.view.pendingMove, played.view.refused], [null, { reason: "too-late", text: "why" }]);
  assert.equal(played.view.confirmed?.fen, fenOf([]));
  assert.equal(played.state([], 2, [["offer", "draw", "b"]]).view.refused, null);
});

test("an error of another event changes nothing", () => {
  const played = started().move("e2e4").sign();
  const before = played.session;
  assert.equal(played.refuse(9, "stale").session, before);
});

test("what says that there is a newer state has it asked for", () => {
  for (const reason of ["stale", "not-your-turn", "game-over", "no-offer"]) {
    assert.deepEqual(started().move("e2e4").sign().refuse(1, reason).effects, [{ type: "ask" }], reason);
  }
  assert.deepEqual(started().move("e2e4").sign().refuse(1, "illegal-move").effects, []);
});

test("strikes of mine are counted", () => {
  const played = started().move("e2e4").sign().refuse(1, "illegal-move", { count: 1, of: 3 });
  assert.deepEqual(played.view.strikes, { count: 1, of: 3 });
});

test("an illegal move never leaves this browser: it would be a strike", () => {
  for (const uci of ["e2e5", "e7e5", "e1g1", "", "hello", "e2e4q", "a1a1", "Q@e4"]) {
    const played = started().move(uci);
    assert.deepEqual(played.effects, [], uci);
    assert.equal(played.view.refused?.reason, "illegal-move");
  }
});

test("castling is the king's move in standard chess, and takes the rook in Chess960", () => {
  const moves = ["e2e4", "e7e5", "g1f3", "g8f6", "f1c4", "f8c5"];
  for (const [uci, tags, sent] of [
    ["e1h1", [], "e1g1"], ["e1g1", [], "e1g1"],
    ["e1h1", [["variant", "chess960"]], "e1h1"], ["e1g1", [["variant", "chess960"]], "e1h1"],
  ] as const) {
    assert.equal(signs(new Played().state(moves, 7, tags).move(uci).effects)[0]?.[0], sent);
  }
});

test("a promotion is sent in lower case", () => {
  const moves = ["a2a4", "b7b5", "a4b5", "a7a6", "b5a6", "c8b7", "a6b7", "h7h6"];
  assert.equal(signs(new Played().state(moves, 9).move("b7a8Q").effects)[0]?.[0], "b7a8q");
  assert.equal(new Played().state(moves, 9).move("b7a8").view.pendingMove, null);
});

test("after ten seconds without an answer a move is signed anew with the same e, and again later", () => {
  const played = started().move("e2e4").sign();
  assert.deepEqual(signs(played.tick(9_999).effects), []);
  assert.deepEqual(signs(played.tick(1).effects), [["e2e4", stateId([], 1)]]);
  assert.deepEqual(signs(played.tick(60_000).effects), [], "not while it is being signed");
  played.sign();
  played.step({ type: "signed", key: 1, eventId: idOf(2) });
  assert.equal(played.view.pendingMove?.times, 2);
  assert.deepEqual(signs(played.tick(19_999).effects), []);
  assert.deepEqual(signs(played.tick(1).effects), [["e2e4", stateId([], 1)]]);
});

test("while no relay is there nothing is signed anew", () => {
  const played = started().move("e2e4").sign();
  assert.deepEqual(played.tick(60_000, false).effects, []);
  assert.equal(signs(played.tick(0).effects).length, 1);
});

test("an error for an earlier signature of a move counts for the move", () => {
  const played = started().move("e2e4").sign().tick(10_000).sign().refuse(1, "stale");
  assert.equal(played.view.pendingMove, null);
});

test("a word that nothing answers is given up after three times, a resignation never", () => {
  const played = started().word("draw").sign();
  for (const ms of [10_000, 20_000]) played.tick(ms).sign();
  assert.equal(played.signed, 3);
  played.tick(40_000);
  assert.deepEqual([played.view.pendingWords.length, played.view.refused?.reason], [0, "unanswered"]);
  const lost = started().word("resign").sign();
  for (let time = 0; time < 8; time += 1) lost.tick(80_000).sign();
  assert.equal(lost.signed, 9);
});

test("a signer that refuses takes the move back", () => {
  const played = started().move("e2e4").step({ type: "unsigned", key: 1 });
  assert.deepEqual([played.view.pendingMove, played.view.refused?.reason], [null, "unsigned"]);
});

test("a signer that refuses a word leaves the premoves", () => {
  const played = started().move("e2e4").sign().state(["e2e4"], 2).move("d2d4").word("draw");
  played.step({ type: "unsigned", key: 2 });
  assert.deepEqual([played.view.premoves, played.view.refused?.reason], [["d2d4"], "unsigned"]);
});

test("an offer that comes meanwhile leaves a pending move pending", () => {
  const played = started().move("e2e4").sign().state([], 2, [["offer", "draw", "b"]]);
  assert.equal(played.view.pendingMove?.content, "e2e4");
});

test("a premove waits for the move before it, also while states come that show other things", () => {
  const played = started().move("e2e4").sign().move("d2d4").state([], 2, [["offer", "draw", "b"]]);
  assert.deepEqual([played.effects, played.view.premoves], [[], ["d2d4"]]);
});

test("a pending move ends when another tab moved, or moves were taken back", () => {
  assert.equal(started().move("e2e4").sign().state(["d2d4"], 2).view.pendingMove, null);
  const back = new Played(BLACK).state(["e2e4"], 2).move("e7e5").sign().state([], 3);
  assert.equal(back.view.pendingMove, null);
  assert.equal(back.view.confirmed?.fen, fenOf([]));
});

test("a word that follows my own move waits for the state that shows it", () => {
  const played = started().move("e2e4").sign().word("draw");
  assert.deepEqual([signs(played.effects), played.view.pendingWords[0]?.answers], [[], null]);
  played.state(["e2e4"], 2);
  assert.deepEqual(signs(played.effects), [["draw", stateId(["e2e4"], 2)]]);
});

test("a word that waited for a refused move is said in the position that remains", () => {
  const played = started().move("e2e4").sign().word("resign").refuse(1, "too-late");
  assert.deepEqual(signs(played.effects), [["resign", stateId([], 1)]]);
});

test("a word is pending until a state shows what it did", () => {
  const cases: readonly (readonly [string, readonly string[], readonly Tag[], boolean])[] = [
    ["draw", ["e2e4"], [], false],
    ["draw", ["e2e4"], [["offer", "draw", "b"]], false],
    ["draw", ["e2e4"], [["offer", "draw", "w"]], true],
    ["draw", ["e2e4"], [["result", "1/2-1/2"]], true],
    ["draw-decline", ["e2e4"], [["offer", "draw", "b"]], false],
    ["draw-decline", ["e2e4"], [], true],
    ["draw-decline", ["e2e4"], [["offer", "takeback", "b"]], true],
    ["takeback-decline", ["e2e4"], [["offer", "takeback", "w"]], false],
    ["takeback", [], [], true],
    ["takeback", ["e2e4"], [["offer", "takeback", "w"]], true],
    ["takeback", ["e2e4", "e7e5"], [], false],
    ["abort", ["e2e4"], [], false],
    ["abort", ["e2e4"], [["offer", "abort", "w"]], true],
    ["claim", ["e2e4"], [["result", "1/2-1/2"]], true],
    ["flag", ["e2e4", "e7e5"], [], true],
    ["resign", ["e2e4"], [["offer", "draw", "b"]], false],
    ["resign", ["e2e4"], [["result", "0-1"]], true],
  ];
  for (const [word, moves, tags, answered] of cases) {
    const played = new Played().state(["e2e4"], 2).word(word).sign().state(moves, 3, tags);
    assert.equal(played.view.pendingWords.length === 0, answered, `${word} ${moves} ${tags}`);
  }
});

test("the same word twice is said once", () => {
  assert.deepEqual(started().word("draw").word("draw").effects, []);
});

test("words that are none, of spectators, or out of season are not said", () => {
  assert.deepEqual(started().word("hello").effects, []);
  assert.deepEqual(started().word("rematch").effects, []);
  assert.deepEqual(started("00".repeat(32)).word("resign").effects, []);
  assert.deepEqual(new Played().word("resign").effects, []);
  const over = started().state([], 2, [["result", "0-1"]]);
  assert.deepEqual(over.word("draw").effects, []);
  assert.equal(signs(over.word("rematch").effects).length, 1);
});

test("a rematch is agreed when the old game names the new one", () => {
  const over = started().state([], 2, [["result", "0-1"]]).word("rematch").sign();
  assert.equal(over.view.pendingWords.length, 1);
  assert.equal(over.state([], 3, [["result", "0-1"], ["rematch", "00".repeat(16)]]).view.pendingWords.length, 0);
});

test("premoves are played one by one, each as soon as my turn is confirmed", () => {
  const played = started().move("e2e4").sign().move("g1f3").move("f1c4");
  assert.deepEqual(played.view.premoves, ["g1f3", "f1c4"]);
  assert.deepEqual(played.state(["e2e4"], 2).effects, []);
  assert.deepEqual(signs(played.state(["e2e4", "e7e5"], 3).effects), [["g1f3", stateId(["e2e4", "e7e5"], 3)]]);
  played.sign().state(["e2e4", "e7e5", "g1f3"], 4);
  assert.deepEqual(signs(played.state(["e2e4", "e7e5", "g1f3", "b8c6"], 5).effects).map(([uci]) => uci), ["f1c4"]);
  assert.deepEqual(played.view.premoves, []);
});

test("a premove that is illegal now drops all premoves, and nothing is sent", () => {
  const played = started().move("e2e4").sign().move("e4d5").move("d5d6").state(["e2e4"], 2);
  played.state(["e2e4", "e7e5"], 3);
  assert.deepEqual([played.view.premoves, signs(played.effects)], [[], []]);
});

test("premoves end with the game, with a refused move, and on demand", () => {
  const premoved = () => started().move("e2e4").sign().move("g1f3");
  assert.deepEqual(premoved().state(["e2e4"], 2, [["result", "1-0"]]).view.premoves, []);
  const refused = premoved().refuse(1, "too-late");
  assert.deepEqual([refused.view.premoves, refused.effects], [[], []], "not played in its place");
  assert.deepEqual(premoved().step({ type: "clear-premoves" }).view.premoves, []);
});

test("a position that chess programs cannot read is left to the arbiter", () => {
  const state = { ...stateAfter([], 1), fen: "8/8/8/8/8/8/8/8 w - - 0 1" };
  assert.deepEqual(signs(new Played().step({ type: "state", state }).move("e2e4").effects)[0]?.[0], "e2e4");
});

test("whatever a player does, no sequence leaves an illegal move to be signed", () => {
  let seed = 7;
  const chance = (most: number): number => (seed = (seed * 48_271) % 2_147_483_647) % most;
  const squares = [..."abcdefgh"].flatMap((file) => [..."12345678"].map((rank) => file + rank));
  for (let game = 0; game < 8; game += 1) {
    const position = Chess.default();
    const moves: string[] = [];
    const first = stateAfter([], 1);
    const played = started();
    for (let turn = 0; turn < 40 && !position.isEnd(); turn += 1) {
      played.move(squares[chance(64)]! + squares[chance(64)]!);
      for (const effect of played.effects) {
        assert.ok(effect.type === "sign" && position.isLegal(parse(effect.content)), effect.type);
      }
      if (played.view.pendingMove) played.step({ type: "unsigned", key: played.session.nextKey - 1 });
      const legal = [...position.allDests()].flatMap(([from, to]) => [...to].map((square) => ({ from, to: square })))
        .filter((move) => position.isLegal(move));
      const next = legal[chance(legal.length)];
      if (!next) break;
      position.play(next);
      moves.push(makeUci(next));
      played.step({ type: "state", state: { ...first, version: turn + 2, ply: moves.length, moves: [...moves], fen: makeFen(position.toSetup()) } });
      for (const [uci] of signs(played.effects)) assert.ok(position.isLegal(parse(uci!)), uci);
      if (played.view.pendingMove) played.step({ type: "unsigned", key: played.session.nextKey - 1 });
    }
  }
});

const parse = (uci: string) => ({
  from: (uci.charCodeAt(0) - 97) + 8 * (uci.charCodeAt(1) - 49),
  to: (uci.charCodeAt(2) - 97) + 8 * (uci.charCodeAt(3) - 49),
});

test("a flag is called when the opponent's deadline has passed and no state comes", () => {
  const tags: Tag[] = [["deadline", String(START_MS + 1_000)]];
  const played = started().state(["e2e4"], 2, tags);
  assert.deepEqual(played.tick(5_999).effects, []);
  assert.deepEqual(signs(played.tick(1).effects), [["flag", stateId(["e2e4"], 2, tags)]]);
  assert.deepEqual(played.sign().tick(1_000).effects, [], "once");
});

test("after my own deadline, and a spectator after any, asks for the state", () => {
  const tags: Tag[] = [["deadline", String(START_MS + 1_000)]];
  for (const played of [started(BLACK).state(["e2e4"], 2, tags), started("00".repeat(32)).state(["e2e4"], 2, tags)]) {
    assert.deepEqual(played.tick(6_000).effects, [{ type: "ask" }]);
    assert.deepEqual(played.tick(1_000).effects, []);
  }
});

test("a flag that came too early is not called again for a while", () => {
  const played = started().state(["e2e4"], 2, [["deadline", String(START_MS)]]).tick(5_000).sign().refuse(1, "time-left");
  assert.deepEqual(signs(played.tick(29_000).effects), []);
  assert.equal(signs(played.tick(1_000).effects).length, 1);
});

test("a game without a state is asked for, ever more rarely", () => {
  const played = new Played();
  const times: number[] = [];
  for (let second = 0; second < 120; second += 1) {
    if (played.tick(1_000).effects.length) times.push(second + 1);
  }
  assert.deepEqual(times, [2, 7, 17, 37, 77]);
});

test("a spectator's chat is not shown to a player during the game, and is after it", () => {
  const line = { id: idOf(1), from: BLACK, text: "Qh5!", atMs: START_MS, room: "spectators" } as const;
  assert.deepEqual(started().step({ type: "line", line }).view.chat, []);
  assert.equal(started().step({ type: "line", line: { ...line, room: "players" } }).view.chat.length, 1);
  assert.equal(started().state([], 2, [["result", "1-0"]]).step({ type: "line", line }).view.chat.length, 1);
  assert.equal(started("00".repeat(32)).step({ type: "line", line }).step({ type: "line", line }).view.chat.length, 1);
});

test("a spectator moves nothing", () => {
  const played = started("00".repeat(32)).move("e2e4");
  assert.deepEqual([played.effects, played.view.me, played.view.premoves], [[], null, []]);
});
