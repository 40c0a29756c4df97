/** Tools beside the board: flip, sound, calm, a menu of what to take along; what is connected. */

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import type { RelayStatus } from "../arbiter/model.ts";
import { setPreferences, type Preferences } from "../preferences.ts";
import { part } from "../shared/later.tsx";
import { t } from "../texts/index.ts";
import { Icon, type IconName } from "./game_icons.tsx";
import type { CopiesProps } from "./game_share.tsx";

const Copies = part((all) => all.Copies);

type ToolsProps = CopiesProps & {
  readonly preferences: Preferences;
  readonly onFlip: () => void;
};

export function Tools({ preferences, onFlip, ...game }: ToolsProps): JSX.Element {
  const { sounds, zen } = preferences;
  return (
    <div class="tools-row">
      <Tool icon="flip" label={t("game.flip")} onClick={onFlip} />
      <Tool icon={sounds ? "sound" : "mute"} label={t(sounds ? "game.mute" : "game.unmute")} onClick={() => setPreferences({ sounds: !sounds })} />
      <Tool icon="zen" label={t(zen ? "game.zen.leave" : "game.zen")} isOn={zen} onClick={() => setPreferences({ zen: !zen })} />
      <Menu label={t("game.more")} sign={<Icon name="more" />}>
        {() => <Copies {...game} />}
      </Menu>
    </div>
  );
}

interface MenuProps {
  readonly label: string;
  readonly sign: ComponentChildren;
  readonly children: () => JSX.Element;
}

/** Room for a menu, in pixels: with less below it opens upwards, if there is more above. */
const MENU_ROOM = 260;

/** Made when it is opened; a press anywhere else closes it, so that it never hides what is pressed. */
function Menu({ label, sign, children }: MenuProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const details = useRef<HTMLDetailsElement>(null);
  const [room, setRoom] = useState({ isUp: false, px: 0 });
  useLayoutEffect(() => {
    const box = details.current?.getBoundingClientRect();
    if (!isOpen || !box) return;
    const below = innerHeight - box.bottom;
    const isUp = below < MENU_ROOM && box.top > below;
    setRoom({ isUp, px: Math.floor(isUp ? box.top : below) - 8 });
  }, [isOpen]);
  useEffect(() => {
    if (!isOpen) return undefined;
    const ending = new AbortController();
    const { signal } = ending;
    const pressed = ({ target }: Event): void => void (details.current?.contains(target as Node) || setOpen(false));
    const typed = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      setOpen(false);
      details.current?.querySelector("summary")?.focus();
    };
    addEventListener("pointerdown", pressed, { signal });
    addEventListener("keydown", typed, { signal, capture: true });
    return () => ending.abort();
  }, [isOpen]);
  return (
    <details class={`menu ${room.isUp ? "up" : ""}`} style={{ "--room": `${room.px}px` }} ref={details} open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary class="quiet" title={label}><span class="unseen">{label}</span>{sign}</summary>
      {isOpen && children()}
    </details>
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

/** The connected relays, and the time of the quickest answer. */
export function Connection({ relays }: { readonly relays: readonly RelayStatus[] }): JSX.Element {
  const connected = relays.filter((relay) => relay.status === "connected");
  const quickest = Math.min(...connected.flatMap((relay) => relay.roundTripMs ?? []));
  const label = t("relays.connected", { connected: connected.length, all: relays.length });
  const sign = (
    <>
      <i class={`lamp ${connected.length === 0 ? "none" : connected.length < relays.length ? "some" : "all"}`} />
      {Number.isFinite(quickest) && <small>{t("game.relays.ms", { ms: Math.round(quickest) })}</small>}
    </>
  );
  return <Menu label={`${t("game.connection")}: ${label}`} sign={sign}>{() => <RelayList relays={relays} />}</Menu>;
}

function RelayList({ relays }: { readonly relays: readonly RelayStatus[] }): JSX.Element {
  return (
    <ul class="menu-list">
      {relays.map((relay) => (
        <li key={relay.url}>
          <i class={`lamp ${relay.status === "connected" ? "all" : "none"}`} />
          <bdi>{relay.url.replace(/^wss?:\/\//, "")}</bdi>
          <small>
            {relay.gateway && `${t("game.relays.gateway")}, `}
            {t(`relay.${relay.status}`)}
            {relay.roundTripMs !== null && `, ${t("game.relays.ms", { ms: Math.round(relay.roundTripMs) })}`}
          </small>
        </li>
      ))}
    </ul>
  );
}
