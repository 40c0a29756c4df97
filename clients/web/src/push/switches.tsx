/** The ways in which the arbiter tells this player of their turns while the page is closed, for Settings. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

import { refusalText } from "../pages/player_tools.tsx";
import { preferences, setPreferences } from "../preferences.ts";
import type { PageProps } from "../shared/hooks.ts";
import { t } from "../texts/index.ts";
import { browser, canBePushed } from "./browser.ts";
import { ToldBy } from "./told.ts";

const TICK_MS = 500;

/** Nothing where the arbiter tells nobody. */
export function AwaySwitches({ client, state }: PageProps): JSX.Element | null {
  const [shown, show] = useState<{ readonly told: ToldBy } | null>(null);
  const [isPossible, setPossible] = useState(false);
  useEffect(() => {
    const told = new ToldBy(client, "away", browser, () => show({ told }));
    const timer = setInterval(() => told.tick(), TICK_MS);
    void told.ask();
    void canBePushed().then(setPossible);
    return () => {
      clearInterval(timer);
      told.close();
    };
  }, [client]);
  const told = shown?.told;
  if (!told?.channels) return null;
  const { channels, refusal, trouble, isAsking, isHere } = told;
  const push = (isWanted: boolean): void => {
    if (isWanted && preferences().turns === "ask") setPreferences({ turns: "on" });
    void told.push(isWanted);
  };
  return (
    <>
      {(channels.key && isPossible || isHere) && <Switch text={t("away.push")} isOn={isHere} isBusy={isAsking} turn={push} />}
      {/* Only over relays does a direct message come. */}
      {(channels.dm || state.relays.some(({ gateway }) => !gateway)) && (
        <Switch text={t("away.dm")} isOn={channels.dm} isBusy={isAsking} turn={(isWanted) => told.write(isWanted)} />
      )}
      <p role="status">{trouble ? t(`away.${trouble}`) : refusal && refusalText(refusal)}</p>
    </>
  );
}

interface SwitchProps {
  readonly text: string;
  readonly isOn: boolean;
  readonly isBusy: boolean;
  readonly turn: (isOn: boolean) => void;
}

function Switch({ text, isOn, isBusy, turn }: SwitchProps): JSX.Element {
  return (
    <label class="check">
      <input type="checkbox" role="switch" checked={isOn} disabled={isBusy} onChange={({ currentTarget: { checked } }) => turn(checked)} />
      {text}
    </label>
  );
}
