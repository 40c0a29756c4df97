/** Pools and open challenges, each one click from a game. */

import type { JSX } from "preact";
import type { Lobby, OpenChallenge, Pool } from "../lists.ts";
import { emptyText, type PageProps, type Polled } from "../shared/hooks.ts";
import { PlayerName } from "../shared/player_name.tsx";
import { colorText, termsText } from "../shared/terms_text.tsx";
import { PLAIN, speedOf } from "../terms.ts";
import { counted, t } from "../texts/index.ts";

type Mine = PageProps["state"]["waiting"];
type Props = PageProps & { readonly lobby: Polled<Lobby>; readonly pools: readonly Pool[] };

export function WhoWaits({ client, state, lobby, pools }: Props): JSX.Element {
  const challenges = (lobby.value?.challenges ?? []).filter(({ challenger }) => challenger?.pubkey !== state.me);
  return (
    <section class="card" aria-labelledby="waiting-title">
      <h2 id="waiting-title">{t("lobby.whoWaits")}</h2>
      {(lobby.failed || pools.length + challenges.length === 0) && <p class="soft">{t(emptyText(state, { ...lobby, value: pools }, "lobby.noOne"))}</p>}
      <ul class="rows">
        {pools.map((pool) => (
          <li key={termsText(pool)}>
            <span>
              <strong>{termsText(pool)}</strong>
              <small>{described(pool)}</small>
            </span>
            <button type="button" onClick={() => client.play({ ...PLAIN, ...termsOf(pool) })}>{t("lobby.join")}</button>
          </li>
        ))}
        {challenges.map((one) => (
          <li key={one.id}>
            <span>
              <strong>{termsText(one)}</strong>
              <small>
                <PlayerName
                  client={client} state={state} player={one.challenger?.pubkey ?? null} linked speed={speedOf(one.time)}
                />
                {detail(one)}
              </small>
            </span>
            <button type="button" onClick={() => client.accept(one.id)}>{t("challenge.accept")}</button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The pools in which another player waits. */
export function othersIn(pools: readonly Pool[], mine: Mine): readonly Pool[] {
  return pools.map((pool) => withoutMe(pool, mine)).filter(({ waiting }) => waiting.length > 0);
}

/** My own request waits there too: of those who wait as long as I do, one fewer. */
function withoutMe(pool: Pool, mine: Mine): Pool {
  const isMine = mine.some(({ kind, terms }) => kind === "pool" && terms && termsText(terms) === termsText(pool));
  return isMine ? { ...pool, waiting: pool.waiting.slice(0, -1) } : pool;
}

function described({ waiting }: Pool): string {
  const ratings = waiting.map(({ rating }) => rating).filter((rating) => rating !== null);
  const rated = ratings.length ? [t("lobby.rating", { ratings: ratings.slice(0, 3).join(", ") })] : [];
  return [counted("lobby.waiting", waiting.length), ...rated].join(", ");
}

function detail({ color }: OpenChallenge): string {
  return color === "random" ? "" : ` · ${t("terms.theyPlay", { color: colorText(color) })}`;
}

const termsOf = ({ time, rated, variant }: Pool): Pick<Pool, "time" | "rated" | "variant"> => ({ time, rated, variant });
