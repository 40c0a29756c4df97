/** A player's report about another to the arbiter's operator (NIP-56). */

import type { EventTemplate, Tag } from "../net/event.ts";
import type { GameId, Pubkey } from "./model.ts";

const REPORT = 1984;

/** PROTOCOL.md, Reports: "each `chat`, ten at most, discloses a line". */
export const MAX_DISCLOSED = 10;

/** Types of NIP-56 that happen at chess. Of one that cheats it has only `other`. */
export const REPORT_TYPES = ["other", "profanity", "spam", "impersonation", "illegal"] as const;

export interface PlayerReport {
  readonly player: Pubkey;
  readonly type: (typeof REPORT_TYPES)[number];
  readonly game: GameId | null;
  /** The lines of chat that the reporter discloses. */
  readonly lines: readonly string[];
  readonly text: string;
}

export function reportEvent({ player, type, game, lines, text }: PlayerReport, arbiter: Pubkey): Omit<EventTemplate, "created_at"> {
  const disclosed = lines.slice(0, MAX_DISCLOSED).map((line): Tag => ["chat", line]);
  return { kind: REPORT, tags: [["p", player, type], ["p", arbiter], ...(game ? [["d", game]] : []), ...disclosed], content: text };
}
