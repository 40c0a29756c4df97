/** The ways in which the arbiter tells this player of their turns while the page is closed, for Settings. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

import { refusalText } from "../pages/player_tools.tsx";
import { preferences, setPreferences } from "../preferences.ts";
import { Check } from "../shared/choices.tsx";
import type { PageProps } from "../shared/hooks.ts";
import { t } from "../texts/index.ts";
import { useSession } from "../tournaments/command_sender.ts";
import { browser, canBePushed } from "./browser.ts";
import { ToldBy } from "./told.ts";

/** Nothing where the arbiter tells nobody. */
export function AwaySwitches({ client, state }: PageProps): JSX.Element | null {
  const [isPossible, setPossible] = useState(false);
  const told = useSession((draw) => new ToldBy(client, "away", browser, draw), [client]);
  useEffect(() => void told?.ask(), [told]);
  useEffect(() => void canBePushed().then(setPossible), []);
  if (!told?.channels) return null;
  const { channels, refusal, trouble, isAsking, isHere } = told;
  const push = (isWanted: boolean): void => {
    if (isWanted && preferences().turns === "ask") setPreferences({ turns: "on" });
    void told.push(isWanted);
  };
  return (
    <>
      {(channels.key && isPossible || isHere) && <Check role="switch" text={t("away.push")} isOn={isHere} isBusy={isAsking} turn={push} />}
      {/* Only over relays does a direct message come. */}
      {(channels.dm || state.relays.some(({ gateway }) => !gateway)) && (
        <Check role="switch" text={t("away.dm")} isOn={channels.dm} isBusy={isAsking} turn={(isWanted) => told.write(isWanted)} />
      )}
      <p role="status">{trouble ? t(`away.${trouble}`) : refusal && refusalText(refusal)}</p>
    </>
  );
}
