/** Conditional moves in a game by days or without a clock: asked of the arbiter, added from the board, deleted. */

import type { JSX } from "preact";

import type { Refusal } from "../arbiter/model.ts";
import type { Line } from "../board/position.ts";
import { movetext } from "../pages/game_export.ts";
import { t } from "../texts/index.ts";
import { useSession } from "../tournaments/command_sender.ts";
import { addable, MAX_LINES, type Moves } from "./conditional.ts";
import { LinesSession, type OwnGame } from "./lines_session.ts";

interface ConditionalProps extends OwnGame {
  readonly line: Line;
  readonly shown: number;
}

/** Of one position: it is made anew after each move. */
export function ConditionalMoves({ client, game, me, line, shown }: ConditionalProps): JSX.Element {
  const session = useSession((draw) => new LinesSession({ client, game, me }, draw), []);
  const told = session?.told;
  const moves = (told ?? []).map(({ plies }): Moves => plies.map(({ uci }) => uci));
  const added = addable(game, me, line, shown);
  return (
    <section class="study-said" aria-label={t("lines.title")}>
      <h2>{t("lines.title")}</h2>
      <p>{t("lines.about")}</p>
      <ul data-testid="lines">
        {told?.map((one, index) => (
          <li key={moves[index]!.join()}>
            {movetext(one)}{" "}
            <button type="button" class="quiet" aria-label={t("lines.delete", { line: movetext(one) })} onClick={() => session?.remove(moves[index]!)}>✕</button>
          </li>
        ))}
      </ul>
      {told?.length === 0 && <p>{t("lines.none")}</p>}
      <button type="button" disabled={!session || !added || moves.length >= MAX_LINES} onClick={() => added && session?.add(added)}>
        {t("lines.add")}
      </button>
      <p role="status">{session?.isSetting ? t("lines.sent") : session?.failure && failureText(session.failure)}</p>
    </section>
  );
}

function failureText({ reason, text }: Refusal): string {
  if (reason === "unsigned" || reason === "unsent") return t(`lines.${reason}`);
  return reason === "unanswered" ? t("reason.unanswered") : t("lines.refused", { text: `${reason}: ${text.slice(0, 200)}` });
}
