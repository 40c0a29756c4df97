/** Conditional moves in a game by days or without a clock: asked of the arbiter, added from the board, deleted. */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { ERROR, MOVE, RESPONSE } from "../arbiter/events.ts";
import type { ArbiterClient, Color, GameState } from "../arbiter/model.ts";
import { turnOf, type Line } from "../board/position.ts";
import { valueOf, type NostrEvent } from "../net/event.ts";
import { movetext } from "../pages/game_export.ts";
import { t } from "../texts/index.ts";
import { addable, linesIn, MAX_LINES, textOf, withLine, type Moves } from "./conditional.ts";

export interface OwnGame {
  readonly client: ArbiterClient;
  readonly game: GameState;
  readonly me: Color;
}

interface ConditionalProps extends OwnGame {
  readonly line: Line;
  readonly shown: number;
}

/** Of one position: it is made anew after each move. */
export function ConditionalMoves({ client, game, me, line, shown }: ConditionalProps): JSX.Element {
  const [told, setTold] = useState<readonly Line[] | null>(null);
  const [said, setSaid] = useState("");
  const asked = useRef(new Set<string>());
  const moves = (told ?? []).map(({ plies }): Moves => plies.map(({ uci }) => uci));
  const { arbiter, me: key } = client.state();

  async function say(content: string): Promise<void> {
    if (!arbiter) return;
    const players = [["p", arbiter.pubkey], ["p", game.white], ["p", game.black]] as const;
    const tags = [["d", game.game], ["e", game.eventId], ...players];
    const id = await client.command({ kind: MOVE, tags, content }, 0);
    if (id) asked.current.add(id);
    else setSaid(t("lines.unsigned"));
  }
  async function set(lines: readonly Moves[]): Promise<void> {
    setSaid(t("lines.sent"));
    try {
      await say(`lines:${await client.signer.encrypt(arbiter?.pubkey ?? "", textOf(lines))}`);
    } catch {
      setSaid(t("lines.unsigned"));
    }
  }
  async function heard(event: NostrEvent): Promise<void> {
    const isAnswer = event.pubkey === arbiter?.pubkey && asked.current.has(valueOf(event, "e") ?? "");
    if (isAnswer && event.kind === ERROR) setSaid(t("lines.refused", { text: event.content.slice(0, 200) }));
    if (!isAnswer || event.kind !== RESPONSE || valueOf(event, "ply") !== String(game.ply)) return;
    try {
      setTold(linesIn(await client.signer.decrypt(event.pubkey, event.content.replace("lines:", "")), game.fen));
      setSaid("");
    } catch {
      setSaid(t("lines.unsigned"));
    }
  }
  useEffect(() => {
    const filters = arbiter && key ? [{ kinds: [RESPONSE, ERROR], authors: [arbiter.pubkey], "#p": [key] }] : [];
    const untaken = (id: string): void => void (asked.current.has(id) && setSaid(t("lines.unsent")));
    const end = client.follow(`lines${game.game.slice(0, 16)}`, filters, { heard: (event) => void heard(event), untaken });
    void say("lines");
    return end;
  }, []);
  const added = addable(game, me, line, shown);
  return (
    <section class="study-said" aria-label={t("lines.title")}>
      <h2>{t("lines.title")}</h2>
      <p>{t("lines.about")}</p>
      <ul data-testid="lines">
        {told?.map((one, index) => (
          <li key={moves[index]!.join()}>
            {movetext(one)}{" "}
            <button type="button" class="quiet" aria-label={t("lines.delete", { line: movetext(one) })} onClick={() => void set(moves.filter((_, at) => at !== index))}>✕</button>
          </li>
        ))}
      </ul>
      {told?.length === 0 && <p>{t("lines.none")}</p>}
      <button type="button" disabled={!told || !added || moves.length >= MAX_LINES} onClick={() => added && void set(withLine(moves, added, turnOf(game.fen) === me))}>
        {t("lines.add")}
      </button>
      <p role="status">{said}</p>
    </section>
  );
}
