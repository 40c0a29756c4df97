/** A warning about the player's key before they play. */

import { useState } from "preact/hooks";
import type { JSX } from "preact";
import { at } from "../router.ts";
import type { Account } from "../shared/account.ts";
import type { Obstacles } from "../start.ts";
import { t } from "../texts/index.ts";

/** In place of the page: no other key plays unless the player says so. */
export function AwaitedSigner({ approve, failure, retry, useLocal }: NonNullable<Obstacles["signer"]>): JSX.Element {
  return (
    <section class="card narrow" role="alert">
      <h1>{t("identity.title")}</h1>
      <p>
        {t(failure ? `identity.failed.${failure}` : "identity.awaited")} {t("identity.without")}
      </p>
      {approve && (
        <p>
          <a href={approve} target="_blank" rel="noopener noreferrer">
            {t("identity.approve")}
          </a>
        </p>
      )}
      <p class="joined">
        <button type="button" class="primary" onClick={retry}>
          {t("app.retry")}
        </button>
        <button type="button" onClick={useLocal}>
          {t("identity.useLocal")}
        </button>
      </p>
    </section>
  );
}

/** Over each page, until it is dismissed. */
export function KeyWarning({ account }: { readonly account: Account }): JSX.Element | null {
  const [isSeen, setSeen] = useState(false);
  if (isSeen) return null;
  return (
    <section class="warning over" role="alert">
      <p>{t(account.fellBack ? "identity.fellBack" : "identity.unkept")}</p>
      <p class="joined">
        {account.fellBack ? (
          <button type="button" onClick={() => location.reload()}>
            {t("app.retry")}
          </button>
        ) : (
          <a class="button" href={at.settings}>
            {t("identity.export")}
          </a>
        )}
        <button type="button" onClick={() => setSeen(true)}>
          {t("notice.dismiss")}
        </button>
      </p>
    </section>
  );
}
