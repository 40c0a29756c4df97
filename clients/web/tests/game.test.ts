import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { lineOf } from "../src/board/position.ts";
import { obey, spokenClock } from "../src/pages/game_commands.ts";
import { drawn } from "../src/board/drawn.ts";
import { clockText, lowTime, readClock, untilNextText } from "../src/pages/game_clock.ts";
import { lichessAddress, movetext, pgnOf } from "../src/pages/game_export.ts";
import { choices, drawOfferedAt, endText, outcomeFor, refusalText, turnedDown } from "../src/pages/game_rules.ts";
import { tabTitle } from "../src/shared/title.ts";
import { en } from "../src/texts/en.ts";
import { enLater } from "../src/texts/en_later.ts";
import { addEnglish } from "../src/texts/index.ts";
import { GAME, gameState, gameView } from "./states.ts";
import type { ArbiterClient, ClientState, GameState } from "../src/arbiter/model.ts";

addEnglish(enLater);

const NOW = 1_800_000_000_000;
const FOUR = ["e2e4", "e7e5", "g1f3", "b8c6"];

const game = (moves: readonly string[], change: Partial<GameState> = {}) =>
  gameState(moves, { createdAt: NOW / 1000, deadline: NOW + 60_000, ...change });
const may = (state: GameState, me: "white" | "black" | null = "white", nowMs = NOW, lastDraw: number | null = null) =>
  choices(gameView(me, state), lineOf(state, null), lastDraw, nowMs);

test("a running clock is the deadline's, but never more than the state says", () => {
  const state = game(FOUR, { clock: { white: 20_000, black: 30_000 }, deadline: NOW + 21_000 });
  assert.deepEqual(readClock(state, "white", NOW), { left: 20_000, isRunning: true, restsMs: 1_000, firstMoveLeft: null });
  assert.equal(readClock(state, "white", NOW + 5000)!.left, 16_000);
  assert.equal(readClock(state, "white", NOW + 60_000)!.left, 0);
  assert.deepEqual(readClock(state, "black", NOW + 5000), { left: 30_000, isRunning: false, restsMs: 0, firstMoveLeft: null });
});

test("before the first moves no clock runs, and the time to make them is told apart", () => {
  const state = game(["e2e4"], { deadline: NOW + 30_000 });
  assert.deepEqual(readClock(state, "black", NOW + 1000), { left: 180_000, isRunning: false, restsMs: 0, firstMoveLeft: 29_000 });
  assert.equal(readClock(state, "white", NOW)!.firstMoveLeft, null);
});

test("in a game by days the first move's time runs like any other", () => {
  const state = game([], { time: { kind: "days", days: 1 }, clock: { white: 86_400_000, black: 86_400_000 }, deadline: NOW + 86_401_000 });
  assert.equal(readClock(state, "white", NOW + 2000)!.isRunning, true);
});

test("the player who lost on time has none left; without clocks there is nothing to read", () => {
  const over = game(FOUR, { result: "0-1", termination: "timeout", deadline: null });
  assert.equal(readClock(over, "white", NOW)!.left, 0);
  assert.equal(readClock(over, "black", NOW)!.left, 180_000);
  assert.equal(readClock(game(FOUR, { clock: null, deadline: null }), "white", NOW), null);
});

test("clock texts have tenths below ten seconds, hours and days above", () => {
  assert.equal(clockText(180_000, "low"), "3:00");
  assert.equal(clockText(9_999, "low"), "0:09.9");
  assert.equal(clockText(9_999, "never"), "0:09");
  assert.equal(clockText(65_430, "always"), "1:05.4");
  assert.equal(clockText(3_723_000, "low"), "1:02:03");
  assert.equal(clockText(0, "low"), "0:00.0");
  assert.equal(clockText(2 * 86_400_000 + 3 * 3_600_000 + 240_000, "low"), "2 days 3:04");
  assert.equal(spokenClock(185_000), "3 minutes 5 seconds");
  assert.equal(spokenClock(0), "0 seconds");
});

