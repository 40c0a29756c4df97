/** A player: name, ratings, how the ratings went, games. */

import { useEffect, useState } from "preact/hooks";
import type { JSX } from "preact";
import { claimOf, type Claim } from "../friend.ts";
import { pubkeyOf } from "../net/discovery.ts";
import { gamesIn, nextIn, playerIn, type ListedGame, type PlayerCard } from "../lists.ts";
import { at, type Route } from "../router.ts";
import { GameCard, resultText } from "../shared/game_card.tsx";
import { usePolled, usePreferences, type PageProps } from "../shared/hooks.ts";
import { PlayerName } from "../shared/player_name.tsx";
import { termsText } from "../shared/terms_text.tsx";
import { SPEEDS, termsOf, type Speed } from "../terms.ts";
import { npubOf } from "../shared/npub.ts";
import { counted, spoken, t } from "../texts/index.ts";
import { PlayerToolsAlone } from "./player_tools.tsx";
import { RatingGraph } from "./rating_graph.tsx";
import "./pages.css";

type Props = PageProps & { readonly route: Extract<Route, { page: "player" }> };

export function PlayerPage({ client, state, route }: Props): JSX.Element {
  const pubkey = pubkeyOf(route.player) ?? route.player;
  const http = state.arbiter?.http ?? null;
  const { value: card, failed } = usePolled(http && `${http}/players/${pubkey}`, playerIn, 30_000);
  const { custom } = usePreferences();
  useEffect(() => client.wonder(pubkey), [client, pubkey]);
  const profile = state.profiles.get(pubkey);
  const isMe = pubkey === state.me;
  const live = card?.games.filter(({ isLive }) => isLive) ?? [];

  return (
    <div class="player-page narrow">
      <section class="card about">
        {profile?.picture && <Picture key={profile.picture} address={profile.picture} />}
        <div>
          <h1>
            <PlayerName client={client} state={state} player={pubkey} />
          </h1>
          {profile?.nip05 && <Claimed key={profile.nip05} name={profile.nip05} pubkey={pubkey} />}
          <p class="soft npub">{npubOf(pubkey)}</p>
          {isMe ? (<a class="button" href={at.settings}>{t("title.settings")}</a>) : (
            <button
              type="button"
              class="primary"
              onClick={() => {
                client.challenge(pubkey, termsOf(custom));
                location.hash = at.lobby;
              }}
            >
              {t("player.challenge", { terms: termsText(termsOf(custom)) })}
            </button>
          )}
          <PlayerToolsAlone {...{ client, state }} player={pubkey} key={pubkey} />
        </div>
      </section>
      <Ratings {...{ client, state }} pubkey={pubkey} card={card} http={http} failed={failed} />
      {live.length > 0 && (
        <section>
          <h2>{t("player.playing")}</h2>
          <div class="boards">
            {live.map((game) => (<GameCard key={game.id} client={client} state={state} game={game} watched />))}
          </div>
        </section>
      )}
      {http && <Games {...{ client, state }} pubkey={pubkey} http={http} />}
    </div>
  );
}

/** A NIP-05 name, and whether its domain says the same: it is asked when the player wants it. */
function Claimed({ name, pubkey }: { readonly name: string; readonly pubkey: string }): JSX.Element {
  const [claim, setClaim] = useState<Claim | "asked" | null>(null);
  const ask = (): void => {
    setClaim("asked");
    void claimOf(name, pubkey).then(setClaim);
  };
  return (
    <p class="soft" data-testid="nip05">
      <bdi>{name}</bdi>{" "}
      {claim ? (
        <small>{t(`player.name.${claim}`)}</small>
      ) : <button type="button" class="quiet" onClick={ask}>{t("player.name.check")}</button>}
    </p>
  );
}

/** A stranger's server learns of a visitor who wants the picture, and no more; a broken picture goes. */
function Picture({ address }: { readonly address: string }): JSX.Element | null {
  const [isWanted, setWanted] = useState(false);
  const [isBroken, setBroken] = useState(false);
  if (isBroken || !address.startsWith("https://")) return null;
  if (!isWanted) {
    return (
      <button type="button" class="quiet" data-testid="picture" onClick={() => setWanted(true)}>
        {t("player.picture", { host: new URL(address).host })}
      </button>
    );
  }
  return (
    <img class="picture" src={address} alt="" width="96" height="96" referrerpolicy="no-referrer" onError={() => setBroken(true)} />
  );
}

