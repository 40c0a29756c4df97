/** The key that plays here: shown, exported, exchanged for another one. */

import { useState } from "preact/hooks";
import type { JSX } from "preact";
import { at } from "../router.ts";
import type { Account } from "../shared/account.ts";
import type { PageProps } from "../shared/hooks.ts";
import { Copy, ShareLink } from "../shared/share_link.tsx";
import { npubOf } from "../shared/npub.ts";
import { NameForm } from "../shell/own_name.tsx";
import { signIn } from "../shell/signer.tsx";
import { t, type TextKey } from "../texts/index.ts";
import { Section } from "./section.tsx";

type Props = PageProps & { readonly account: Account };

export function IdentitySettings(props: Props): JSX.Element {
  const { account } = props;
  const npub = npubOf(account.signer.pubkey);
  const name = props.state.profiles.get(account.signer.pubkey)?.name;
  return (
    <Section title="identity.title">
      <p>
        {name && <strong>{name} </strong>}
        <span class="npub">{npub}</span>
      </p>
      <p>{t(account.identity.lasts ? `identity.by.${account.signer.kind}` : "identity.unkept")}</p>
      <p><a class="button" href={at.player(npub)}>{t("identity.myPage")}</a></p>
      <NameForm {...props} />
      {account.signer.kind === "local" && <Export account={account} />}
      <Other {...props} />
    </Section>
  );
}

/** The secret is drawn only when it is asked for. */
function Export({ account }: Pick<Props, "account">): JSX.Element {
  const [secret, setSecret] = useState("");
  const [password, setPassword] = useState("");
  const [isWorking, setWorking] = useState(false);
  const encrypt = async (): Promise<void> => {
    setWorking(true);
    await new Promise((resolve) => setTimeout(resolve, 50)); // the work holds the page: draw the word first
    setSecret(await account.identity.exportNcryptsec(password));
    setWorking(false);
    setPassword("");
  };
  return (
    <details>
      <summary>{t("identity.export")}</summary>
      <div class="form">
        <p>{t("identity.exportAbout")}</p>
        <form class="joined" onSubmit={(event) => (event.preventDefault(), void encrypt())}>
          <input
            type="password" autocomplete="new-password" value={password} aria-label={t("identity.password")}
            placeholder={t("identity.password")} onInput={({ currentTarget: { value } }) => setPassword(value)}
          />
          <button type="submit" disabled={!password || isWorking}>
            {t(isWorking ? "identity.working" : "identity.encrypted")}
          </button>
        </form>
        <p>
          <button type="button" class="danger" onClick={() => setSecret(account.identity.exportNsec())}>
            {t("identity.plain")}
          </button>
        </p>
        {secret && (
          <p class="joined">
            <input type="text" readOnly value={secret} aria-label={t("identity.export")} data-testid="secret" />
            <Copy text={secret} />
            <button type="button" onClick={() => setSecret("")}>{t("identity.hide")}</button>
          </p>
        )}
      </div>
    </details>
  );
}

/** Ways to play with another key. Each ends with the page beginning anew. */
function Other({ account, state }: Props): JSX.Element {
  const [trouble, setTrouble] = useState<TextKey | null>(null);
  const [text, setText] = useState("");
  const [password, setPassword] = useState("");
  const [page, setPage] = useState<string | null>(null);
  const [invitation, setInvitation] = useState<string | null>(null);
  const [wait, setWait] = useState<AbortController | null>(null);
  const { identity, signer } = account;

  const choose = async (open: (abort: AbortSignal) => Promise<unknown>): Promise<void> => {
    const ending = new AbortController();
    setTrouble(null);
    setWait(ending);
    const failure = await signIn(identity, () => open(ending.signal));
    setWait(null);
    setPage(null);
    setInvitation(null);
    setTrouble(ending.signal.aborted ? null : failure);
  };
  const connect = (): Promise<void> => {
    const given = text.trim();
    const isKey = /^(nostr:)?(nsec1|ncryptsec1|npub1|nprofile1|[0-9a-f]{64}$)/i.test(given);
    if (isKey && !/^(nostr:)?np/i.test(given) && signer.kind === "local" && !confirm(t("identity.confirmImport"))) return Promise.resolve();
    return choose((abort) => (isKey ? identity.importKey(given, password) : identity.useBunker(given, setPage, abort)));
  };
  const invite = (): Promise<void> =>
    choose(async (abort) => {
      const { uri, signer: taken } = await identity.invite(
        state.relays.filter((relay) => !relay.gateway).map(({ url }) => url).concat("wss://relay.nsec.app").slice(0, 2),
        setPage,
        abort,
      );
      setInvitation(uri);
      await taken;
    });

  return (
    <details>
      <summary>{t("identity.other")}</summary>
      <div class="form">
        <p class="soft">{t("identity.otherAbout")}</p>
        {signer.kind !== "local" && (
          <p>
            <button type="button" onClick={() => void choose(async () => identity.useLocal())}>
              {t("identity.useLocal")}
            </button>
          </p>
        )}
        {signer.kind !== "extension" && (
          <p>
            <button type="button" onClick={() => void choose((abort) => identity.useExtension(abort))}>
              {t("identity.useExtension")}
            </button>
          </p>
        )}
        <form class="form" onSubmit={(event) => (event.preventDefault(), void connect())}>
          <label>
            {t("identity.paste")}
            <input
              type="password" autocomplete="off" value={text} placeholder="nsec1… ncryptsec1… bunker://…"
              data-testid="identity" onInput={({ currentTarget: { value } }) => setText(value)}
            />
          </label>
          {/^\s*ncryptsec1/i.test(text) && (
            <label>
              {t("identity.password")}
              <input
                type="password" autocomplete="current-password" value={password}
                onInput={({ currentTarget: { value } }) => setPassword(value)}
              />
            </label>
          )}
          <p><button type="submit" disabled={!text.trim() || wait !== null}>{t("identity.use")}</button></p>
        </form>
        <p>
          <button type="button" disabled={wait !== null} onClick={() => void invite()}>{t("identity.invite")}</button>
        </p>
        {invitation && (
          <>
            <p class="soft">{t("identity.inviteAbout")}</p>
            <ShareLink address={invitation} label={t("identity.invite")} testId="nostrconnect" />
          </>
        )}
        {page && (
          <p role="alert"><a href={page} target="_blank" rel="noopener noreferrer">{t("identity.approve")}</a></p>
        )}
        <p role="status">{trouble ? t(trouble) : wait && t("identity.awaited")}</p>
        {wait && <p><button type="button" onClick={() => wait.abort()}>{t("lobby.cancel")}</button></p>}
      </div>
    </details>
  );
}
