/** Events in the player's words. */

import type { JSX } from "preact";
import type { ClientState, Pubkey, Refusal } from "../arbiter/model.ts";
import { at } from "../router.ts";
import { npubOf, shortNpub } from "../shared/npub.ts";
import { termsText, waited } from "../shared/terms_text.tsx";
import { counted, isTextKey, spoken, t } from "../texts/index.ts";
import type { Standing, TournamentTerms } from "./model.ts";

const DAY_MS = 86_400_000;

/** `Swiss, 7 rounds · 3+2 · Blitz · rated`. */
export function summary(terms: TournamentTerms): string {
  const { format, rounds, cycles, minutes, time, rated } = terms;
  const length = format === "arena" ? counted("clock.minute", minutes)
    : format === "swiss" ? counted("events.rounds", rounds)
    : format === "round-robin" && cycles === 2 ? t("events.double") : "";
  const kind = [t(`events.format.${format}`), length].filter(Boolean).join(", ");
  return `${kind} · ${termsText({ time, rated, variant: "standard" })}`;
}

/** In the reader's own time zone. */
export function startText(seconds: number): string {
  return new Date(seconds * 1000).toLocaleString(spoken(), { dateStyle: "medium", timeStyle: "short" });
}

/** `in 12:30`; empty for what is more than a day away, or past. */
export function inTime(seconds: number, nowMs: number): string {
  const ms = seconds * 1000 - nowMs;
  return ms <= 0 || ms > DAY_MS ? "" : t("events.in", { time: waited(ms) });
}

export function refusedText({ reason, text }: Refusal): string {
  const key = [`events.reason.${reason}`, `reason.${reason}`].find(isTextKey);
  return key ? t(key, { text }) : text || reason;
}

interface NameProps {
  readonly state: ClientState;
  readonly player: Pubkey;
  /** What players told as they joined. */
  readonly rows: readonly Standing[];
}

/** The name that their profile has, or that they told: of hundreds no profile is asked. */
export function Name({ state, player, rows }: NameProps): JSX.Element {
  const npub = npubOf(player);
  return <a class="player" href={at.player(npub)} title={npub}><bdi>{plainName({ state, player, rows })}</bdi></a>;
}

export function plainName({ state, player, rows }: NameProps): string {
  const told = rows.find((one) => one.player === player)?.name;
  return state.profiles.get(player)?.name ?? (told || shortNpub(npubOf(player)));
}
