/** Tools beside the board: flip, sound, calm; copies and links; what is connected. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import type { RelayStatus } from "../arbiter/model.ts";
import { setPreferences, type Preferences } from "../preferences.ts";
import { t } from "../texts/index.ts";
import { Icon, type IconName } from "./game_icons.tsx";

interface ToolsProps {
  readonly preferences: Preferences;
  readonly onFlip: () => void;
  readonly pgn: string | null;
  readonly fen: string;
  readonly lichess: string | null;
}

export function Tools({ preferences, onFlip, pgn, fen, lichess }: ToolsProps): JSX.Element {
  const { sounds, zen } = preferences;
  return (
    <div class="tools-row">
      <Tool icon="flip" label={t("game.flip")} onClick={onFlip} />
      <Tool icon={sounds ? "sound" : "mute"} label={t(sounds ? "game.mute" : "game.unmute")} onClick={() => setPreferences({ sounds: !sounds })} />
      <Tool icon="zen" label={t(zen ? "game.zen.leave" : "game.zen")} isOn={zen} onClick={() => setPreferences({ zen: !zen })} />
      <details class="menu">
        <summary class="quiet" aria-label={t("game.more")} title={t("game.more")}><Icon name="more" /></summary>
        <Copies pgn={pgn} fen={fen} lichess={lichess} />
      </details>
    </div>
  );
}

interface ToolProps {
  readonly icon: IconName;
  readonly label: string;
  readonly isOn?: boolean;
  readonly onClick: () => void;
}

function Tool({ icon, label, isOn, onClick }: ToolProps): JSX.Element {
  return (
    <button type="button" class="quiet" aria-label={label} title={label} aria-pressed={isOn} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}

function Copies({ pgn, fen, lichess }: Pick<ToolsProps, "pgn" | "fen" | "lichess">): JSX.Element {
  const [said, setSaid] = useState("");
  const copy = (text: string): void => {
    const copied = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"));
    copied.then(
      () => setSaid(t("export.copied")),
      () => setSaid(t("export.failed")),
    );
  };
  return (
    <div class="menu-list">
      <button type="button" onClick={() => copy(location.href)}>{t("export.copyLink")}</button>
      <button type="button" onClick={() => copy(fen)}>{t("export.copyFen")}</button>
      {pgn && <button type="button" onClick={() => copy(pgn)}>{t("export.copyPgn")}</button>}
      {pgn && <button type="button" onClick={() => download(pgn)}>{t("export.download")}</button>}
      {lichess && <a class="button" href={lichess} target="_blank" rel="noopener noreferrer">{t("export.lichess")}</a>}
      <p role="status">{said}</p>
    </div>
  );
}

/** A blob needs no server and no `data:` address, which browsers do not open. */
function download(pgn: string): void {
  const address = URL.createObjectURL(new Blob([pgn], { type: "application/x-chess-pgn" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = "game.pgn";
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** Which relays are connected, and how quickly the quickest answers. */
export function Connection({ relays }: { readonly relays: readonly RelayStatus[] }): JSX.Element {
  const connected = relays.filter((relay) => relay.status === "connected");
  const quickest = Math.min(...connected.flatMap((relay) => relay.roundTripMs ?? []));
  const label = connected.length > 0 ? t("game.relays.some", { connected: connected.length, all: relays.length }) : t("game.relays.none");
  return (
    <details class="menu connection">
      <summary class="quiet" title={label}>
        <span class="unseen">{`${t("game.connection")}: ${label}`}</span>
        <i class={`lamp ${connected.length === 0 ? "none" : connected.length < relays.length ? "some" : "all"}`} />
        {Number.isFinite(quickest) && <small>{t("game.relays.ms", { ms: Math.round(quickest) })}</small>}
      </summary>
      <ul class="menu-list">
        {relays.map((relay) => (
          <li key={relay.url}>
            <i class={`lamp ${relay.status === "connected" ? "all" : "none"}`} />
            <bdi>{relay.url.replace(/^wss?:\/\//, "")}</bdi>
            <small>
              {relay.gateway && `${t("game.relays.gateway")}, `}
              {t(`game.relays.${relay.status}`)}
              {relay.roundTripMs !== null && `, ${t("game.relays.ms", { ms: Math.round(relay.roundTripMs) })}`}
            </small>
          </li>
        ))}
      </ul>
    </details>
  );
}
