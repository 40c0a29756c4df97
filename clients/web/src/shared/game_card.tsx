/** A game in a list: its board, its players, how it goes. */

import { useEffect } from "preact/hooks";
import type { JSX } from "preact";
import type { ListedGame } from "../lists.ts";
import { at } from "../router.ts";
import { speedOf } from "../terms.ts";
import { t } from "../texts/index.ts";
import { BoardPicture } from "./board_picture.tsx";
import type { PageProps } from "./hooks.ts";
import { PlayerName } from "./player_name.tsx";
import { termsText } from "./terms_text.tsx";

interface Props extends PageProps {
  readonly game: ListedGame;
  /** Follow the moves as they are signed, and not only as the list is read again. */
  readonly watched?: boolean;
  readonly large?: boolean;
}

export function GameCard({ client, state, game, watched = false, large = false }: Props): JSX.Element {
  useEffect(() => (watched ? client.watch(game.id) : undefined), [client, game.id, watched]);
  const seen = state.games.get(game.id)?.confirmed;
  const isNewer = seen && seen.ply >= game.ply;
  const fen = isNewer ? seen.fen : game.fen;
  const lastMove = isNewer ? (seen.moves?.at(-1) ?? null) : game.lastMove;
  const result = (isNewer ? seen.result : null) ?? (game.isLive ? null : game.result);
  const speed = speedOf(game.time);
  return (
    <a class={large ? "game-card large" : "game-card"} href={at.game(game.id)}>
      <span class="row">
        <i class="disc black" />
        <PlayerName client={client} state={state} player={game.black?.pubkey ?? null} speed={speed} />
      </span>
      <BoardPicture fen={fen} lastMove={lastMove} />
      <span class="row">
        <i class="disc white" />
        <PlayerName client={client} state={state} player={game.white?.pubkey ?? null} speed={speed} />
      </span>
      <small>{result === null ? termsText(game) : `${resultText(result)} · ${termsText(game)}`}</small>
    </a>
  );
}

/** `1–0`; an aborted game has no score. */
export function resultText(result: string): string {
  return result === "*" ? t("game.aborted") : result.replace("-", "–").replaceAll("1/2", "½");
}
