/** Settings: who I am, how it looks and sounds, how I move, which relays. */

import type { JSX } from "preact";
import { useContext, useEffect } from "preact/hooks";
import { LanguageNames, relayText } from "../shell/header.tsx";
import { CHOICES, DEFAULTS, setPreferences, type Preferences } from "../preferences.ts";
import { AccountContext } from "../shared/account.ts";
import { Check, Segments } from "../shared/choices.tsx";
import { usePreferences, type PageProps } from "../shared/hooks.ts";
import { t, type TextKey } from "../texts/index.ts";
import { BlockedPlayers } from "./player_tools.tsx";
import { AwaySwitches } from "../push/switches.tsx";
import { TurnsSwitch } from "../shell/turns.tsx";
import { Section } from "./section.tsx";
import { IdentitySettings } from "./settings_identity.tsx";
import "./pages.css";

export function SettingsPage(props: PageProps): JSX.Element {
  const chosen = usePreferences();
  useEffect(() => void import("../themes.ts").catch(() => {}), []);
  const account = useContext(AccountContext);
  return (
    <div class="settings narrow">
      <h1>{t("title.settings")}</h1>
      {account && <IdentitySettings {...props} account={account} />}
      <Section title="settings.look">
        <Choice name="theme" label="settings.theme" of={["system", "light", "dark"]} {...{ chosen }} />
        <label class="field">
          <span>{t("settings.language")}</span>
          <select
            value={chosen.language}
            onChange={({ currentTarget: { value } }) =>
              setPreferences({ language: value as Preferences["language"] })
            }
          >
            <option value="system">{t("choice.system")}</option>
            <LanguageNames />
          </select>
        </label>
        <Choice name="motion" label="settings.motion" of={["system", "full", "reduced"]} {...{ chosen }} />
        <Looks name="board" label="settings.board" {...{ chosen }} />
        <Looks name="pieces" label="settings.pieces" {...{ chosen }} />
        <Choice name="coordinates" label="settings.coordinates" of={["inside", "outside", "off"]} {...{ chosen }} />
        <Choice name="tenths" label="settings.tenths" of={["never", "low", "always"]} {...{ chosen }} />
        <Switch name="destinations" label="settings.destinations" {...{ chosen }} />
        <Switch name="zen" label="settings.zen" {...{ chosen }} />
      </Section>
      <Section title="settings.moves">
        <Choice name="autoQueen" label="settings.autoQueen" of={["never", "premove", "always"]} {...{ chosen }} />
        <Choice
          name="confirmMoves" label="settings.confirmMoves" of={["never", "correspondence", "always"]} {...{ chosen }}
        />
        <Switch name="confirmResign" label="settings.confirmResign" {...{ chosen }} />
      </Section>
      <Section title="settings.sound">
        <Switch name="sounds" label="settings.sounds" {...{ chosen }} />
        {"vibrate" in navigator && <Switch name="vibration" label="settings.vibration" {...{ chosen }} />}
        <TurnsSwitch />
        <AwaySwitches {...props} />
      </Section>
      <Section title="settings.others">
        <Switch name="bots" label="settings.bots" {...{ chosen }} />
        {(["players", "spectators"] as const).map((room) => (
          <Check text={t(`settings.chat.${room}`)} isOn={chosen.chat[room]} turn={(isOn) => setPreferences({ chat: { ...chosen.chat, [room]: isOn } })} />
        ))}
      </Section>
      <BlockedPlayers {...props} />
      <Relays {...props} />
      <p>
        <button type="button" class="plain" onClick={() => setPreferences({ ...DEFAULTS, turns: chosen.turns })}>
          {t("settings.reset")}
        </button>
      </p>
    </div>
  );
}

type Chosen = { readonly chosen: Preferences };
type NamesOf<T> = { [K in keyof Preferences]: Preferences[K] extends T ? K : never }[keyof Preferences];
type SwitchName = NamesOf<boolean>;
type ChoiceName = Exclude<NamesOf<string>, "language">;

function Switch({ name, label, chosen }: Chosen & { name: SwitchName; label: TextKey }): JSX.Element {
  return <Check text={t(label)} role="switch" isOn={chosen[name]} turn={(isOn) => setPreferences({ [name]: isOn })} />;
}

/** Each as it looks with the other choice. */
function Looks({ name, label, chosen }: Chosen & { name: "board" | "pieces"; label: TextKey }): JSX.Element {
  return (
    <div class="field" role="group" aria-label={t(label)}>
      <span>{t(label)}</span>
      <div class="looks">
        {CHOICES[name]!.map((one) => (
          <button type="button" aria-pressed={chosen[name] === one} onClick={() => setPreferences({ [name]: one })}>
            <span class="look-board" aria-hidden="true" data-board={chosen.board} data-pieces={chosen.pieces} {...{ [`data-${name}`]: one }}>
              <i class="figure white knight" /><i class="figure black queen" />
            </span>
            {t(`choice.${one}`)}
          </button>
        ))}
      </div>
    </div>
  );
}

interface ChoiceProps<N extends ChoiceName> extends Chosen {
  readonly name: N;
  readonly label: TextKey;
  readonly of: readonly Preferences[N][];
}

function Choice<N extends ChoiceName>({ name, label, of, chosen }: ChoiceProps<N>): JSX.Element {
  return (
    <div class="field" role="group" aria-label={t(label)}>
      <span>{t(label)}</span>
      <Segments {...{ of }} chosen={chosen[name]} text={(one) => t(`choice.${one}` as TextKey)} choose={(one) => setPreferences({ [name]: one })} />
    </div>
  );
}

function Relays({ state }: PageProps): JSX.Element {
  return (
    <Section title="settings.relays">
      <p class="soft">{t("settings.relaysAbout")}</p>
      <ul class="rows">
        {state.relays.map((relay) => (
          <li key={relay.url}>
            <span>
              <bdi class="npub">{relayText(relay)}</bdi>
              {relay.gateway && <small>{t("settings.gateway")}</small>}
            </span>
            <i class={`dot ${relay.status}`} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
