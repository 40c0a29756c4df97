/** A game to take along: link, FEN, PGN, a picture of the board. Nothing of it goes to a server. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import type { GameNote, GameState } from "../arbiter/model.ts";
import type { Line } from "../board/position.ts";
import { t } from "../texts/index.ts";
import { download, lichessAddress, pgnOf } from "./game_export.ts";
import { boardImage, type Pictured } from "./game_picture.ts";

export interface CopiesProps extends Pictured {
  readonly game: GameState;
  readonly line: Line | null;
  readonly note: GameNote | null;
  /** White's and Black's npub. */
  readonly npubs: readonly [string, string];
}

export function Copies(props: CopiesProps): JSX.Element {
  const { game, line, note, npubs, fen } = props;
  const [said, setSaid] = useState("");
  const pgn = note?.pgn ?? (line && pgnOf(game, line, npubs, location.href));
  const copy = (text: string): void => {
    const copied = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"));
    copied.then(
      () => setSaid(t("export.copied")),
      () => setSaid(t("export.failed")),
    );
  };
  const picture = (): void =>
    void boardImage(props).then(
      (image) => download(image, "position.png"),
      () => setSaid(t("export.noPicture")),
    );
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
      <p role="status">{said}</p>
    </div>
  );
}
