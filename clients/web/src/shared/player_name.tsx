/** A player's name: what their profile says, "You", or the ends of their npub. Always text. */

import { useEffect } from "preact/hooks";
import type { JSX } from "preact";
import type { Pubkey } from "../arbiter/model.ts";
import { at } from "../router.ts";
import { t } from "../texts/index.ts";
import type { PageProps } from "./hooks.ts";
import { npubOf, shortNpub } from "./npub.ts";

interface Props extends PageProps {
  readonly player: Pubkey | null;
  /** A link to the player's page. */
  readonly linked?: boolean;
  readonly speed?: string | null;
}

export function PlayerName({ client, state, player, linked = false, speed }: Props): JSX.Element {
  useEffect(() => {
    if (player) client.wonder(player);
  }, [client, player]);
  if (player === null) return <span class="player">{t("player.hotSeat")}</span>;
  const profile = state.profiles.get(player);
  const npub = npubOf(player);
  const rating = state.ratings.get(player)?.find((one) => one.speed === speed);
  const shown = (
    <>
      <bdi>{profile?.name ?? (linked && player === state.me ? t("player.you") : shortNpub(npub))}</bdi>
      {profile?.bot && <small class="tag">{t("player.bot")}</small>}
      {rating && (
        <small class="rating">
          {Math.round(rating.value)}
          {rating.provisional && "?"}
        </small>
      )}
    </>
  );
  return linked ? (
    <a class="player" href={at.player(npub)} title={npub}>{shown}</a>
  ) : <span class="player" title={npub}>{shown}</span>;
}
