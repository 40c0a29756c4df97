/** The chat of the players, and that of the spectators. Each can be turned off. */

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import type { ChatLine, GameView, Pubkey } from "../arbiter/model.ts";
import { setPreferences } from "../preferences.ts";
import { usePreferences, type PageProps } from "../shared/hooks.ts";
import { PlayerName } from "../shared/player_name.tsx";
import { t } from "../texts/index.ts";
import { useBlocks } from "./blocks.ts";
import { PlayerTools } from "./player_tools.tsx";

interface ChatProps extends PageProps {
  readonly view: GameView;
}

type Room = ChatLine["room"];

/** PROTOCOL.md, Chat. */
const MAX_LINE = 140;

/** After the game a player hears both rooms, one at a time. */
export function Chat(props: ChatProps): JSX.Element {
  const { view, client } = props;
  const blocks = useBlocks(client, "chat");
  const [chosen, choose] = useState<Room>("players");
  const isPlaying = view.me !== null && view.confirmed?.result === null;
  const rooms: readonly Room[] = view.me === null ? ["spectators"] : isPlaying ? ["players"] : ["players", "spectators"];
  const room = rooms.includes(chosen) ? chosen : rooms[0]!;
  const opponent = view.confirmed?.[view.me === "white" ? "black" : "white"] ?? null;
  // Who plays on another wire has no key to block.
  const hasKey = view.me !== null && opponent !== null && !view.confirmed?.placeholders.includes(opponent);
  return (
    <div class="chats">
      <ChatRoom {...props} room={room} key={room} blocked={blocks?.keys ?? []}>
        {rooms.length === 1 ? (<h2>{t(`chat.${room}`)}</h2>) : (
          <div class="rooms">
            {rooms.map((one) => (
              <button key={one} type="button" class="quiet" aria-pressed={one === room} onClick={() => choose(one)}>
                {t(`chat.${one}.short`)}
              </button>
            ))}
          </div>
        )}
      </ChatRoom>
      {blocks && hasKey && (
        <PlayerTools {...props} player={opponent} blocks={blocks} game={view.game} lines={view.chat.filter(({ from }) => from === opponent)} />
      )}
    </div>
  );
}

interface RoomProps extends ChatProps {
  readonly room: Room;
  /** Their lines are not shown: they come over relays, past the arbiter. */
  readonly blocked: readonly Pubkey[];
  readonly children: ComponentChildren;
}

function ChatRoom({ client, state, view, room, blocked, children }: RoomProps): JSX.Element {
  const { chat } = usePreferences();
  const [text, setText] = useState("");
  const list = useRef<HTMLUListElement>(null);
  const lines = view.chat.filter((line) => line.room === room && !blocked.includes(line.from));
  const isOn = chat[room];
  useEffect(() => {
    if (lines.length > 0) list.current?.scrollTo(0, list.current.scrollHeight);
  }, [lines.length, isOn]);

  function send(event: Event): void {
    event.preventDefault();
    const line = text.trim();
    if (line) client.say(view.game, line, room);
    setText("");
  }

  return (
    <section class={`chat ${isOn ? "" : "off"}`} aria-label={t(`chat.${room}`)}>
      <header class={view.me !== null && view.confirmed?.result !== null ? "both" : undefined}>
        {children}
        <button type="button" class="quiet" onClick={() => setPreferences({ chat: { ...chat, [room]: !isOn } })}>
          {t(isOn ? "chat.turnOff" : "chat.turnOn")}
        </button>
      </header>
      {isOn && (
        <>
          <ul ref={list} aria-live="polite" tabIndex={lines.length > 0 ? 0 : -1}>
            {lines.length === 0 && <li class="none">{t("chat.none")}</li>}
            {lines.map((line) => (
              <li key={line.id} class={line.from === state.me ? "own" : ""}>
                <PlayerName client={client} state={state} player={line.from} /> <bdi>{line.text}</bdi>
              </li>
            ))}
          </ul>
          <form onSubmit={send}>
            <input
        type="text"
              value={text}
              maxLength={MAX_LINE}
              autocomplete="off"
              aria-label={t("chat.line")}
              placeholder={t("chat.line")}
              onInput={(event) => setText(event.currentTarget.value)}
            />
            <button type="submit" class="quiet" disabled={!text.trim()}>{t("chat.send")}</button>
          </form>
        </>
      )}
    </section>
  );
}