test("a clock asks to be drawn again just when its text changes", () => {
  for (const left of [180_000, 10_050, 9_950, 101, 61_999]) {
    const wait = untilNextText(left, "low");
    assert.notEqual(clockText(left - wait, "low"), clockText(left, "low"), String(left));
    assert.equal(clockText(left - wait + 1, "low"), clockText(left, "low"), String(left));
  }
});

test("time is low below an eighth of the base, ten seconds at least and a minute at most", () => {
  assert.equal(lowTime(game([])), 22_500);
  assert.equal(lowTime(game([], { time: { kind: "live", base: 30, increment: 0 } })), 10_000);
  assert.equal(lowTime(game([], { time: { kind: "live", base: 10_800, increment: 0 } })), 60_000);
});

test("before two plies a game is aborted, after them resigned", () => {
  assert.deepEqual(may(game(["e2e4"])).actions, ["abort"]);
  assert.deepEqual(may(game(FOUR)).actions, ["draw", "resign"]);
  assert.deepEqual(may(game(FOUR), null).actions, []);
});

test("a takeback is asked for in casual games by a player who has moved", () => {
  const can = (moves: string[], me: "white" | "black") => may(game(moves, { rated: false }), me).actions.includes("takeback");
  assert.deepEqual([can(["e2e4"], "white"), can(["e2e4"], "black"), can([], "white"), can(["e2e4", "e7e5"], "black")], [true, false, false, true]);
  assert.equal(may(game(FOUR, { rated: true })).actions.includes("takeback"), false);
});

test("a draw is offered once in twenty plies", () => {
  assert.equal(may(game(FOUR), "white", NOW, 3).actions.includes("draw"), false);
  assert.equal(drawOfferedAt(gameView("white", game(FOUR, { offer: { kind: "draw", by: "white" } })), null), 4);
  assert.equal(drawOfferedAt(gameView("white", game(FOUR, { offer: { kind: "draw", by: "black" } })), null), null);
  // After a takeback the arbiter's count of plies is below the offer's.
  assert.equal(drawOfferedAt(gameView("white", game(["e2e4"])), 4), null);
});

test("the opponent's offer is answered before another is made", () => {
  const state = game(FOUR, { rated: false, offer: { kind: "takeback", by: "black" } });
  const { actions, theirs, mine } = may(state);
  assert.deepEqual([actions, theirs, mine], [["resign"], "takeback", null]);
  assert.equal(may(state, "black").mine, "takeback");
});

test("after their own deadline a player is offered nothing but to resign; the other claims time", () => {
  const late = NOW + 61_000;
  assert.deepEqual(may(game(FOUR, { rated: false, offer: { kind: "draw", by: "black" } }), "white", late), { actions: ["resign"], theirs: null, mine: null });
  assert.deepEqual(may(game(FOUR), "black", late).actions, ["draw", "resign"]);
  assert.deepEqual(may(game(FOUR), "black", late + 3000).actions, ["flag", "draw", "resign"]);
});

test("a claim is shown where the arbiter takes it, in either player's turn", () => {
  const dance = ["g1f3", "g8f6", "f3g1", "f6g8"];
  for (const me of ["white", "black"] as const) {
    assert.ok(may(game([...dance, ...dance]), me).actions.includes("claim"));
    assert.ok(!may(game(dance), me).actions.includes("claim"));
  }
});

test("an opponent who is silent for three days can be asked to abort, and aborted a day later", () => {
  const day = 86_400_000;
  const slow = (days: number, offer: GameState["offer"] = null) =>
    game(FOUR, { time: { kind: "days", days }, deadline: NOW + days * day, offer });
  const can = (state: GameState, afterDays: number, me: "white" | "black" = "black") =>
    may(state, me, NOW + afterDays * day).actions.includes("abort");
  assert.deepEqual([can(slow(7), 2.9), can(slow(7), 3.1), can(slow(7), 3.1, "white"), can(slow(3), 2.9)], [false, true, false, false]);
  assert.deepEqual([can(slow(7, { kind: "abort", by: "black" }), 3.5), can(slow(7, { kind: "abort", by: "black" }), 4.1)], [false, true]);
});

