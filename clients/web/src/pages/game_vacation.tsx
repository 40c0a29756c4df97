/** Days off in a game by days, where the operator gives some. */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { ERROR, MOVE } from "../arbiter/events.ts";
import { parseError } from "../arbiter/answers.ts";
import type { ArbiterClient, GameState, Refusal } from "../arbiter/model.ts";
import { t } from "../texts/index.ts";
import { refusalText } from "./game_rules.ts";

interface VacationProps {
  readonly client: ArbiterClient;
  readonly game: GameState;
  /** Base of the HTTP API. */
  readonly http: string;
}

/** "Not in games with another clock or none, nor in events." */
export function mayRest({ result, time, tournament }: GameState): boolean {
  return result === null && time?.kind === "days" && tournament === null;
}

/** The days of a year that the arbiter gives, in its NIP-11 document; 0 if it says none. */
export function daysIn(document: unknown): number {
  const { vacation_days: days } = (document ?? {}) as { readonly vacation_days?: unknown };
  return Number.isInteger(days) && (days as number) > 0 ? Math.min(days as number, 99) : 0;
}

/** Nothing where there is none. */
export function VacationForm({ client, game, http }: VacationProps): JSX.Element | null {
  const [most, setMost] = useState(0);
  const [days, setDays] = useState("1");
  const [said, setSaid] = useState("");
  const asked = useRef<string | null>(null);
  useEffect(() => {
    const headers = { Accept: "application/nostr+json" };
    fetch(`${http}/`, { headers }).then((answer) => answer.json()).then((document) => setMost(daysIn(document)), () => {});
  }, [http]);
  useEffect(() => {
    const refused = (id: string, refusal: Refusal): void => void (id === asked.current && setSaid(refusalText(refusal)));
    const heard = (event: Parameters<typeof parseError>[0]): void => {
      const error = event.kind === ERROR ? parseError(event, client.state().arbiter?.pubkey ?? "") : null;
      if (error) refused(error.event, error.refusal);
    };
    return client.follow("vacation", [], { heard, untaken: refused });
  }, [client]);
  useEffect(() => setSaid(""), [game.version]);
  if (most === 0) return null;

  // Signed once: a second word would take the days twice.
  async function take(event: Event): Promise<void> {
    event.preventDefault();
    const { arbiter } = client.state();
    if (!arbiter) return;
    setSaid(t("lines.sent"));
    const tags = [["d", game.game], ["e", game.eventId], ["p", arbiter.pubkey], ["p", game.white], ["p", game.black]] as const;
    asked.current = await client.command({ kind: MOVE, tags, content: `vacation:${Number(days)}` }, 0);
    if (asked.current === null) setSaid(t("reason.unsigned"));
  }
  return (
    <form class="vacation" onSubmit={(event) => void take(event)}>
      <label>
        {t("vacation.days")}{" "}
        <input type="number" required min="1" max={most} step="1" value={days} onInput={({ currentTarget: { value } }) => setDays(value)} />
      </label>
      <button type="submit">{t("vacation.take")}</button>
      <p>{t("vacation.about", { days: most })}</p>
      <p role="status">{said}</p>
    </form>
  );
}
