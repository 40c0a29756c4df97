/** What a player is told who looks elsewhere, and when their games are due. */

import assert from "node:assert/strict";
import { test } from "node:test";

import type { ClientState, GameState } from "../src/arbiter/model.ts";
import { dueText, vacationText } from "../src/pages/game_clock.ts";
import { icon, turnsIn } from "../src/shell/attention.ts";
import { deadlineText } from "../src/shared/deadline.ts";
import { gameState, gameView } from "./states.ts";

const turns = (...views: ReturnType<typeof gameView>[]): string[] => [
  ...turnsIn({ games: new Map(views.map((view, at) => [`${at}`, { ...view, game: `${at}` }])) } as unknown as ClientState).keys(),
];

test("each turn that waits is one, and the same until the game goes on", () => {
  const mine = gameView("white", gameState([]));
  const later = gameView("white", gameState(["e2e4", "e7e5"]));
  assert.deepEqual(turns(mine, gameView("black", gameState([])), later), ["0 0", "2 2"]);
  assert.deepEqual(turns({ ...mine, pendingMove: {} as never }), [], "my move is under way");
  assert.deepEqual(turns(gameView("white", gameState([], { result: "1-0" })), gameView(null, gameState([]))), []);
});

test("the icon has the number of them", () => {
  assert.match(decodeURIComponent(icon(3)), /^data:image\/svg\+xml,.*>3</);
  assert.match(decodeURIComponent(icon(12)), />9\+</);
});

test("a deadline is told in words, in the reader's time zone", (context) => {
  const zone = process.env["TZ"];
  context.after(() => (zone === undefined ? delete process.env["TZ"] : (process.env["TZ"] = zone)));
  const told = (timeZone: string, now: string, at: string, language = "en"): string => {
    process.env["TZ"] = timeZone;
    return deadlineText(Date.parse(at), Date.parse(now), language).replace(/\s/g, " ");
  };
  assert.equal(told("Europe/Berlin", "2026-11-28T10:00Z", "2026-11-29T17:40Z", "de"), "morgen, 18:40");
  assert.equal(told("Asia/Tokyo", "2026-11-28T10:00Z", "2026-11-29T17:40Z", "fr"), "lundi 02:40");
  assert.equal(told("Europe/Berlin", "2026-11-28T10:00Z", "2026-11-28T17:40Z", "es"), "hoy, 18:40");
  assert.equal(told("Europe/Berlin", "2026-11-28T10:00Z", "2026-12-12T17:40Z", "de"), "12. Dez., 18:40");
  assert.match(told("America/New_York", "2026-11-28T10:00Z", "2026-11-29T17:40Z"), /^tomorrow, 12:40/);
  // The clocks go back in this night, and the day has 25 hours; and forward in this one.
  assert.equal(told("Europe/Berlin", "2026-10-24T22:30Z", "2026-10-25T22:40Z", "de"), "heute, 23:40");
  assert.equal(told("Europe/Berlin", "2026-03-28T22:30Z", "2026-03-29T21:40Z", "de"), "morgen, 23:40");
  assert.match(told("Europe/Berlin", "2026-11-28T10:00Z", "2026-11-27T10:00Z", "de"), /^27\. Nov/);
});

test("a player is on vacation until its end, and not after the game's", () => {
  const now = Date.parse("2026-11-28T10:00Z");
  const told = (atMs: number, change: Partial<GameState> = {}): string | null =>
    vacationText(gameState([], { vacation: { white: null, black: (now + 86_400_000) / 1000 }, ...change }), "black", atMs, 0);
  assert.match(told(now)!, /^On vacation until tomorrow, /);
  assert.equal(told(now + 86_400_000), null);
  assert.equal(told(now, { result: "1-0" }), null);
  assert.equal(vacationText(gameState([]), "white", now, 0), null);
});

test("a live game tells what is left, a game without limit nothing", () => {
  const due = (change: Partial<GameState>): string => dueText(gameState([], { deadline: 90_000, ...change }), 0, 0);
  assert.equal(due({ time: { kind: "live", base: 60, increment: 0 } }), "1:30");
  assert.match(due({ time: { kind: "days", days: 1 } }), /,/);
  assert.equal(due({ time: null, deadline: null }), "");
  assert.equal(due({ time: { kind: "days", days: 1 }, result: "1-0" }), "");
});
