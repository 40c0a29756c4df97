/** The first page: play at once, who waits, a friend, games to watch. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ClientState, Terms, TimeControl } from "../arbiter/model.ts";
import { gamesIn, lobbyIn, type Pool } from "../lists.ts";
import { setPreferences } from "../preferences.ts";
import { at } from "../router.ts";
import { Check, Segments } from "../shared/choices.tsx";
import { emptyText, usePolled, usePreferences, type PageProps } from "../shared/hooks.ts";
import { part } from "../shared/later.tsx";
import { GameCard } from "../shared/game_card.tsx";
import { speedText, timeText } from "../shared/terms_text.tsx";
import { canBeRated, MAIN, PLAIN, QUICK, shortTime, timeTag } from "../terms.ts";
import { counted, t } from "../texts/index.ts";
import { Friend } from "./lobby_friend.tsx";
import { House, Offer } from "./lobby_house.tsx";
import { Seeks } from "./lobby_seeks.tsx";
import { othersIn, WhoWaits } from "./lobby_waiting.tsx";
import "./pages.css";

const BOARDS = 4;
const MyBusiness = part((all) => all.MyBusiness);
const CustomGame = part((all) => all.CustomGame);

export function LobbyPage({ client, state }: PageProps): JSX.Element {
  const http = state.arbiter?.http ?? null;
  const lobby = usePolled(http && `${http}/lobby`, lobbyIn, 4000);
  const live = usePolled(http && `${http}/live?limit=${BOARDS}`, gamesIn, 4000);
  const { custom } = usePreferences();
  const [isCustom, setCustom] = useState(false);
  const { variant } = custom;
  const seek = state.waiting.find(({ kind }) => kind === "pool");

  const termsAt = (time: TimeControl): Terms => ({
    ...PLAIN,
    time,
    variant,
    rated: custom.rated && canBeRated({ time, variant, start: null }),
  });
  const play = (time: TimeControl): void => client.play(termsAt(time));
  const others = othersIn(lobby.value?.pools ?? [], state.waiting);
  const waiting = (time: TimeControl): number =>
    others
      .filter((pool) => isOf(pool, time) && pool.variant === variant)
      .reduce((sum, pool) => sum + pool.waiting.length, 0);

  return (
    <>
      {hasBusiness(state) && <MyBusiness client={client} state={state} />}
      <div class="lobby-columns">
        <section class="play" aria-labelledby="play-title">
          <h1 id="play-title">{t("lobby.title")}</h1>
          {seek ? (
            <>
              <Seeks client={client} waiting={seek} />
              <Offer client={client} state={state} waiting={seek} />
            </>
          ) : (
            <button type="button" class="primary hero" data-testid={testId(MAIN)} onClick={() => play(MAIN)}>
              <strong>{t("lobby.playCustom", { time: timeText(MAIN) })}</strong>
              <small>{`${speedText(MAIN)} · ${t(termsAt(MAIN).rated ? "terms.rated" : "terms.casual")}`}</small>
              <Count waiting={waiting(MAIN)} />
            </button>
          )}
          <Options />
          <div class="tiles">
            {QUICK.map((time) => (<Tile time={time} waiting={waiting(time)} play={() => play(time)} />))}
            <button
              type="button" class="tile custom" data-testid="play-custom" aria-expanded={isCustom}
              onClick={() => setCustom(!isCustom)}
            >
              <strong>{t("lobby.custom")}</strong>
            </button>
          </div>
          {isCustom && <CustomGame client={client} />}
        </section>
        <div class="side">
          <House client={client} state={state} />
          <Friend client={client} state={state} />
          <WhoWaits client={client} state={state} lobby={lobby} pools={others} />
        </div>
        <section class="watch" aria-labelledby="live-title">
          <h2 id="live-title">
            <a href={at.tv}>{t("lobby.live")}</a>
          </h2>
          {live.value?.length ? (
            <div class="boards">
              {live.value.map((game) => (<GameCard key={game.id} client={client} state={state} game={game} />))}
            </div>
          ) : <p class="soft">{t(emptyText(state, { ...live, value: [] }, "lobby.noGames"))}</p>}
        </section>
      </div>
    </>
  );
}

/** Whether this player has anything open that the lobby shows above its buttons. */
function hasBusiness({ games, waiting, challenges }: ClientState): boolean {
  const mine = [...games.values()].filter(({ me }) => me !== null);
  const isOpen = mine.some(({ confirmed }) => confirmed?.result === null || confirmed?.offer?.kind === "rematch");
  return isOpen || challenges.length > 0 || waiting.some(({ kind }) => kind !== "pool");
}

/** Casual or rated, and with which start. Both are remembered. */
function Options(): JSX.Element {
  const { custom } = usePreferences();
  return (
    <div class="options">
      <Segments
        label={t("terms.mode")} of={[false, true]} chosen={custom.rated && custom.variant === "standard"}
        text={(rated) => t(rated ? "terms.rated" : "terms.casual")} bars={(rated) => rated && custom.variant !== "standard"}
        choose={(rated) => setPreferences({ custom: { ...custom, rated } })}
      />
      <Check
        text="Chess960" isOn={custom.variant === "chess960"}
        turn={(isOn) => setPreferences({ custom: { ...custom, variant: isOn ? "chess960" : "standard" } })}
      />
    </div>
  );
}

interface TileProps {
  readonly time: TimeControl;
  readonly waiting: number;
  readonly play: () => void;
}

function Tile({ time, waiting, play }: TileProps): JSX.Element {
  return (
    <button type="button" class="tile" data-testid={testId(time)} onClick={play}>
      <strong>{timeText(time)}</strong>
      <small>{speedText(time)}</small>
      <Count waiting={waiting} />
    </button>
  );
}

function Count({ waiting }: Pick<TileProps, "waiting">): JSX.Element | null {
  return waiting === 0 ? null : (
    <small class="count" title={counted("lobby.waiting", waiting)}>
      {waiting}
      <span class="unseen"> {t("lobby.waitingHere")}</span>
    </small>
  );
}

/** The names that scripts rely on; without a clock it is `play` alone. */
const testId = (time: TimeControl): string => (time === null ? "play" : `play-${shortTime(time)}`);

function isOf(pool: Pool, time: TimeControl): boolean {
  if (pool.time === null || time === null) return pool.time === time;
  return timeTag(pool.time) === timeTag(time);
}
