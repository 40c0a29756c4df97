import assert from "node:assert/strict";
import { test } from "node:test";

import { decode } from "nostr-tools/nip19";
import { finalizeEvent, generateSecretKey } from "nostr-tools/pure";

import type { ArbiterInfo, GameState } from "../src/arbiter/model.ts";
import { post, postOf } from "../src/pages/game_post.ts";

const arbiter = { pubkey: "a1".repeat(32), http: "https://chess.example" } as ArbiterInfo;
const game = { game: "9".repeat(32), result: "1-0" } as GameState;
const note = "b2".repeat(32);

test("a post quotes the arbiter's note, and links the picture and the proof", () => {
  const { kind, tags, content } = postOf(game, note, ["Ann", "Bob"], arbiter, ["wss://one.example"]);
  const [said, picture, proof, quoted] = content.split("\n");

  assert.equal(kind, 1);
  assert.deepEqual(tags, [["q", note, "wss://one.example", arbiter.pubkey]]);
  assert.deepEqual([said, picture, proof], [
    "Ann – Bob 1-0",
    `https://chess.example/games/${game.game}/board.png`,
    `https://chess.example/g/${game.game}/proof`,
  ]);
  const { type, data } = decode(quoted!.replace("nostr:", ""));
  assert.deepEqual([type, data], ["nevent", { id: note, author: arbiter.pubkey, kind: 64, relays: ["wss://one.example"] }]);
});

test("of an arbiter without pages it has the note alone", () => {
  const { content } = postOf(game, note, ["Ann", "Bob"], { ...arbiter, http: null }, []);

  assert.match(content, /^Ann – Bob 1-0\nnostr:nevent1[^\n]+$/);
});

test("a post counts the relays that took it", async (context) => {
  const event = finalizeEvent({ kind: 1, created_at: 1, tags: [], content: "x" }, generateSecretKey());
  const said: Record<string, readonly string[]> = {
    "wss://takes": ['["NOTICE","true"]', `["OK","${event.id}",true,""]`],
    "wss://refuses": [`["OK","${event.id}",false,"blocked: true"]`],
    "wss://another": [`["OK","${"0".repeat(64)}",true,""]`, `["OK","${event.id}",false,""]`],
    "wss://gone": [],
  };
  class Socket {
    onopen = (): void => {};
    onerror = (): void => {};
    onmessage = (_: { data: string }): void => {};
    constructor(url: string) {
      setImmediate(() => {
        if (!said[url]!.length) return this.onerror();
        this.onopen();
        for (const data of said[url]!) this.onmessage({ data });
      });
    }
    send(text: string): void {
      assert.equal(text, JSON.stringify(["EVENT", event]));
    }
    close(): void {}
  }
  const before = globalThis.WebSocket;
  Object.assign(globalThis, { WebSocket: Socket });
  context.after(() => Object.assign(globalThis, { WebSocket: before }));

  assert.equal(await post(event, Object.keys(said)), 1);
});
