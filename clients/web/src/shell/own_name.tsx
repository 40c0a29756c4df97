/** What this browser's own key is called: a friendly name until the player chooses one. */

import type { JSX } from "preact";
import { useContext, useState } from "preact/hooks";

import { named } from "./profile.ts";
import { clean } from "../arbiter/clean.ts";
import { MAX_NAME } from "../identity/name.ts";
import { AccountContext } from "../shared/account.ts";
import type { PageProps } from "../shared/hooks.ts";
import { t } from "../texts/index.ts";

/** In a game: asks once, below the board, a player whose name is a friendly one. */
export function NameQuestion({ client, state }: PageProps): JSX.Element | null {
  const account = useContext(AccountContext);
  const [isOpen, setOpen] = useState(false);
  const [isDone, setDone] = useState(false);
  if (!account || account.signer.kind !== "local") return null;
  const { pubkey } = account.signer;
  const { name, isChosen } = account.identity.nameOf(pubkey);
  // A profile that came from relays has another name.
  if (isDone || isChosen || state.profiles.get(pubkey)?.name !== name) return null;
  return isOpen ? (<NameForm client={client} state={state} onDone={() => setDone(true)} />) : (
    <p class="soft" data-testid="own-name">
      {t("name.given")} <bdi>{name}</bdi>{" "}
      <button type="button" class="quiet" onClick={() => setOpen(true)}>{t("name.choose")}</button>
    </p>
  );
}

/** Nothing for the key of an extension or a bunker: its profile is made elsewhere. */
export function NameForm({ client, state, onDone }: PageProps & { readonly onDone?: () => void }): JSX.Element | null {
  const account = useContext(AccountContext);
  const pubkey = account?.signer.pubkey ?? "";
  const [text, setText] = useState(state.profiles.get(pubkey)?.name ?? "");
  const [isSaved, setSaved] = useState(false);
  if (account?.signer.kind !== "local") return null;
  const name = clean(text, MAX_NAME);
  // A relay that is away may have a profile with more in it, which must not be replaced.
  const isTold = state.relays.every(({ status, roundTripMs }) => status === "connected" && roundTripMs !== null);
  const save = (): void => {
    account.identity.rename(pubkey, name);
    client.rename(name, isTold ? (profile) => named(profile, name) : null);
    setSaved(true);
    onDone?.();
  };
  return (
    <form class="form" onSubmit={(event) => (event.preventDefault(), save())}>
      <label>
        {t("name.label")}
        <input
          type="text" autocomplete="nickname" maxLength={MAX_NAME} value={text} data-testid="name"
          onInput={({ currentTarget: { value } }) => (setText(value), setSaved(false))}
        />
      </label>
      <p class="soft">{t("name.about")}</p>
      <p>
        <button type="submit" disabled={!name}>{t("name.save")}</button>{" "}
        <span role="status">{isSaved && t(isTold ? "name.saved" : "name.kept")}</span>
      </p>
    </form>
  );
}
