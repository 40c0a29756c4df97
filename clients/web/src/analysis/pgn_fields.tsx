/** Games in PGN: pasted or opened, one of them chosen, and the study to take along. */

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";

import { download } from "../pages/game_export.ts";
import { Copy } from "../shared/share_link.tsx";
import { counted, t } from "../texts/index.ts";
import { textOf } from "./pgn_file.ts";
import { headingOf, titleOf } from "./pgn.ts";
import type { Pgn } from "./pgn_text.ts";

interface PgnFieldsProps {
  readonly pgn: Pgn;
  readonly chosen: number;
  readonly onChoose: (index: number) => void;
  readonly text: string | null;
  readonly onText: (text: string | null) => void;
  /** The study as it is now. */
  readonly write: () => string;
}

export function PgnFields({ pgn, chosen, onChoose, text, onText, write }: PgnFieldsProps): JSX.Element {
  const headings = useMemo(() => pgn.games.map(headingOf), [pgn]);
  const save = (): void => download(new Blob([write()], { type: "application/x-chess-pgn" }), "analysis.pgn");
  return (
    <>
      {headings.length > 1 && (
        <select aria-label={counted("pgn.games", headings.length)} value={chosen} onChange={(event) => onChoose(event.currentTarget.selectedIndex)}>
          {headings.map((heading, index) => (
            <option value={index} key={index}>{`${index + 1}. ${titleOf(heading)} ${heading.result}`}</option>
          ))}
        </select>
      )}
      <details>
        <summary>{t("study.pgn")}</summary>
        <div class="joined">
          <Copy text={write} label="export.copyPgn" />
          <button type="button" onClick={save}>{t("export.download")}</button>
        </div>
        <label class="study-pgn">
          {t("analysis.pgn")}
          <textarea rows={5} spellcheck={false} value={text ?? ""} onInput={(event) => onText(event.currentTarget.value || null)} />
        </label>
        <label class="study-pgn">
          {t("analysis.file")}
          <input type="file" accept=".pgn,.txt,text/plain" onChange={(event) => void textIn(event.currentTarget).then(onText)} />
        </label>
      </details>
    </>
  );
}

async function textIn(input: HTMLInputElement): Promise<string> {
  const bytes = await input.files?.[0]?.arrayBuffer();
  // The same file may have changed when it is chosen again.
  input.value = "";
  return textOf(new Uint8Array(bytes ?? []));
}
