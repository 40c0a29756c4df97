/** A request that waits in a pool, and what is told of any that waits. */

import type { JSX } from "preact";
import { useContext } from "preact/hooks";
import type { Waiting } from "../arbiter/model.ts";
import { AccountContext } from "../shared/account.ts";
import { useNow, type PageProps } from "../shared/hooks.ts";
import { sideText, termsText, waited } from "../shared/terms_text.tsx";
import { t } from "../texts/index.ts";

/** In place of the large button, so that nothing moves under the finger. */
export function Seeks({ client, waiting }: Pick<PageProps, "client"> & { waiting: Waiting }): JSX.Element {
  return (
    <div class="hero seeks" data-testid="waiting">
      <i class="pulse" aria-hidden="true" />
      <span role="status">
        <strong>{t("waiting.pool")}</strong>
        <Details waiting={waiting} />
      </span>
      <button type="button" data-testid="cancel" onClick={() => client.cancel()}>{t("lobby.cancel")}</button>
    </div>
  );
}

export function Details({ waiting: { terms, kind, sinceMs, confirmed, place, requestId } }: { waiting: Waiting }): JSX.Element {
  const isElsewhere = useContext(AccountContext)?.signer.kind === "bunker";
  const now = useNow(1000);
  return (
    <small>
      {terms ? termsText(terms) : t("waiting.elsewhere")}
      {terms && kind !== "pool" && terms.color !== "random" && ` · ${sideText(terms.color)}`}
      {" · "}
      <time role="timer">{waited(now - sinceMs)}</time>
      {!confirmed && ` · ${t(isElsewhere && requestId === "" ? "waiting.signing" : "waiting.sending")}`}
      {place !== null && <span role="status"> · {t("waiting.place", { place })}</span>}
    </small>
  );
}
