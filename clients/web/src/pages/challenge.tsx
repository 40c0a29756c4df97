/** A challenge by link: its terms and a board, and one button. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { JSX } from "preact";
import { lobbyIn } from "../lists.ts";
import { pubkeyOf } from "../net/discovery.ts";
import { at, type Route } from "../router.ts";
import { BoardPicture } from "../shared/board_picture.tsx";
import { usePolled, type PageProps } from "../shared/hooks.ts";
import { PlayerName } from "../shared/player_name.tsx";
import { linkTo, ShareLink } from "../shared/share_link.tsx";
import { sideText, termsText } from "../shared/terms_text.tsx";
import { speedOf, termsIn } from "../terms.ts";
import { t } from "../texts/index.ts";
import "./pages.css";

const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

type Props = PageProps & { readonly route: Extract<Route, { page: "challenge" }> };

export function ChallengePage({ client, state, route }: Props): JSX.Element {
  const [isAccepted, setAccepted] = useState(false);
  const id = route.token.slice(0, 32);
  const http = state.arbiter?.http ?? null;
  // An open challenge without a secret is listed, with the terms that the arbiter knows.
  const isListed = route.token.length === 32 && http !== null;
  const lobby = usePolled(isListed ? `${http}/lobby` : null, lobbyIn, 4000);
  const listed = lobby.value?.challenges.find((one) => one.id === id);
  const told = termsIn(route.query);
  const terms = listed ? { ...told, ...listed } : told;
  const by = listed?.challenger?.pubkey ?? pubkeyOf(route.query.get("by") ?? "");
  const isMine = state.waiting.some(({ secretLink, requestId }) =>
    [secretLink, requestId.slice(0, 32)].includes(route.token),
  );
  const mine = terms.color === "white" ? "black" : terms.color === "black" ? "white" : "random";

  // A refusal is told by a notice: the button may be used again.
  const notices = useRef(state.notices.length);
  useEffect(() => {
    if (state.notices.length > notices.current) setAccepted(false);
    notices.current = state.notices.length;
  }, [state.notices.length]);

  return (
    <section class="card narrow challenge-page">
      <BoardPicture fen={terms.start ?? START} orientation={mine === "black" ? "black" : "white"} />
      <div>
        <h1>{t(isMine ? "challenge.yours" : "challenge.title")}</h1>
        {by && !isMine && (
          <p><PlayerName client={client} state={state} player={by} linked speed={speedOf(terms.time)} /></p>
        )}
        <p class="terms">
          <strong>{termsText(terms)}</strong>
          <br />
          {sideText(isMine ? terms.color : mine)}
        </p>
        {isMine ? (
          <>
            <p>{t("challenge.waits")}</p>
            <ShareLink label={t("challenge.link")} address={linkTo(location.hash)} testId="challenge-link" />
            <button type="button" class="plain" onClick={() => (client.cancel(), (location.hash = at.lobby))}>
              {t("lobby.cancel")}
            </button>
          </>
        ) : (
          <>
            <button
              type="button" class="primary hero" data-testid="accept" disabled={isAccepted}
              onClick={() => (setAccepted(true), client.accept(route.token))}
            >
              <strong>{t(isAccepted ? "challenge.accepting" : "challenge.accept")}</strong>
            </button>
            <p class="soft">{t("challenge.arbiterDecides")}</p>
          </>
        )}
      </div>
    </section>
  );
}
