/** The page of a game without an arbiter, to look at: `?scene=` names what it shows. Not built into
 * the product; see look.mjs. */

import { start } from "../src/page.tsx";
import { FakeClient, GAME, OPPONENT } from "./fake_client.ts";

const ITALIAN = ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5", "c2c3", "g8f6", "d2d4", "e5d4", "c3d4", "c5b4", "b1c3", "f6e4"];
const LONG = [
  ...ITALIAN, "e1g1", "b4c3", "d4d5", "c3f6", "f1e1", "c6e7", "e1e4", "d7d6", "c1g5", "f6g5", "f3g5", "e8g8",
  "g5h7", "g8h7", "d1h5", "h7g8", "e4h4", "f7f5", "h5h7", "g8f7", "h4h6", "f8g8", "a1e1", "d8f8", "c4b5", "g8h8",
];
const PROMOTING = "8/P5k1/8/8/8/2p5/5K2/8 w - - 0 1";

const SCENES: Readonly<Record<string, () => FakeClient>> = {
  start: () => new FakeClient({ replyMs: 1500, answerMs: 300, replies: ["e7e5", "b8c6", "f8c5", "g8f6"] }),
  middle: () => new FakeClient({ moves: LONG.slice(0, 24), rated: false, clock: { white: 93_000, black: 8_400 } }),
  low: () => new FakeClient({ moves: LONG.slice(0, 26), clock: { white: 9_300, black: 14_000 } }),
  offer: () => {
    const client = new FakeClient({ moves: ITALIAN, rated: false });
    client.confirm(ITALIAN, { offer: { kind: "draw", by: "black" } });
    client.hear(OPPONENT, "Good luck! <img src=x onerror=alert(1)>", "players");
    client.hear(OPPONENT, "That is an old trap, you know.", "players");
    return client;
  },
  premoves: () => {
    const client = new FakeClient({ moves: LONG.slice(0, 15), replyMs: null });
    client.see({ premoves: ["d1d4", "d4e4", "c1g5"] });
    return client;
  },
  pending: () => {
    const client = new FakeClient({ moves: ITALIAN, answerMs: null });
    client.move(GAME, "e1g1");
    return client;
  },
  refused: () => {
    const client = new FakeClient({ moves: ITALIAN });
    client.see({ refused: { reason: "stale", text: "" }, strikes: { count: 1, of: 3 } });
    return client;
  },
  promotion: () => new FakeClient({ start: PROMOTING, rated: false, time: { kind: "days", days: 3 }, clock: { white: 250_000_000, black: 259_200_000 } }),
  chess960: () => new FakeClient({ start: "1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w KQkq - 0 1", variant: "chess960", rated: false }),
  end: () => {
    const client = new FakeClient({ moves: LONG });
    client.finish("1-0", "resignation", {
      eventId: "0".repeat(64),
      pgn: "1. e4 e5 1-0\n",
      ratings: { white: { before: 1612, after: 1620.4 }, black: { before: 1587, after: 1571 } },
    });
    return client;
  },
  watch: () => {
    const client = new FakeClient({ me: null, moves: LONG.slice(0, 20) });
    client.hear(OPPONENT, "Who is better here?", "spectators");
    return client;
  },
};

const scene = new URLSearchParams(location.search).get("scene") ?? "start";
const client = (SCENES[scene] ?? SCENES["start"]!)();
Object.assign(globalThis, { client });
if (!location.hash) location.hash = `#/game/${GAME}`;
void start(() => ({ connecting: Promise.resolve(client), opening: null }));
