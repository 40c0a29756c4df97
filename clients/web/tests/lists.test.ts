/** Lists of the HTTP API: what the arbiter says is read, and what is out of place breaks nothing. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { lookUp, nameIn } from "../src/friend.ts";
import { gamesIn, lobbyIn, MAX_COUNTED, nextIn, playerIn, ranksIn, spectatorsIn } from "../src/lists.ts";
import { lineOf, ratingsIn } from "../src/ratings.ts";

const KEY = "ab".repeat(32);
const SEAT = { kind: "nostr", pubkey: KEY, npub: "npub1x" };

test("who waits is read as the arbiter's document has it", () => {
  const pool = { rated: true, variant: "standard", speed: "blitz", time_control: "180+2" };
  const read = lobbyIn({
    pools: [{ ...pool, waiting: [{ since_ms: 5, rating: 1612, bot: false }] }, { ...pool, waiting: [] }],
    challenges: [
      {
        id: "cd".repeat(16), challenger: SEAT, rated: false, variant: "chess960", speed: null,
        time_control: null, color: "white", start_fen: null, since_ms: 1, expires_at_ms: 2,
      },
    ],
  });
  const time = { kind: "live", base: 180, increment: 2 };
  assert.deepEqual(read.pools, [
    { rated: true, variant: "standard", time, waiting: [{ sinceMs: 5, rating: 1612, bot: false }] },
  ]);
  assert.deepEqual(read.challenges, [
    {
      id: "cd".repeat(16), challenger: { pubkey: KEY, npub: "npub1x" }, rated: false, variant: "chess960",
      time: null, color: "white", start: null,
    },
  ]);
});

test("games are read, and a hot seat's player has no key", () => {
  const [game] = gamesIn({
    games: [
      {
        id: "cd".repeat(16), state: "ended", result: "1-0", winner: "white", white: SEAT, black: { kind: "browser" },
        rated: false, variant: "standard", time_control: "3d", fen: "8/8/8/8/8/8/8/8 w - - 0 1", last_move: "e2e4",
        ply: 3, created_at_ms: 1, ended_at_ms: 2,
      },
    ],
    next: "https://chess.example/live?after=x",
  });
  assert.deepEqual(game?.time, { kind: "days", days: 3 });
  assert.deepEqual([game?.winner, game?.white?.pubkey, game?.black, game?.isLive], ["white", KEY, null, false]);
  assert.equal(nextIn({ next: null }), null);
});

test("JSON of any other shape is an empty list, and throws nothing", () => {
  const strange = [
    null, 7, "x", [], {}, { pools: 7 }, { pools: [null, 7, []], challenges: [{ id: "<img>" }, { id: 7 }] },
    { games: [{ id: "x" }, { id: "cd".repeat(16), fen: 7 }, null] }, { players: {} }, { ratings: [], recent_games: "x" },
  ];
  for (const json of strange) {
    assert.deepEqual(lobbyIn(json), { pools: [], challenges: [] });
    assert.deepEqual(gamesIn(json), []);
    assert.deepEqual(ranksIn(json), []);
    assert.deepEqual(playerIn(json), { ratings: {}, games: [] });
    assert.equal(spectatorsIn(json), 0);
  }
});

test("spectators are a whole number up to the most that are counted, and otherwise none", () => {
  assert.deepEqual([0, 1, 99].map((spectators) => spectatorsIn({ spectators })), [0, 1, 99]);
  assert.equal(spectatorsIn({ spectators: 1e9 }), MAX_COUNTED);
  for (const spectators of [null, "7", -1, 1.5, NaN, Infinity, [7], {}, true]) assert.equal(spectatorsIn({ spectators }), 0);
});

const header = (name: string, value: string): string => `[${name} "${value}"]\n`;

function pgn(event: string, white: string, elo: string, date: string): string {
  return (
    header("Event", event) + header("White", white) + header("Black", "npub1other") + header("UTCDate", date) +
    header("UTCTime", "08:00:05") + header("WhiteElo", elo) + header("BlackElo", "1700") + "\n1. e4 e5 1-0\n\n"
  );
}

test("a player's ratings are read from their games, the oldest first", () => {
  const file =
    pgn("Rated blitz game", "npub1me", "1520", "2027.01.16") + pgn("Casual blitz game", "npub1me", "1", "2027.01.15") +
    pgn("Rated blitz game", "npub1me", "1500", "2027.01.15") + pgn("Rated rapid game", "npub1third", "1600", "2027.01.17");
  assert.deepEqual(
    ratingsIn(file, ["npub1me"]).map(({ speed, rating }) => [speed, rating]),
    [["blitz", 1500], ["blitz", 1520]],
  );
  const both = pgn("Rated blitz game", "ab".repeat(32), "1540", "2027.01.18") + file;
  assert.deepEqual(ratingsIn(both, ["ab".repeat(32), "npub1me"]).map(({ rating }) => rating), [1500, 1520, 1540]);
  const named = pgn("Rated blitz game", "Ann", "1560", "2027.01.19").replace("[Black", '[WhiteNA "nostr:npub1me"]\n[Black');
  assert.deepEqual(ratingsIn(named + file, ["npub1me"]).map(({ rating }) => rating), [1500, 1520, 1560], "a player with a name");
  assert.deepEqual(ratingsIn(file, ["npub1other"]).map(({ rating }) => rating), [1700, 1700, 1700]);
  assert.deepEqual(ratingsIn("[Event \"Rated blitz game\"]\n[White \"\\\"]", ["\\"]), []);
  assert.deepEqual(ratingsIn("[".repeat(50_000), ["x"]), []);
});

test("a line begins and ends at the edges and stays within them", () => {
  const { path, least, most } = lineOf([1500, 1510, 1490], 600, 160);
  assert.ok(most - least >= 100 && least <= 1490 && most >= 1510);
  const points = path.slice(1).split("L").map((point) => point.split(" ").map(Number));
  assert.deepEqual(points.map(([x]) => x), [0, 300, 600]);
  assert.ok(points.every(([, y = -1]) => y >= 0 && y <= 160));
});

test("names of NIP-05 are told from other text", () => {
  assert.deepEqual(nameIn(" Alice@Example.com "), { name: "alice", domain: "example.com" });
  assert.deepEqual(nameIn("example.com"), { name: "_", domain: "example.com" });
  for (const text of ["alice", "a@b", "a@b@c.de", "a@example.com/x", "a@example.com?x", "<b>@example.com", "a b@example.com", "@", ""]) {
    assert.equal(nameIn(text), null, text);
  }
});

test("a domain is believed only about the name that was asked for, and only with a key", async (context) => {
  const answers: unknown[] = [{ names: { alice: KEY } }, { names: { bob: KEY } }, { names: { alice: "x" } }, null, { names: null }, { names: { __proto__: KEY } }];
  const asked: string[] = [];
  context.mock.method(globalThis, "fetch", async (url: string, { redirect }: RequestInit) => {
    assert.equal(redirect, "error");
    asked.push(url);
    return new Response(JSON.stringify(answers.shift()));
  });
  const found = [];
  for (let count = answers.length; count > 0; count--) found.push(await lookUp({ name: "alice", domain: "example.com" }));
  assert.deepEqual(found, [KEY, null, null, null, null, null]);
  assert.equal(asked[0], "https://example.com/.well-known/nostr.json?name=alice");
});
