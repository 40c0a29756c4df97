/** Asks, once and when it is of use, whether to tell the player of their turns. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { isLive } from "../arbiter/mine.ts";
import type { GameState } from "../arbiter/model.ts";
import { setPreferences } from "../preferences.ts";
import { Check } from "../shared/choices.tsx";
import { usePreferences } from "../shared/hooks.ts";
import { t } from "../texts/index.ts";

/** The player's answer, and then the browser's. What was refused is not asked again. */
export async function askTurns(isWanted: boolean): Promise<void> {
  setPreferences({ turns: isWanted ? "on" : "off" });
  if (!isWanted || Notification.permission === "granted") return;
  const answer = await Notification.requestPermission();
  if (answer !== "granted") setPreferences({ turns: "off" });
}

/** Whether the page can tell: the browser has notifications, and they were not refused there. */
export const canTell = (): boolean => "Notification" in globalThis && Notification.permission !== "denied";

/** In a game of mine: after my first move, if it is slow, or once I looked elsewhere. */
export function TurnsQuestion({ game, hasMoved }: { readonly game: GameState; readonly hasMoved: boolean }): JSX.Element | null {
  const { turns } = usePreferences();
  const [hasLeft, setLeft] = useState(false);
  useEffect(() => {
    const turned = (): void => void (document.hidden && setLeft(true));
    document.addEventListener("visibilitychange", turned);
    return () => document.removeEventListener("visibilitychange", turned);
  }, []);
  const isOfUse = hasLeft || (hasMoved && !isLive(game));
  if (turns !== "ask" || game.result !== null || !isOfUse || !canTell()) return null;
  return (
    <p class="soft" data-testid="turns-question">
      {t("turns.ask")}{" "}
      <button type="button" class="quiet" onClick={() => void askTurns(true)}>{t("turns.yes")}</button>{" "}
      <button type="button" class="quiet" onClick={() => void askTurns(false)}>{t("turns.no")}</button>
    </p>
  );
}

/** The same for Settings. */
export function TurnsSwitch(): JSX.Element | null {
  const { turns } = usePreferences();
  if (!canTell()) return null;
  return <Check text={t("turns.setting")} role="switch" isOn={turns === "on" && Notification.permission === "granted"} turn={(isOn) => void askTurns(isOn)} />;
}