test("a rematch is asked for once the game is over, and its offer ends after five minutes", () => {
  const over = game(FOUR, { result: "1-0", termination: "resignation", deadline: null });
  assert.deepEqual(may(over).actions, ["rematch"]);
  assert.deepEqual(may({ ...over, rematch: "a".repeat(32) }).actions, []);
  const offered: GameState = { ...over, offer: { kind: "rematch", by: "black" } };
  assert.equal(may(offered).theirs, "rematch");
  assert.deepEqual(may(offered, "white", NOW + 301_000), { actions: ["rematch"], theirs: null, mine: null });
});

test("every reason that refuses a word in a game, and every termination of PROTOCOL.md, has a text", () => {
  const protocol = readFileSync(new URL("../../../PROTOCOL.md", import.meta.url), "utf8");
  const rows = protocol.split("## Reasons")[1]!.split("## Promises")[0]!.matchAll(/^\| `([a-z-]+)` \| [^|]*20304/gm);
  const reasons = [...rows].map((row) => row[1]!);
  assert.ok(reasons.length > 12, `${reasons.length}`);
  for (const reason of reasons) assert.ok(`reason.${reason}` in enLater, reason);
  const ends = protocol.split("## The end")[1]!.split("## Ratings")[0]!.matchAll(/^- ((?:`[a-z-]+`(?:, )?)+)/gm);
  const terminations = [...ends].flatMap((row) => [...row[1]!.matchAll(/`([a-z-]+)`/g)].map((name) => name[1]!));
  assert.ok(terminations.length >= 12);
  for (const name of terminations) assert.ok(`end.${name}` in en || `end.draw.${name}` in en, name);
});

test("a reason of a newer arbiter is shown in its own words", () => {
  assert.equal(refusalText({ reason: "not-today", text: "the arbiter rests" }), "the arbiter rests");
  assert.match(refusalText({ reason: "stale", text: "x" }), /changed/);
});

test("the end is told for each side", () => {
  const won = game(FOUR, { result: "1-0", termination: "timeout" });
  assert.equal(endText(won), "Time ran out. White wins.");
  assert.equal(endText({ ...won, result: "1/2-1/2" }), "Time ran out. Draw.");
  assert.equal(endText(game(FOUR, { result: "1/2-1/2", termination: "agreement" })), "Draw by agreement.");
  assert.deepEqual([outcomeFor(won, "white"), outcomeFor(won, "black"), outcomeFor(won, null)], ["won", "lost", null]);
  assert.equal(outcomeFor(game(FOUR, { result: "*", termination: "aborted" }), "white"), null);
});

test("a PGN has the moves, the result and no tag that a name could break out of", () => {
  const state = game(FOUR, { result: "1-0", start: null });
  const pgn = pgnOf(state, lineOf(state, null)!, ['A"] [Result "0-1', "B\\"], "https://chess.example");
  assert.match(pgn, /\n\n1\. e4 e5 2\. Nf3 Nc6 1-0\n$/);
  assert.match(pgn, /^\[White "A\\"\] \[Result \\"0-1"\]$/m);
  assert.match(pgn, /^\[Black "B\\\\"\]$/m);
  const black = lineOf(game([], { start: "4k3/8/8/8/8/8/8/R3K3 b - - 0 7", moves: ["e8e7", "a1a2"] }), null)!;
  assert.equal(movetext(black), "7... Ke7 8. Ra2");
  assert.match(lichessAddress(state, lineOf(state, null)!), /^https:\/\/lichess\.org\/analysis\/pgn\/1\.%20e4/);
});

