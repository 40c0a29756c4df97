/** The header: where to go, who I am, what is connected, how it looks. */

import type { JSX } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { RelayStatus } from "../arbiter/model.ts";
import { hasExtension } from "../identity/extension.ts";
import { setPreferences } from "../preferences.ts";
import { at, type Route } from "../router.ts";
import { AccountContext } from "../shared/account.ts";
import { part } from "../shared/later.tsx";
import { usePreferences, type PageProps } from "../shared/hooks.ts";
import { npubOf } from "../shared/npub.ts";
import { LANGUAGES, spoken, t, type Language, type TextKey } from "../texts/index.ts";

const SignIn = part((all) => all.SignIn);
/** Extensions put themselves into the page a moment after it loads. */
const INJECTED_MS = 1_000;

const WAYS: readonly [Route["page"], string, TextKey][] = [
  ["lobby", at.lobby, "nav.play"], ["tv", at.tv, "nav.tv"], ["events", at.events, "title.events"],
  ["leaderboard", at.leaderboard("blitz"), "nav.leaderboard"], ["analysis", at.analysis, "title.analysis"],
];

export function Header({ state, route }: PageProps & { readonly route: Route }): JSX.Element {
  return (
    <header class="bar">
      <a class="brand" href={at.lobby}>
        <Mark />
        <span>{state.arbiter?.name || t("app.name")}</span>
      </a>
      <nav aria-label={t("nav.label")}>
        {WAYS.map(([page, address, key]) => (
          <a href={address} aria-current={route.page === page ? "page" : undefined}>{t(key)}</a>
        ))}
      </nav>
      <div class="tools">
        {route.page !== "game" && <Extension />}
        <Connections relays={state.relays} />
        <Theme />
        <Languages />
        <Me state={state} isHere={route.page === "settings"} />
      </div>
    </header>
  );
}

/** A way in for who has a key of their own and has not chosen it yet. */
function Extension(): JSX.Element | null {
  const account = useContext(AccountContext);
  const [isThere, setThere] = useState(hasExtension());
  useEffect(() => {
    const timer = setTimeout(() => setThere(hasExtension()), INJECTED_MS);
    return () => clearTimeout(timer);
  }, []);
  return isThere && account?.signer.kind === "local" ? <SignIn identity={account.identity} /> : null;
}

/** The pawn of the icon. */
function Mark(): JSX.Element {
  return (
    <svg class="mark" viewBox="0 0 64 64" width="28" height="28" aria-hidden="true">
      <rect width="64" height="64" rx="14" />
      <path d="M32 11.500a8.5 8.5 0 0 1 5 15.400l4.5 1.600a1.8 1.8 0 0 1 0 3.600h-3.300c.5 7.2 2.6 10.6 6.3 13.900h-25c3.7-3.3 5.8-6.7 6.3-13.900h-3.300a1.8 1.8 0 0 1 0-3.600l4.5-1.600a8.5 8.5 0 0 1 5-15.400zM17.6 47.500h28.800a2.6 2.6 0 0 1 0 6H17.600a2.6 2.6 0 0 1 0-6z" />
    </svg>
  );
}

/** One dot for each relay; words for those who do not see it. */
function Connections({ relays }: { readonly relays: readonly RelayStatus[] }): JSX.Element {
  const connected = relays.filter(({ status }) => status === "connected").length;
  const text = t("relays.connected", { connected, all: relays.length });
  return (
    <a class="dots" href={at.settings} title={[text, ...relays.map(relayText)].join("\n")} aria-label={text}>
      {relays.slice(0, 6).map(({ url, status }) => (<i key={url} class={`dot ${status}`} />))}
      {relays.length === 0 && <i class="dot connecting" />}
    </a>
  );
}

export function relayText({ url, status, roundTripMs }: RelayStatus): string {
  const time = roundTripMs === null ? "" : ` · ${Math.round(roundTripMs)} ms`;
  return `${url} · ${t(`relay.${status}`)}${time}`;
}

function Theme(): JSX.Element {
  const { theme } = usePreferences();
  const isDark = useDarkSystem() ? theme !== "light" : theme === "dark";
  return (
    <button
      type="button" class="icon look" aria-label={t(isDark ? "theme.toLight" : "theme.toDark")}
      title={t(isDark ? "theme.toLight" : "theme.toDark")}
      onClick={() => setPreferences({ theme: isDark ? "light" : "dark" })}
    >
      <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
        {isDark ? (
          <path d="M12 7.500a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM12 2v2.500M12 19.500V22M2 12h2.500M19.5 12H22M5 5l1.7 1.700M17.3 17.3 19 19M19 5l-1.7 1.700M6.7 17.3 5 19" />
        ) : <path d="M20 14.500A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.500z" />}
      </svg>
    </button>
  );
}

/** Whether the system is dark, which may change in the evening. */
function useDarkSystem(): boolean {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const [isDark, setDark] = useState(system.matches);
  useEffect(() => {
    const changed = (): void => setDark(system.matches);
    system.addEventListener("change", changed);
    return () => system.removeEventListener("change", changed);
  }, []);
  return isDark;
}

/** A globe over a menu of the languages, which shows the present one's own name. */
function Languages(): JSX.Element {
  return (
    <label class="look language" title={t("settings.language")}>
      <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
        <path d="M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c-5 5-5 13 0 18c5-5 5-13 0-18" />
      </svg>
      <select
        aria-label={t("settings.language")} value={spoken()}
        onChange={({ currentTarget: { value } }) => setPreferences({ language: value as Language })}
      >
        <LanguageNames />
      </select>
    </label>
  );
}

/** Each language by its own name, for a `select`. */
export function LanguageNames(): JSX.Element {
  return (
    <>
      {Object.entries(LANGUAGES).map(([tag, name]) => (<option value={tag} lang={tag}>{name}</option>))}
    </>
  );
}

function Me({ state, isHere }: Pick<PageProps, "state"> & { readonly isHere: boolean }): JSX.Element {
  const name = state.me && state.profiles.get(state.me)?.name;
  return (
    <a
      class="me" href={at.settings} aria-current={isHere ? "page" : undefined} title={t("title.settings")}
    >
      <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
        <path d="M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.500c.8-3.9 3.9-6 7.5-6s6.7 2.1 7.5 6" />
      </svg>
      {name && <bdi>{name}</bdi>}
      {/* Whole for scripts, cut for the eye; to a screen reader it would be 63 letters. */}
      <bdi class={name ? "unseen" : "key"} aria-hidden="true" data-testid="npub">{state.me && npubOf(state.me)}</bdi>
    </a>
  );
}
