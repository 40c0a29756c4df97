/** A game told to the player's followers: a kind 1 that quotes the arbiter's note (NIP-18, NIP-21). */

import { neventEncode } from "nostr-tools/nip19";

import type { ArbiterInfo, GameState } from "../arbiter/model.ts";
import type { EventTemplate, NostrEvent } from "../net/event.ts";

const TEXT_NOTE = 1;
const PGN_NOTE = 64;
const ANSWER_MS = 8000;

/** With the picture's address and the link to the proof where the arbiter has pages. */
export function postOf(
  game: GameState, note: string, names: readonly [string, string], arbiter: ArbiterInfo, relays: readonly string[],
): EventTemplate {
  const { pubkey, http } = arbiter;
  const quoted = neventEncode({ id: note, author: pubkey, kind: PGN_NOTE, relays: relays.slice(0, 2) });
  const pages = http === null ? [] : [`${http}/games/${game.game}/board.png`, `${http}/g/${game.game}/proof`];
  // NIP-18: "q tags ensure quote reposts are not pulled and included as replies in threads".
  return {
    kind: TEXT_NOTE,
    created_at: Math.floor(Date.now() / 1000),
    tags: [["q", note, relays[0] ?? "", pubkey]],
    content: [`${names[0]} – ${names[1]} ${game.result ?? "*"}`, ...pages, `nostr:${quoted}`].join("\n"),
  };
}

/** Sends it to these relays, and waits for their answers; how many took it. */
export async function post(event: NostrEvent, relays: readonly string[]): Promise<number> {
  const took = await Promise.all(relays.map((url) => taken(event, url)));
  return took.filter(Boolean).length;
}

function taken(event: NostrEvent, url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url);
    const end = (isTaken: boolean): void => {
      clearTimeout(ending);
      resolve(isTaken);
      socket.close();
    };
    const ending = setTimeout(() => end(false), ANSWER_MS);
    socket.onerror = () => end(false);
    socket.onopen = () => socket.send(JSON.stringify(["EVENT", event]));
    socket.onmessage = ({ data }) => {
      // NIP-01: ["OK", <event_id>, <true|false>, <message>]. A relay may say anything else before.
      const said = String(data);
      if (said.startsWith('["OK"') && said.includes(event.id)) end(/^[^,]*,[^,]*,\s*true/.test(said));
    };
  });
}
