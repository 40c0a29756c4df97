/** Signing in, and warnings about the player's key before they play. */

import { useState } from "preact/hooks";
import type { JSX } from "preact";
import { at } from "../router.ts";
import type { Identity } from "../identity/identity.ts";
import type { SignerError } from "../identity/signer.ts";
import type { Account } from "../shared/account.ts";
import type { Obstacles } from "../start.ts";
import { isTextKey, t, type TextKey } from "../texts/index.ts";

/** Begins the page anew with the signer that this opens; returns the reason if it cannot. */
export async function signIn(identity: Identity, open: () => Promise<unknown>): Promise<TextKey | null> {
  try {
    if (identity.lasts) await open();
    if (!identity.lasts) return "identity.notChosen";
    location.reload();
    return null;
  } catch (failure) {
    const key = `identity.failed.${(failure as Partial<SignerError>).code}`;
    return isTextKey(key) ? key : "identity.failed.refused";
  }
}

/** In the header where a browser has an extension for Nostr. */
export function SignIn({ identity }: Pick<Account, "identity">): JSX.Element {
  const [failure, setFailure] = useState<TextKey | null>(null);
  const [isAsked, setAsked] = useState(false);
  const press = async (): Promise<void> => {
    setAsked(true);
    setFailure(await signIn(identity, () => identity.useExtension()));
    setAsked(false);
  };
  return (
    <>
      <button type="button" class="sign-in" disabled={isAsked} onClick={() => void press()}>
        {t("identity.signIn")}
      </button>
      {failure && <p class="notice bad under" role="alert">{t(failure)}</p>}
    </>
  );
}

/** In place of the page: no other key plays unless the player says so. */
export function AwaitedSigner({ approve, failure, retry, useLocal }: NonNullable<Obstacles["signer"]>): JSX.Element {
  return (
    <section class="card narrow" role="alert">
      <h1>{t("identity.title")}</h1>
      <p>{t(failure ? `identity.failed.${failure}` : "identity.awaited")} {t("identity.without")}</p>
      {approve && <p><a href={approve} target="_blank" rel="noopener noreferrer">{t("identity.approve")}</a></p>}
      <p class="joined">
        <button type="button" class="primary" onClick={retry}>{t("app.retry")}</button>
        <button type="button" onClick={useLocal}>{t("identity.useLocal")}</button>
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
          <button type="button" onClick={() => location.reload()}>{t("app.retry")}</button>
        ) : <a class="button" href={at.settings}>{t("identity.export")}</a>}
        <button type="button" onClick={() => setSeen(true)}>{t("notice.dismiss")}</button>
      </p>
    </section>
  );
}
