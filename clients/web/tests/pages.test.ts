/** The parts of pages: addresses, terms, preferences, words. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { DEFAULTS, preferencesIn } from "../src/preferences.ts";
import { at, routeIn } from "../src/router.ts";
import { piecesIn, turnOf } from "../src/shared/fen.ts";
import { play, vibrate } from "../src/sounds.ts";
import { canBeRated, houseTerms, isFen, live, PLAIN, poolTerms, queryOf, shortTime, speedOf, termsIn, termsOf, timeIn, timeTag } from "../src/terms.ts";

const GAME = "ab".repeat(16);
const KEY = "cd".repeat(32);

test("every page has an address that leads back to it", () => {
  assert.deepEqual(routeIn(""), { page: "lobby" });
  assert.deepEqual(routeIn(at.lobby), { page: "lobby" });
  assert.deepEqual(routeIn(at.tv), { page: "tv" });
  assert.deepEqual(routeIn(at.settings), { page: "settings" });
  assert.deepEqual(routeIn(at.game(GAME)), { page: "game", game: GAME });
  assert.deepEqual(routeIn(at.player(KEY)), { page: "player", player: KEY });
  assert.deepEqual(routeIn(at.leaderboard("rapid")), { page: "leaderboard", speed: "rapid" });
  for (const tournament of ["", "new", GAME]) {
    const route = routeIn(tournament ? at.event(tournament) : at.events);
    assert.equal(route.page === "events" && route.tournament, tournament);
  }
  const poster = routeIn(`${at.event(GAME)}?view=poster`);
  assert.equal(poster.page === "events" && poster.query.get("view"), "poster");
  assert.deepEqual(routeIn("#/leaderboard"), { page: "leaderboard", speed: "blitz" });
  const route = routeIn(at.challenge(`${GAME}-${KEY}`, new URLSearchParams({ time: "180+2" })));
  assert.equal(route.page, "challenge");
  assert.equal(route.page === "challenge" && route.token, `${GAME}-${KEY}`);
  assert.equal(route.page === "challenge" && route.query.get("time"), "180+2");
});

test("an id in capitals is the same id", () => {
  assert.deepEqual(routeIn(`#/game/${GAME.toUpperCase()}`), { page: "game", game: GAME });
  assert.deepEqual(routeIn(`#/player/${KEY.toUpperCase()}`), { page: "player", player: KEY });
  const route = routeIn(`#/challenge/${`${GAME}-${KEY}`.toUpperCase()}?time=3d`);
  assert.equal(route.page === "challenge" && route.token, `${GAME}-${KEY}`);
});

test("the link that the terminal shows is opened", () => {
  // As tests/clients/terminal/test_names.py has it.
  const npub = "npub15z5sr03gz6z5yj2amarfmjk0wmu5pmg452m2a8mz30ehvfxuv4fsu7j7kl";
  const link = `https://chess.example/#/challenge/${"c".repeat(32)}?time=180%2B2&color=white&by=${npub}`;
  const route = routeIn(new URL(link).hash);
  assert.ok(route.page === "challenge");
  assert.equal(route.token, "c".repeat(32));
  assert.deepEqual(termsIn(route.query), { ...PLAIN, time: live(180, 2), color: "white" });
  assert.equal(route.query.get("by"), npub);
});

test("an address that no page has is unknown, whatever is in it", () => {
  for (const hash of [
    "#/nothing", "#/game", "#/game/", "#/game/xyz", `#/game/${GAME.slice(1)}`, `#/game/${GAME}/x`,
    "#/player/npub1", "#/player/<img>", `#/challenge/${GAME}-`, "#/leaderboard/hyper", "#/tv/x", "#/events/old", `#/events/${GAME}/2`,
    "#/game/../settings", "#/%00", `#/${"a/".repeat(5000)}`, "#/__proto__", "#/constructor/x",
  ]) {
    assert.deepEqual(routeIn(hash), { page: "unknown" }, hash);
  }
});

test("times are written as players and as the wire have them", () => {
  const shown: [Parameters<typeof shortTime>[0], string][] = [
    [live(60, 0), "1+0"], [live(180, 2), "3+2"], [live(30, 1), "½+1"], [live(0, 5), "0+5"],
    [live(90, 0), "1½+0"], [live(5400, 30), "90+30"], [{ kind: "days", days: 3 }, "3d"], [null, "∞"],
  ];
  for (const [time, text] of shown) {
    assert.equal(shortTime(time), text);
    if (time) assert.deepEqual(timeIn(timeTag(time)), time);
  }
});

test("a time beyond what the arbiter takes is none", () => {
  for (const tag of ["0+0", "10801+0", "60+181", "0d", "15d", "-1+2", "1e3+2", "3+2+1", " 3+2", "", "3d\n", "½+0"]) {
    assert.equal(timeIn(tag), undefined, tag);
  }
});

test("the speed counts forty moves, as PROTOCOL.md has it", () => {
  assert.deepEqual(
    [live(60, 0), live(179, 0), live(180, 0), live(60, 3), live(479, 0), live(480, 0), live(1500, 0), null].map(speedOf),
    ["bullet", "bullet", "blitz", "blitz", "blitz", "rapid", "classical", null],
  );
  assert.equal(speedOf({ kind: "days", days: 1 }), "correspondence");
});

test("only what the arbiter rates can be asked for rated", () => {
  assert.ok(canBeRated({ time: live(180, 2), variant: "standard", start: null }));
  assert.ok(!canBeRated({ time: null, variant: "standard", start: null }));
  assert.ok(!canBeRated({ time: live(180, 2), variant: "chess960", start: null }));
  assert.ok(!canBeRated({ time: live(180, 2), variant: "standard", start: "8/8/8/8/8/8/8/8 w - - 0 1" }));
});

test("a challenge's link carries its terms", () => {
  const start = "8/P6k/8/8/8/8/8/K7 w - - 0 1";
  for (const terms of [
    PLAIN,
    { ...PLAIN, time: live(180, 2), rated: true, color: "black" as const },
    { ...PLAIN, time: { kind: "days" as const, days: 3 }, variant: "chess960" as const },
    { ...PLAIN, start },
  ]) {
    assert.deepEqual(termsIn(new URLSearchParams(`${queryOf(terms, KEY)}`)), terms);
  }
});

test("a forged link shows usual terms, and no position that is none", () => {
  const query = new URLSearchParams("time=9e9&mode=yes&variant=<b>&color=green&start=<img onerror=alert(1)>");
  assert.deepEqual(termsIn(query), PLAIN);
  assert.ok(!isFen("x".repeat(100_000)));
  assert.ok(isFen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1"));
});

test("a picture has the pieces of the board and nothing beyond it", () => {
  assert.deepEqual(piecesIn("8/P6k/8/8/8/8/8/K7 w - - 0 1"), [
    { square: "a7", role: "pawn", color: "white" },
    { square: "h7", role: "king", color: "black" },
    { square: "a1", role: "king", color: "white" },
  ]);
  assert.equal(piecesIn("pppppppppppp/9p/<script>/////////p").length, 8);
  assert.equal(turnOf("8/8/8/8/8/8/8/8 b - - 0 1"), "black");
});

test("preferences survive being stored, and what cannot be read has its default", () => {
  const chosen = { ...DEFAULTS, theme: "dark", sounds: false, chat: { players: false, spectators: true }, custom: { ...DEFAULTS.custom, time: null } } as const;
  assert.deepEqual(preferencesIn(JSON.stringify(chosen)), chosen);
  for (const text of [
    null, "", "{", "[]", "null", "7", '{"theme":"<b>","sounds":"yes","chat":7,"custom":[]}',
    '{"custom":{"time":{"kind":"live","base":1e9,"increment":0}}}', '{"custom":{"time":{"kind":"days","days":99}}}', '{"custom":{"time":{"kind":"live","base":0,"increment":0}}}',
  ]) {
    assert.deepEqual(preferencesIn(text), DEFAULTS, `${text}`);
  }
});

test("the lobby's form asks the pool and a friend for what the arbiter takes of each", () => {
  const custom = { ...DEFAULTS.custom, color: "white", rating: { from: 1400, to: 1800 }, start: "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1" } as const;
  const ofPool = poolTerms(custom);
  assert.deepEqual([ofPool.color, ofPool.rating, ofPool.start], ["white", custom.rating, null]);
  // "In a rated game only in a challenge by name."
  assert.deepEqual([poolTerms({ ...custom, rated: true }).rated, poolTerms({ ...custom, rated: true }).color], [true, "random"]);
  const ofFriend = termsOf({ ...custom, rated: true });
  assert.deepEqual([ofFriend.color, ofFriend.rating, ofFriend.start, ofFriend.rated], ["white", null, custom.start, false]);
  const ofHouse = houseTerms(ofFriend);
  assert.deepEqual([ofHouse.start, ofHouse.color], [null, "white"]);
  assert.deepEqual(preferencesIn(JSON.stringify({ ...DEFAULTS, custom })).custom, { ...DEFAULTS.custom, color: "white" }, "neither is of another day");
});

test("a page that was not touched neither sounds nor shakes, since browsers complain of it", (context) => {
  const shaken: number[] = [];
  const opened: string[] = [];
  const silent = { currentTime: 0, state: "closed", createOscillator: () => { throw new Error("silent"); } };
  const earlier = ["navigator", "AudioContext"].map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  const device = { userActivation: { hasBeenActive: false }, vibrate: (time: number) => shaken.push(time) };
  Object.defineProperty(globalThis, "navigator", { value: device, configurable: true });
  Object.defineProperty(globalThis, "AudioContext", { value: function () { opened.push("device"); return silent; }, configurable: true });
  context.after(() => {
    for (const [name, was] of earlier) was ? Object.defineProperty(globalThis, name, was) : Reflect.deleteProperty(globalThis, name);
  });
  vibrate(30);
  play("move");
  assert.deepEqual([shaken, opened], [[], []]);
  device.userActivation.hasBeenActive = true;
  vibrate(30);
  assert.throws(() => play("move"), /silent/);
  assert.deepEqual([shaken, opened], [[30], ["device"]]);
});
