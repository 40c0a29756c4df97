/** Standings of an event with more players than its 30329 names, from the HTTP API. */

import { clean } from "../arbiter/clean.ts";
import { hex, list, number, record, text } from "../lists.ts";
import type { EntryState, Standing } from "./model.ts";

const STATES: readonly string[] = ["in", "asked", "paused", "left", "removed"] satisfies EntryState[];

export function standingsIn(json: unknown): readonly Standing[] {
  return list(record(json)["standings"], (it): Standing | null => {
    const player = record(it["player"]);
    const [rank, pubkey, state] = [number(it["rank"]), hex(player["pubkey"], 64), text(it["state"])];
    if (rank === null || pubkey === null || state === null || !STATES.includes(state)) return null;
    return {
      rank, player: pubkey, state: state as EntryState, points: String(number(it["points"]) ?? 0), name: clean(text(player["name"]) ?? "", 32),
      tieBreaks: Object.values(record(it["tie_breaks"])).map((value) => String(number(value) ?? "")),
    };
  });
}
