/** A game to take along: link, FEN, PGN, a picture of the board, a board for other pages. Nothing of
 * it goes to a server, unless the player posts it.
 */

import type { JSX } from "preact";
import { useContext, useState } from "preact/hooks";

import type { ArbiterClient, ClientState, GameNote, GameState } from "../arbiter/model.ts";
import type { Line } from "../board/position.ts";
import { at } from "../router.ts";
import { t } from "../texts/index.ts";
import { AccountContext } from "../shared/account.ts";
import { post, postOf } from "./game_post.ts";
import { download, lichessAddress, pgnOf } from "./game_export.ts";
import { mayRest, VacationForm } from "./game_vacation.tsx";
import { boardImage, type Pictured } from "./game_picture.ts";

export interface CopiesProps extends Pictured {
  readonly game: GameState;
  readonly line: Line | null;
  readonly note: GameNote | null;
  /** White's and Black's npub. */
  readonly npubs: readonly [string, string];
  readonly client: ArbiterClient;
  readonly state: Pick<ClientState, "arbiter" | "games" | "relays">;
}

export function Copies(props: CopiesProps): JSX.Element {
  const { game, line, note, npubs, fen, state } = props;
  const account = useContext(AccountContext);
  const [said, setSaid] = useState("");
  const pgn = note?.pgn ?? (line && pgnOf(game, line, npubs, location.href));
  const copy = (text: string): void => {
    const copied = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"));
    copied.then(() => setSaid(t("export.copied")), () => setSaid(t("export.failed")));
  };
  const picture = (): void =>
    void boardImage(props).then((image) => download(image, "position.png"), () => setSaid(t("export.noPicture")));
  const { arbiter, relays } = state;
  const base = arbiter?.http;
  const others = relays.filter(({ gateway }) => !gateway).map(({ url }) => url);
  const publish = async (): Promise<void> => {
    if (!account || !arbiter || !note) return;
    setSaid("");
    try {
      const event = await account.signer.sign(postOf(game, note.eventId, props.names, arbiter, others));
      const took = await post(event, others);
      setSaid(took ? t("export.posted", { count: took, all: others.length }) : t("export.notPosted"));
    } catch {
      setSaid(t("export.notPosted"));
    }
  };
  return (
    <div class="menu-list">
      <button type="button" onClick={() => copy(location.href)}>{t("export.copyLink")}</button>
      <button type="button" onClick={() => copy(fen)}>{t("export.copyFen")}</button>
      <button type="button" onClick={picture}>{t("export.picture")}</button>
      {pgn && <button type="button" onClick={() => copy(pgn)}>{t("export.copyPgn")}</button>}
      {pgn && (
        <button type="button" onClick={() => download(new Blob([pgn], { type: "application/x-chess-pgn" }), "game.pgn")}>
          {t("export.download")}
        </button>
      )}
      {line && <a class="button" href={lichessAddress(game, line)} target="_blank" rel="noopener noreferrer">{t("export.lichess")}</a>}
      {base && <button type="button" onClick={() => copy(`<iframe src="${base}/g/${game.game}/embed" width="400" height="480"></iframe>`)}>{t("export.embed")}</button>}
      {base && note && account && others.length > 0 && <button type="button" data-testid="post" onClick={() => void publish()}>{t("export.post")}</button>}
      {state.games.get(game.game)?.me && game.result === null && game.time?.kind !== "live" && <a class="button" href={`${at.analysis}?game=${game.game}`}>{t("lines.title")}</a>}
      {base && mayRest(game) && state.games.get(game.game)?.me && <VacationForm client={props.client} game={game} http={base} />}
      <p role="status">{said}</p>
    </div>
  );
}