test("typed commands act on the game and say what they did", () => {
  const calls: unknown[] = [];
  const client = { word: (...said: string[]) => void calls.push(["word", ...said]) } as unknown as ArbiterClient;
  const view = gameView("white", gameState(FOUR, { rated: false, clock: { white: 65_000, black: 10_000 } }));
  const say = (text: string) => {
    const line = lineOf(view.confirmed!, null);
    return obey(text, {
      client, state: { clockOffsetMs: 0 } as ClientState, view, drawn: drawn(view, line, null, null), line,
      choices: choices(view, line, null, Date.now()), names: ["Ada", "Bob"],
      onMove: (uci) => void calls.push(["move", uci]), onClear: () => {},
    });
  };
  assert.equal(say("l"), "knight c 6");
  assert.equal(say("o"), "Bob");
  assert.match(say("c"), /^You 1 minute \d+ seconds, opponent 10 seconds$/);
  assert.equal(say("p n"), "black knight: c6, g8");
  assert.equal(say("s e5"), "e5 black pawn");
  assert.match(say("claim"), /neither a move/);
  assert.match(say("abort"), /not possible now/);
  say("Bb5");
  assert.deepEqual(calls.at(-1), ["move", "f1b5"]);
  say("takeback");
  assert.deepEqual(calls.at(-1), ["word", GAME, "takeback"]);
});

test("an offer that was turned down is told, by a word or by a move, and no other end of an offer is", () => {
  const mine = (kind: "draw" | "takeback" | "rematch") => ({ kind, by: "white" }) as const;
  const before = game(["e2e4"], { offer: mine("draw") });
  const told = (now: GameState, first = before, words: string[] = []) => turnedDown(first, now, "white", words);
  assert.equal(told(game(["e2e4"])), en["offer.declined.draw"]);
  assert.equal(told(game(["e2e4", "e7e5"])), en["offer.declined.draw"], "the opponent moved");
  assert.equal(told(before), null, "the same state again");
  assert.equal(told(game(["e2e4"], { result: "1/2-1/2", termination: "agreement" })), null, "accepted");
  assert.equal(told(game(["e2e4"], { offer: { kind: "draw", by: "black" } })), null, "another offer");
  const takeback = game(["e2e4", "e7e5"], { offer: mine("takeback") });
  assert.equal(told(game([]), takeback), null, "taken back");
  assert.equal(told(game(["e2e4", "e7e5", "g1f3"]), takeback), null, "ended by a move of mine");
  const over = { result: "1-0", termination: "resignation" } as const;
  const rematch = game(["e2e4"], { ...over, offer: mine("rematch") });
  assert.equal(told(game(["e2e4"], over), rematch), en["offer.declined.rematch"]);
  assert.equal(told(game(["e2e4"], over), rematch, ["rematch-decline"]), en["offer.withdrawn"], "taken back by me");
  assert.equal(told(game(["e2e4"], { ...over, rematch: GAME }), rematch), null, "accepted");
});

test("the tab says whose turn it is: in the shown game, or in another one in which the player is to move", () => {
  const titled = (views: Record<string, ReturnType<typeof gameView>>, shown: string | null = "a") => {
    const names = [[game([]).white, { name: "Ada" }], [game([]).black, { name: "Ben" }]] as never;
    return tabTitle({ games: new Map(Object.entries(views)), profiles: new Map(names) } as unknown as ClientState, shown, "Page");
  };
  const mine = gameView("white", game([]));
  const theirs = gameView("white", game(["e2e4"]));
  const over = { result: "1-0", termination: "resignation" } as const;
  assert.equal(titled({ a: mine }), "Your turn — Ben");
  assert.equal(titled({ a: gameView("black", game(["e2e4"])) }), "Your turn — Ada");
  assert.equal(titled({ a: theirs }), "Ben is to move");
  assert.equal(titled({ a: theirs, b: mine }), "Your turn — Ben", "another game");
  const late = gameView("black", game(["e2e4"], { game: "b", deadline: NOW + 90_000 }));
  assert.equal(titled({ b: { ...late, game: "b" }, a: mine }), "(2) Your turn — Ben", "two, and the most urgent");
  assert.equal(titled({ b: { ...late, game: "b" }, a: mine }, "b"), "(2) Your turn — Ada", "two, and the shown one");
  assert.equal(titled({ a: theirs }, null), "Page");
  assert.equal(titled({ a: mine }, null), "Your turn — Ben", "on another page");
  assert.equal(titled({ a: { ...mine, pendingMove: {} as never } }), "Ben is to move", "my move is under way");
  assert.equal(titled({ a: gameView("white", game([], over)) }), "The game is over — Ben");
  assert.equal(titled({ a: gameView(null, game([])) }), "Ada against Ben");
  assert.equal(titled({}), "Page");
});
