/** Whole games of this client on a real arbiter: `npm run itest`. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import type { ArbiterInfo, Terms } from "../src/arbiter/model.ts";
import { signedBy } from "../src/identity/local.ts";
import { hexToBytes } from "@noble/hashes/utils.js";
import { npubEncode } from "nostr-tools/nip19";
import { Identity } from "../src/identity/identity.ts";
import { Bunker } from "./bunker.ts";
import { browser } from "../src/net/browser.ts";
import { discover } from "../src/net/discovery.ts";
import { arbiter, infoOf, paired, Player, played, relay, seated, storage, TERMS, type Match, type Service } from "./arbiter.ts";

const FOOLS_MATE = ["f2f3", "e7e5", "g2g4", "d8h4"];
const players: Player[] = [];

async function player(info: ArbiterInfo, kept = storage()): Promise<Player> {
  const made = await new Player(info, kept).load();
  players.push(made);
  return made;
}

async function match(one: ArbiterInfo, other = one, terms: Terms = TERMS): Promise<Match> {
  return paired(await player(one), await player(other), terms);
}

after(() => players.forEach((one) => one.close()));

describe("at the gateway alone", () => {
  let service: Service;
  let info: ArbiterInfo;

  before(async () => {
    service = await arbiter([], { ARBITER_HTTP_PER_ADDRESS: "100000" });
    await service.start();
    info = await infoOf(service);
  });
  after(() => service.stop());

  test("the page's own origin tells the arbiter, its gateway and its HTTP API", () => {
    assert.deepEqual(info, {
      pubkey: info.pubkey, name: "Arbiter", relays: [`ws://127.0.0.1:${service.port}`],
      gateway: `ws://127.0.0.1:${service.port}`, http: `http://127.0.0.1:${service.port}`, house: [],
    });
  });

  test("two strangers play to mate, and the note comes", async () => {
    const one = await match(info);
    await played(one, FOOLS_MATE);
    for (const who of [one.white, one.black]) {
      const { confirmed, premoves, pendingMove } = await who.end(one.game);
      assert.deepEqual([confirmed!.result, confirmed!.termination], ["0-1", "checkmate"]);
      assert.deepEqual([premoves, pendingMove], [[], null]);
      const pgn = await who.until("the note", ({ games }) => games.get(one.game)?.note?.pgn);
      assert.match(pgn, /1\. f3 e5 2\. g4 Qh4# 0-1/);
    }
  });

  test("the clock of the arbiter is found to some milliseconds while a game is played", async () => {
    const one = await match(info);
    await one.white.load(-700);
    await played(one, ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "g8f6"]);
    assert.ok(Math.abs(one.white.state.clockOffsetMs - 700) < 150, String(one.white.state.clockOffsetMs));
    assert.ok(Math.abs(one.black.state.clockOffsetMs) < 150, String(one.black.state.clockOffsetMs));
  });

  test("a draw is offered, declined, offered by the other and agreed", async () => {
    const { game, white, black } = await match(info);
    await played({ game, white, black }, ["e2e4", "e7e5"]);
    white.client.word(game, "draw");
    const offered = await black.until("the offer", ({ games }) => games.get(game)!.confirmed!.offer);
    assert.deepEqual(offered, { kind: "draw", by: "white" });
    black.client.word(game, "draw-decline");
    await white.until("no offer", ({ games }) => games.get(game)!.confirmed!.version > 4 && !games.get(game)!.confirmed!.offer);
    black.client.word(game, "draw");
    await white.until("the offer", ({ games }) => games.get(game)!.confirmed!.offer?.by === "black");
    white.client.word(game, "draw");
    assert.equal((await black.end(game)).confirmed!.termination, "agreement");
    await white.until("nothing pending", ({ games }) => games.get(game)!.pendingWords.length === 0);
  });

  test("a resignation ends the game, and a rematch begins another with colours swapped", async () => {
    const first = await match(info);
    await played(first, ["e2e4", "e7e5"]);
    first.white.client.word(first.game, "resign");
    await Promise.all([first.white.end(first.game), first.black.end(first.game)]);
    first.black.client.word(first.game, "rematch");
    await first.white.until("the offer", ({ games }) => games.get(first.game)!.confirmed!.offer?.kind === "rematch");
    first.white.client.word(first.game, "rematch");
    const second = await seated(first.white, first.black, first.game);
    assert.equal(second.white, first.black);
    assert.equal((await first.white.until("its name", ({ games }) => games.get(first.game)!.confirmed!.rematch)), second.game);
    await played(second, FOOLS_MATE);
    assert.equal((await second.white.end(second.game)).confirmed!.result, "0-1");
  });

  test("a takeback is asked for and granted", async () => {
    const one = await match(info);
    await played(one, ["e2e4", "e7e5"]);
    one.black.client.word(one.game, "takeback");
    await one.white.until("the offer", ({ games }) => games.get(one.game)!.confirmed!.offer?.kind === "takeback");
    one.white.client.word(one.game, "takeback");
    await Promise.all([one.white.at(one.game, 1), one.black.at(one.game, 1)]);
    await played(one, ["c7c5"], 1);
  });

  test("a game is aborted before it began, and both may ask again", async () => {
    const { game, white, black } = await match(info);
    black.client.word(game, "abort");
    assert.equal((await white.end(game)).confirmed!.termination, "aborted");
    black.client.play(TERMS);
    await black.until("queued", ({ waiting }) => waiting[0]?.confirmed);
    black.client.cancel();
    await black.until("cancelled", ({ waiting }) => waiting.length === 0);
  });

  test("a challenge by name is shown with its terms, and accepted", async () => {
    const [one, other] = [await player(info), await player(info)];
    const terms: Terms = { ...TERMS, color: "black", time: { kind: "days", days: 3 } };
    one.client.challenge(other.pubkey, terms);
    const challenge = await other.until("the challenge", ({ challenges }) => challenges[0]);
    assert.deepEqual([challenge.challenger, challenge.terms], [one.pubkey, terms]);
    other.client.accept(challenge.id);
    const { white, game } = await seated(one, other);
    assert.equal(white, other);
    assert.deepEqual(one.state.games.get(game)!.confirmed!.time, { kind: "days", days: 3 });
    await other.until("it is gone", ({ challenges }) => challenges.length === 0);
    await one.until("it is gone", ({ waiting }) => waiting.length === 0);
  });

  test("a challenge that is declined tells why", async () => {
    const [one, other] = [await player(info), await player(info)];
    one.client.challenge(other.pubkey, TERMS);
    other.client.decline((await other.until("the challenge", ({ challenges }) => challenges[0])).id, "tooFast");
    const notice = await one.until("the notice", ({ notices }) => notices[0]);
    assert.deepEqual([notice.text, notice.values], ["challenge.declined", { reason: "tooFast" }]);
    await other.until("it is gone", ({ challenges }) => challenges.length === 0);
    await one.until("it is gone", ({ waiting }) => waiting.length === 0);
  });

  test("a secret link is played by who has it, after a reload, and not by a player who has only its id", async () => {
    const [one, thief, friend] = [await player(info), await player(info), await player(info)];
    one.client.openChallenge(TERMS);
    const link = await one.until("the link", ({ waiting }) => waiting[0]?.secretLink);
    thief.client.accept(link.slice(0, 32));
    const notice = await thief.until("the refusal", ({ notices }) => notices[0]);
    assert.equal(notice.text, "request.unknown-challenge");
    await one.load();
    assert.equal((await one.until("it waits", ({ waiting }) => waiting[0]?.confirmed && waiting[0])).secretLink, link);
    friend.client.accept(link);
    await seated(one, friend);
  });

  test("in Chess960 the king takes its rook, and both boards agree", async () => {
    const start = "1rk4r/pppppppp/8/8/8/8/PPPPPPPP/1RK4R w HBhb - 0 1";
    const terms: Terms = { ...TERMS, variant: "chess960", color: "white", start };
    const [one, other] = [await player(info), await player(info)];
    one.client.challenge(other.pubkey, terms);
    other.client.accept((await other.until("the challenge", ({ challenges }) => challenges[0])).id);
    const made = await seated(one, other);
    await played(made, ["c1h1", "c8b8"]);
    for (const { confirmed, pendingMove, refused } of [await one.at(made.game, 2), await other.at(made.game, 2)]) {
      assert.match(confirmed!.fen, /^2kr3r\/pppppppp\/8\/8\/8\/8\/PPPPPPPP\/1R3RK1 w /);
      assert.deepEqual([confirmed!.moves, pendingMove, refused], [["c1h1", "c8b8"], null, null]);
    }
  });

  test("premoves are played in a row", async () => {
    const one = await match(info);
    one.black.client.move(one.game, "e7e5");
    one.black.client.move(one.game, "b8c6");
    await played(one, ["e2e4"]);
    await one.white.at(one.game, 2);
    one.white.client.move(one.game, "g1f3");
    await one.white.at(one.game, 4);
    assert.deepEqual(one.black.state.games.get(one.game)!.premoves, []);
  });

  test("a page that is loaded again in mid-game has the position, and plays on", async () => {
    const one = await match(info);
    await played(one, ["e2e4", "e7e5", "g1f3"]);
    await one.black.load();
    const view = await one.black.game();
    assert.deepEqual([view.game, view.me, view.confirmed!.ply], [one.game, "black", 3]);
    await played(one, ["b8c6", "f1c4"], 3);
  });

  test("a move that was made while the network was lost is played once it is back, also after a reload", async () => {
    const one = await match(info);
    await played(one, ["e2e4", "e7e5"]);
    one.white.loseNetwork();
    one.white.client.move(one.game, "g1f3");
    await one.white.until("it waits", ({ games }) => games.get(one.game)!.pendingMove);
    one.white.isOffline = false;
    await one.white.load();
    await one.black.at(one.game, 3);
    one.black.loseNetwork();
    one.black.client.move(one.game, "b8c6");
    one.black.isOffline = false;
    one.black.client.wake();
    await one.white.at(one.game, 4);
    await one.black.until("confirmed", ({ games }) => games.get(one.game)!.pendingMove === null);
  });

  test("two tabs of one player end in the same position", async () => {
    const one = await match(info);
    const tab = await player(info, one.white.kept);
    await tab.at(one.game, 0);
    tab.holds = (message) => (message[2] as { kind?: number } | undefined)?.kind === 20302;
    await played(one, ["e2e4"]);
    tab.client.move(one.game, "d2d4");
    const refused = await tab.until("refused", ({ games }) => games.get(one.game)!.refused);
    assert.equal(refused.reason, "stale");
    assert.equal(tab.state.games.get(one.game)!.pendingMove, null);
    tab.release();
    assert.deepEqual((await tab.at(one.game, 1)).confirmed!.moves, ["e2e4"]);
    assert.deepEqual((await one.black.at(one.game, 1)).confirmed!.moves, ["e2e4"]);
  });

  test("a move that is refused snaps back and says why", async () => {
    const one = await match(info);
    await played(one, ["e2e4", "e7e5"]);
    one.white.holds = (message) => (message[2] as { kind?: number } | undefined)?.kind === 20302;
    one.black.client.word(one.game, "resign");
    await one.black.end(one.game);
    one.white.client.move(one.game, "g1f3");
    const { refused, pendingMove } = await one.white.until("refused", ({ games }) => games.get(one.game)!.refused && games.get(one.game));
    assert.deepEqual([refused!.reason, pendingMove], ["game-over", null]);
    one.white.release();
    assert.equal((await one.white.end(one.game)).confirmed!.result, "1-0");
  });

  test("a claim without ground is refused, and the game goes on", async () => {
    const one = await match(info);
    one.white.client.word(one.game, "claim");
    const refused = await one.white.until("refused", ({ games }) => games.get(one.game)!.refused);
    assert.equal(refused.reason, "no-claim");
    await played(one, ["e2e4"]);
  });

  test("the flag falls", async () => {
    const one = await match(info, info, { ...TERMS, time: { kind: "live", base: 0, increment: 1 } });
    await played(one, ["e2e4", "e7e5"]);
    assert.equal((await one.black.end(one.game)).confirmed!.termination, "timeout");
    assert.equal((await one.white.end(one.game)).confirmed!.result, "0-1");
  });

  test("a rated game has ratings before and after", async () => {
    const one = await match(info, info, { ...TERMS, rated: true });
    await played(one, FOOLS_MATE);
    const ratings = await one.white.until("the note", ({ games }) => games.get(one.game)?.note?.ratings);
    assert.ok(ratings.black!.after > ratings.black!.before && ratings.white!.after < ratings.white!.before);
    const told = await one.white.until("the rating", ({ ratings }) => ratings.get(one.black.pubkey)?.[0]);
    assert.deepEqual([told.speed, told.value, told.provisional], ["blitz", ratings.black!.after, true]);
  });

  test("players chat, spectators chat among themselves, and a player reads it after the game", async () => {
    const one = await match(info);
    const spectator = await player(info);
    spectator.client.watch(one.game);
    await spectator.at(one.game, 0);
    assert.equal(spectator.state.games.get(one.game)!.me, null);
    one.white.client.say(one.game, "good luck\u202E <b>", "players");
    const line = await one.black.until("the line", ({ games }) => games.get(one.game)!.chat[0]);
    assert.deepEqual([line.text, line.from, line.room], ["good luck <b>", one.white.pubkey, "players"]);
    spectator.client.say(one.game, "Qh5!", "spectators");
    await spectator.until("my line", ({ games }) => games.get(one.game)!.chat[0]);
    await played(one, FOOLS_MATE);
    assert.equal(one.white.state.games.get(one.game)!.chat.length, 1);
    spectator.client.say(one.game, "well played", "spectators");
    await one.white.until("their line", ({ games }) => games.get(one.game)!.chat.some(({ text }) => text === "well played"));
    assert.equal((await spectator.end(one.game)).confirmed!.result, "0-1");
  });

  test("a clock that is minutes wrong is set right by the arbiter's answer", async () => {
    for (const minutes of [-10, 10]) {
      const one = new Player(info);
      players.push(await one.load(minutes * 60_000));
      const other = await player(info);
      await paired(one, other);
      assert.ok(Math.abs(one.state.clockOffsetMs + minutes * 60_000) < 1_500, String(one.state.clockOffsetMs));
    }
  });

  test("forged states of a stranger are not believed", async () => {
    const one = await match(info);
    await played(one, ["e2e4"]);
    const { confirmed } = one.white.state.games.get(one.game)!;
    const tags = [["d", one.game], ["p", confirmed!.white], ["p", confirmed!.black], ["version", "99"], ["ply", "0"]];
    const forged = signedBy(hexToBytes("05".repeat(32)), { kind: 20302, created_at: confirmed!.createdAt, tags, content: confirmed!.fen });
    const socket = new WebSocket(info.relays[0]!);
    await new Promise((resolve) => (socket.onopen = resolve));
    socket.send(JSON.stringify(["EVENT", forged]));
    const answer = await new Promise<MessageEvent>((resolve) => (socket.onmessage = resolve));
    assert.match(String(answer.data), /false/);
    socket.close();
    await played(one, ["e7e5"], 1);
    assert.equal(one.white.state.games.get(one.game)!.confirmed!.version, 3);
  });
});

describe("an arbiter that wants work", () => {
  test("is given it", async () => {
    const service = await arbiter([], { ARBITER_RULES_WORK_OF_STRANGERS: "8" });
    await service.start();
    try {
      const info = await infoOf(service);
      const one = await match(info);
      await played(one, ["e2e4"]);
      assert.equal(one.white.state.notices[0]?.text, "request.working");
      players.splice(0).forEach((who) => who.close());
    } finally {
      await service.stop();
    }
  });
});

describe("with a relay beside the gateway", () => {
  let service: Service;
  let outside: Service;
  let info: ArbiterInfo;
  const only = (url: string): ArbiterInfo => ({ ...info, relays: [url] });

  before(async () => {
    outside = await relay();
    await outside.start();
    service = await arbiter([`ws://127.0.0.1:${outside.port}`]);
    await service.start();
    info = await infoOf(service);
  });
  after(async () => {
    players.splice(0).forEach((one) => one.close());
    await service.stop();
    await outside.stop();
  });

  test("an npub and a relay are enough to find the arbiter, its gateway and its HTTP API", async () => {
    const start = { origin: "https://static.example", arbiter: npubEncode(info.pubkey), relays: `ws://127.0.0.1:${outside.port}` };
    // The arbiter announces itself in its own time.
    for (let tries = 0; tries < 50; tries += 1) {
      const found = await discover(start, fetch, browser);
      if (found?.info.relays.length === 2 || tries === 49) assert.deepEqual(found?.info, info);
      else await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });

  test("both are used side by side, and each event counts once", async () => {
    const one = await match(info);
    await played(one, FOOLS_MATE);
    await one.white.end(one.game);
    assert.deepEqual(one.white.state.relays.map(({ status, gateway }) => [status, gateway]), [["connected", false], ["connected", true]]);
    await one.white.until("round trips", ({ relays }) => relays.every(({ roundTripMs }) => roundTripMs !== null));
  });

  test("over the relay alone a game is played to mate", async () => {
    const one = await match(only(`ws://127.0.0.1:${outside.port}`));
    await played(one, FOOLS_MATE);
    assert.equal((await one.black.end(one.game)).confirmed!.result, "0-1");
    assert.ok(await one.black.until("the note", ({ games }) => games.get(one.game)?.note));
  });

  test("over the relay alone a page that is loaded again finds its game", async () => {
    const one = await match(only(`ws://127.0.0.1:${outside.port}`));
    await played(one, ["e2e4"]);
    await one.black.load();
    assert.equal((await one.black.game()).game, one.game);
    await one.black.at(one.game, 1);
    await played(one, ["e7e5"], 1);
  });

  test("one plays at the gateway, the other over the relay", async () => {
    const one = await match(only(info.gateway!), only(`ws://127.0.0.1:${outside.port}`));
    await played(one, FOOLS_MATE);
    assert.equal((await one.white.end(one.game)).confirmed!.result, "0-1");
  });

  test("a bunker's player plays and chats, comes back after a reload, and can say no", async () => {
    const url = `ws://127.0.0.1:${outside.port}`;
    const bunker = new Bunker(url);
    await bunker.start();
    const kept = storage();
    const signer = await new Identity(kept).useBunker(bunker.address(), () => {});
    signer.close();
    assert.deepEqual([signer.kind, signer.pubkey], ["bunker", bunker.pubkey]);
    const one = await player(info, kept); // opens the session that is kept
    const other = await player(info);
    const made = await paired(one, other);
    await played(made, ["e2e4", "e7e5"]);
    one.client.say(made.game, "hello", "players");
    await other.until("the line", ({ games }) => games.get(made.game)!.chat[0]?.text === "hello");
    other.client.say(made.game, "hi", "players");
    await one.until("the answer", ({ games }) => games.get(made.game)!.chat.some(({ text }) => text === "hi"));
    bunker.refuses = true;
    one.client.word(made.game, "resign");
    const refused = await one.until("refused", ({ games }) => games.get(made.game)!.refused);
    assert.equal(refused.reason, "unsigned");
    assert.equal(new Set(bunker.asked).has("connect"), true);
    one.close();
    bunker.stop();
  });

  test("an invitation is taken by a bunker, and both identities stay to be chosen", async () => {
    const url = `ws://127.0.0.1:${outside.port}`;
    const bunker = new Bunker(url);
    await bunker.start();
    const identity = new Identity(storage());
    const local = await identity.open();
    const { uri, signer } = await identity.invite([url], () => {});
    assert.match(uri, /^nostrconnect:\/\/[0-9a-f]{64}\?/);
    assert.match(decodeURIComponent(uri), /sign_event:20303/);
    // A camera takes longer than this page to subscribe.
    setTimeout(() => bunker.take(uri), 500);
    const made = await signer;
    assert.equal(made.pubkey, bunker.pubkey);
    const event = await made.sign({ kind: 20303, created_at: 1, tags: [], content: "e2e4" });
    assert.equal(event.pubkey, bunker.pubkey);
    made.close();
    assert.equal(identity.useLocal().pubkey, local.pubkey);
    bunker.stop();
  });

  test("the relay is killed and comes back in mid-game: over both nothing is felt, over it alone the game goes on", async () => {
    const both = await match(info);
    const alone = await match(only(`ws://127.0.0.1:${outside.port}`));
    await played(both, ["e2e4", "e7e5"]);
    await played(alone, ["e2e4"]);
    await outside.stop("SIGKILL");
    await played(both, ["g1f3", "b8c6"], 2);
    await both.white.until("it is seen", ({ relays }) => relays.some(({ status }) => status !== "connected"));
    alone.black.client.move(alone.game, "e7e5");
    await outside.start();
    await Promise.all([alone.white.at(alone.game, 2), alone.black.at(alone.game, 2)]);
    await played(alone, ["g1f3"], 2);
    await both.white.until("all are back", ({ relays }) => relays.every(({ status }) => status === "connected"));
    await played(both, ["f1c4"], 4);
  });
});
