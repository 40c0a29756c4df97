/** The search for an opponent, over every page but the lobby, which has a place for it. */

import { useEffect } from "preact/hooks";
import type { JSX } from "preact";
import type { ArbiterClient, Waiting } from "../arbiter/model.ts";
import { t } from "../texts/index.ts";

interface Props {
  readonly client: ArbiterClient;
  readonly seek: Waiting;
}

/** Who was left alone in a game waits on its page and no longer, except for a game by days. */
export function Looking({ client, seek: { isBack, terms } }: Props): JSX.Element {
  const isHere = isBack && terms?.time?.kind !== "days";
  useEffect(() => {
    if (!isHere) return undefined;
    return () => void (client.state().waiting.some((one) => one.isBack) && client.cancel());
  }, [isHere]);
  return (
    <section class="warning over" role="alert" data-testid="waiting">
      <i class="pulse" aria-hidden="true" />
      <p>{t(isBack ? "waiting.again" : "waiting.pool")}</p>
      <button type="button" data-testid="cancel" onClick={() => client.cancel()}>{t("lobby.cancel")}</button>
    </section>
  );
}
