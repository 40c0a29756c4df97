/** The page of a game's proof: reads the transcript and the arbiter's note, and says what it finds. */

import type { NostrEvent } from "nostr-tools/pure";
import { isSigned } from "../net/event.ts";
import { check, type Found, type Header, type Line } from "./check.ts";

const MAX_BYTES = 8 * 1024 * 1024;
const NOTE_MS = 10_000;

/** The lines of a transcript, the first one apart; or why there is none. */
async function read(url: string): Promise<[Header, Line[]] | string> {
  const answer = await fetch(url);
  if (!answer.ok) return ((await answer.json()) as { detail: string }).detail;
  const packed = await answer.arrayBuffer();
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += decoder.decode(part.value, { stream: true });
    if (text.length > MAX_BYTES) throw new Error("the transcript is too large");
  }
  const [header, ...lines] = text.trim().split("\n").map((line) => JSON.parse(line) as unknown);
  return [header as Header, lines as Line[]];
}

/** The arbiter's note of the game at its own relay, or null. */
function noteAt(relay: string, { arbiter, game }: Header): Promise<NostrEvent | null> {
  return new Promise((resolve) => {
    const socket = new WebSocket(relay);
    const end = (note: NostrEvent | null): void => {
      resolve(note);
      socket.close();
    };
    setTimeout(() => end(null), NOTE_MS);
    socket.onerror = () => end(null);
    socket.onopen = () => socket.send(JSON.stringify(["REQ", "note", { kinds: [64], authors: [arbiter], "#d": [game] }]));
    socket.onmessage = ({ data }) => {
      const [word, , event] = JSON.parse(String(data)) as [string, string, NostrEvent?];
      // What was not asked for, or signed by another, is no note: the next one may be.
      if (word === "EVENT" && event?.kind === 64 && event.pubkey === arbiter && isSigned(event)) end(event);
      else if (word === "EOSE" || word === "CLOSED") end(null);
    };
  });
}

function show(list: HTMLElement, found: readonly Found[]): void {
  list.replaceChildren(
    ...found.map(({ how, text }) => {
      const item = document.createElement("li");
      const word = document.createElement("strong");
      word.textContent = how;
      item.append(word, `: ${text}`);
      return item;
    }),
  );
}

async function main(list: HTMLElement): Promise<void> {
  const { transcript = "", relay = "", game } = list.dataset;
  try {
    const there = await read(transcript);
    if (typeof there === "string") return show(list, [{ how: "missing", text: there }]);
    const [header, lines] = there;
    if (header.game !== game) throw new Error("this is the transcript of another game");
    show(list, await check(header, lines, await noteAt(relay, header)));
  } catch (trouble) {
    show(list, [{ how: "wrong", text: trouble instanceof Error ? trouble.message : String(trouble) }]);
  }
}

const list = document.getElementById("found");
if (list) void main(list);
