/** This player's open matters: a game, a request that waits, challenges to answer. */

import { useState } from "preact/hooks";
import type { JSX } from "preact";
import { gamesOf, isToMove } from "../arbiter/mine.ts";
import type { GameView, IncomingChallenge, Pubkey, Waiting } from "../arbiter/model.ts";
import { at } from "../router.ts";
import { BoardPicture } from "../shared/board_picture.tsx";
import { useNow, type PageProps } from "../shared/hooks.ts";
import { PlayerName } from "../shared/player_name.tsx";
import { linkTo, ShareLink } from "../shared/share_link.tsx";
import { sideText, termsText } from "../shared/terms_text.tsx";
import { queryOf, speedOf } from "../terms.ts";
import { npubOf } from "../shared/npub.ts";
import { t } from "../texts/index.ts";
import { useBlocks, type Blocks } from "./blocks.ts";
import { dueText } from "./game_clock.ts";
import { YourGames } from "./lobby_games.tsx";
import { Details } from "./lobby_seeks.tsx";

export function MyBusiness(props: PageProps): JSX.Element | null {
  const { state } = props;
  const blocks = useBlocks(props.client, "mine");
  const isBlocked = (player: Pubkey | undefined): boolean => player !== undefined && (blocks?.keys ?? []).includes(player);
  const challenges = state.challenges.filter(({ challenger }) => !isBlocked(challenger));
  const [first, ...others] = gamesOf(state.games);
  const waiting = state.waiting.filter(({ kind }) => kind !== "pool");
  const now = useNow(5000) + state.clockOffsetMs;
  const rematches = [...state.games.values()].filter((view) => isOffered(view, now) && !isBlocked(opponentOf(view)));
  if (!first && !waiting.length && !challenges.length && !rematches.length) return null;
  return (
    <div class="mine">
      {first && <Resume {...props} view={first} now={now} />}
      {challenges.map((one) => (<Incoming key={one.id} {...props} challenge={one} blocks={blocks} />))}
      {rematches.map((view) => (<Rematch key={view.game} {...props} view={view} />))}
      {waiting.map((one) => (<Waits key={one.requestId} {...props} waiting={one} />))}
      {others.length > 0 && <YourGames {...props} />}
    </div>
  );
}

function Resume({ client, state, view, now }: PageProps & { readonly view: ReturnType<typeof gamesOf>[number]; readonly now: number }): JSX.Element {
  const { game, confirmed: shown } = view;
  const me = view.me ?? "white";
  return (
    <a class="card banner resume" href={at.game(game)} data-testid="resume">
      <BoardPicture fen={shown.fen} lastMove={shown.moves?.at(-1) ?? null} orientation={me} />
      <span>
        <strong>{t(isToMove(view) ? "lobby.yourTurn" : "lobby.theirTurn")}</strong>
        <PlayerName client={client} state={state} player={opponentOf(view) ?? null} speed={speedOf(shown.time)} />
        <small>{[termsText(shown), dueText(shown, now, state.clockOffsetMs)].filter(Boolean).join(" · ")}</small>
      </span>
      <span class="button primary">{t("lobby.resume")}</span>
    </a>
  );
}

function opponentOf({ me, confirmed }: Pick<GameView, "me" | "confirmed">): Pubkey | undefined {
  return confirmed?.[me === "black" ? "white" : "black"];
}

/** "The offer ends after five minutes (a day if the game had no live clock)." */
function isOffered({ me, confirmed }: GameView, now: number): boolean {
  if (!me || !confirmed?.result || confirmed.rematch || confirmed.offer?.kind !== "rematch") return false;
  const seconds = confirmed.time?.kind === "live" ? 300 : 86_400;
  return confirmed.offer.by !== me && now < (confirmed.createdAt + seconds) * 1000;
}

function Rematch({ client, state, view: { game, me, confirmed } }: PageProps & { readonly view: GameView }): JSX.Element | null {
  if (!confirmed) return null;
  return (
    <section class="card banner incoming" data-testid="rematch-offer">
      <BoardPicture fen={confirmed.fen} orientation={me ?? "white"} />
      <span>
        <strong>{t("challenge.rematch")}</strong>
        <PlayerName client={client} state={state} player={opponentOf({ me, confirmed }) ?? null} linked />
        <small>{termsText(confirmed)}</small>
      </span>
      <button type="button" class="primary" onClick={() => client.word(game, "rematch")}>
        {t("challenge.accept")}
      </button>
      <button type="button" onClick={() => client.word(game, "rematch-decline")}>{t("challenge.decline")}</button>
    </section>
  );
}

const REASONS = ["generic", "later", "tooFast", "tooSlow", "timeControl", "rated", "casual", "variant"] as const;

function Incoming({
  client, state, challenge, blocks,
}: PageProps & { readonly challenge: IncomingChallenge; readonly blocks: Blocks | null }): JSX.Element {
  const [reason, setReason] = useState<string>("generic");
  const { terms, challenger, id } = challenge;
  const mine = terms.color === "white" ? "black" : terms.color === "black" ? "white" : "random";
  return (
    <section class="card banner incoming" data-testid="incoming">
      {terms.start && <BoardPicture fen={terms.start} />}
      <span>
        <strong>{t("challenge.incoming")}</strong>
        <PlayerName client={client} state={state} player={challenger} linked speed={speedOf(terms.time)} />
        <small>{termsText(terms)} · {sideText(mine)}</small>
      </span>
      <button type="button" class="primary" onClick={() => client.accept(id)}>{t("challenge.accept")}</button>
      <span class="joined">
        <button type="button" onClick={() => client.decline(id, reason)}>{t("challenge.decline")}</button>
        <select
          aria-label={t("challenge.reason")} value={reason}
          onChange={({ currentTarget: { value } }) => setReason(value)}
        >
          {REASONS.map((one) => (<option value={one}>{t(`decline.${one}`)}</option>))}
        </select>
      </span>
      <button type="button" class="quiet" onClick={() => (client.decline(id, "generic"), blocks?.block(challenger, true))}>
        {t("block.do")}
      </button>
    </section>
  );
}

function Waits({ client, state, waiting }: PageProps & { readonly waiting: Waiting }): JSX.Element {
  const { terms, opponent, secretLink, kind } = waiting;
  return (
    <section class="card banner waits" data-testid="waiting">
      <i class="pulse" aria-hidden="true" />
      <span>
        <strong>{t(`waiting.${kind}`)}</strong>
        {opponent && <PlayerName client={client} state={state} player={opponent} linked />}
        <Details waiting={waiting} />
        {kind === "open" && secretLink && terms && (
          <ShareLink
            testId="challenge-link" label={t("challenge.link")}
            address={linkTo(at.challenge(secretLink, queryOf(terms, state.me && npubOf(state.me))))}
          />
        )}
      </span>
      <button type="button" data-testid="cancel" onClick={() => client.cancel()}>
        {t(state.waiting.length > 1 ? "lobby.cancelAll" : "lobby.cancel")}
      </button>
    </section>
  );
}
