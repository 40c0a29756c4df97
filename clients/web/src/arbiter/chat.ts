/** Lines of chat: encrypted and read, cut and cleaned, and counted. */

import type { Signer } from "../identity/signer.ts";
import type { NostrEvent } from "../net/event.ts";
import { clean } from "./clean.ts";
import { playersLine, spectatorsLine } from "./events.ts";
import type { ChatLine, GameView, NoticeText, Pubkey } from "./model.ts";
import { LINE_CHARS, type HeardLine } from "./profiles.ts";

const LINES = 5;
const WINDOW_MS = 10_000;
/** NIP-44 of 140 characters of four bytes has fewer. */
const MAX_CIPHER = 2_048;

export class Chat {
  readonly #arbiter: Pubkey;
  readonly #signer: Signer;
  readonly #times = new Map<Pubkey, readonly number[]>();

  constructor(arbiter: Pubkey, signer: Signer) {
    this.#arbiter = arbiter;
    this.#signer = signer;
  }

  /** The signed line; what to tell the player where there is none; `null` for an empty line. */
  async write(
    view: GameView, text: string, room: ChatLine["room"], nowMs: number, at: number,
  ): Promise<{ readonly event: NostrEvent; readonly line: ChatLine } | NoticeText | null> {
    const said = clean(text, LINE_CHARS);
    const state = view.confirmed;
    if (said === "" || !state) return null;
    if (!this.#counts(this.#signer.pubkey, nowMs)) return "chat.too-fast";
    try {
      const template =
        room === "spectators"
          ? spectatorsLine(view.game, said, state.placeholders.length > 0 ? this.#arbiter : null, at)
          : await this.#privately(view, said, at);
      if (!template) return null;
      const event = await this.#signer.sign(template);
      const line = { id: event.id, from: this.#signer.pubkey, text: said, atMs: nowMs, room };
      return { event, line };
    } catch {
      return "chat.unsent";
    }
  }

  async #privately(view: GameView, text: string, at: number): Promise<ReturnType<typeof playersLine> | null> {
    const opponent = opponentOf(view);
    if (!opponent) return null;
    // A player without a key reads what the arbiter decrypts.
    const to = view.confirmed?.placeholders.includes(opponent) ? this.#arbiter : opponent;
    return playersLine(view.game, to, await this.#signer.encrypt(to, text), at);
  }

  /** `null` for what is not for this player, cannot be read, or is too much. */
  async read(view: GameView, heard: HeardLine, nowMs: number): Promise<ChatLine | null> {
    const { id, from, room } = heard;
    if (room === "players" && (from !== opponentOf(view) || heard.to !== this.#signer.pubkey)) return null;
    if (heard.content.length > MAX_CIPHER || !this.#counts(from, nowMs)) return null;
    try {
      const text =
        room === "players" ? await this.#signer.decrypt(heard.signer, heard.content) : heard.content;
      return { id, from, text: clean(text, LINE_CHARS), atMs: nowMs, room };
    } catch {
      return null;
    }
  }

  #counts(author: Pubkey, nowMs: number): boolean {
    const recent = (this.#times.get(author) ?? []).filter((time) => nowMs - time < WINDOW_MS);
    if (recent.length >= LINES) return false;
    if (this.#times.size > 500) this.#times.clear();
    this.#times.set(author, [...recent, nowMs]);
    return true;
  }
}

function opponentOf({ me, confirmed }: GameView): Pubkey | null {
  if (!me || !confirmed) return null;
  return me === "white" ? confirmed.black : confirmed.white;
}