interface RatingsProps extends PageProps {
  readonly pubkey: string;
  readonly card: PlayerCard | null;
  readonly http: string | null;
  readonly failed: boolean;
}

function Ratings({ state, pubkey, card, http, failed }: RatingsProps): JSX.Element | null {
  const known = SPEEDS.map((speed) => {
    const listed = card?.ratings[speed];
    const heard = state.ratings.get(pubkey)?.find((one) => one.speed === speed);
    const found = listed ?? (heard && { ...heard, rating: Math.round(heard.value), deviation: Math.round(heard.deviation) });
    return found && { speed, ...found };
  }).filter((one) => one !== undefined);
  const [chosen, setChosen] = useState<Speed | null>(null);
  if (!known.length) return <p class="soft">{t(failed ? "lists.failed" : http && !card ? "app.loading" : "player.unrated")}</p>;
  const most = known.reduce((best, one) => (one.games > best.games ? one : best));
  const shown = chosen ?? most.speed;
  return (
    <section class="card" aria-labelledby="ratings-title">
      <h2 id="ratings-title">{t("player.ratings")}</h2>
      <div class="ratings">
        {known.map(({ speed, rating, deviation, provisional, games }) => (
          <button type="button" aria-pressed={shown === speed} onClick={() => setChosen(speed)}>
            <small>{t(`speed.${speed}`)}</small>
            <strong>
              {rating}
              {provisional && "?"}
            </strong>
            <small>±{deviation}, {counted("player.count", games)}</small>
          </button>
        ))}
      </div>
      {http && <RatingGraph http={http} pubkey={pubkey} speed={shown} />}
    </section>
  );
}

function Games({ client, state, pubkey, http }: PageProps & { pubkey: string; http: string }): JSX.Element {
  const [after, setAfter] = useState<readonly string[]>([]);
  const first = `${http}/players/${pubkey}/games?limit=20`;
  return (
    <section class="card" aria-labelledby="games-title">
      <h2 id="games-title">{t("player.lastGames")}</h2>
      {[first, ...after].map((address, place) => (
        <GamesPage
          key={address} {...{ client, state, pubkey, address }}
          more={place === after.length ? (next) => setAfter([...after, next]) : null}
        />
      ))}
      <p><a href={`${http}/players/${pubkey}/games.pgn`}>{t("player.pgn")}</a></p>
    </section>
  );
}

interface GamesPageProps extends PageProps {
  readonly pubkey: string;
  readonly address: string;
  readonly more: ((next: string) => void) | null;
}

function GamesPage({ client, state, pubkey, address, more }: GamesPageProps): JSX.Element {
  const { value, failed } = usePolled(address, readPage, null);
  if (!value) return <p class="soft">{t(failed ? "lists.failed" : "app.loading")}</p>;
  if (!value.games.length) return <p class="soft">{t("player.noGames")}</p>;
  return (
    <>
      <ul class="rows games">
        {value.games.map((game) => (
          <li key={game.id}>
            <a href={at.game(game.id)} class={`score ${scoreOf(game, pubkey)}`}>
              {game.isLive ? t("game.live") : resultText(game.result)}
            </a>
            <span>
              <PlayerName client={client} state={state} player={opponentOf(game, pubkey)} linked />
              <small>{termsText(game)}</small>
            </span>
            <time dateTime={new Date(game.beganMs).toISOString()}>
              {new Date(game.beganMs).toLocaleDateString(spoken(), { dateStyle: "medium" })}
            </time>
          </li>
        ))}
      </ul>
      {value.next && more && <button type="button" onClick={() => more(value.next ?? "")}>{t("player.more")}</button>}
    </>
  );
}

function readPage(json: unknown): { games: readonly ListedGame[]; next: string | null } {
  return { games: gamesIn(json), next: nextIn(json) };
}

function opponentOf(game: ListedGame, pubkey: string): string | null {
  return (game.white?.pubkey === pubkey ? game.black : game.white)?.pubkey ?? null;
}

function scoreOf({ winner, white, isLive }: ListedGame, pubkey: string): "won" | "lost" | "drawn" | "live" {
  if (isLive) return "live";
  if (!winner) return "drawn";
  return (winner === "white") === (white?.pubkey === pubkey) ? "won" : "lost";
}
