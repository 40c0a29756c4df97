/** The FEN of the position that is shown: to copy, and to set up another one. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

import { Copy } from "../shared/share_link.tsx";
import { t, type TextKey } from "../texts/index.ts";

interface FenFieldProps {
  readonly fen: string;
  /** The reason against a FEN that the page was opened with. */
  readonly flaw: TextKey | null;
  /** Sets up a position, or returns the reason why not. */
  readonly onFen: (fen: string) => TextKey | null;
}

export function FenField({ fen, flaw, onFen }: FenFieldProps): JSX.Element {
  const [text, setText] = useState<string | null>(null);
  const [wrong, setWrong] = useState(flaw);
  useEffect(() => setText(null), [fen]);
  const use = (given: string): void => {
    const reason = onFen(given);
    setWrong(reason);
    setText(reason ? given : null);
  };
  return (
    <form class="study-fen" onSubmit={(event) => (event.preventDefault(), use(text ?? fen))}>
      <label>
        {t("study.fen")}
        <input
          type="text"
          data-testid="fen"
          value={text ?? fen}
          spellcheck={false}
          autocomplete="off"
          aria-invalid={wrong !== null}
          onInput={(event) => {
            const { value } = event.currentTarget;
            if (event.inputType === "insertFromPaste") use(value);
            else setText(value);
          }}
        />
      </label>
      <button type="submit" disabled={text === null}>{t("study.setUp")}</button>
      <Copy text={fen} />
      {wrong && <p role="alert">{t(wrong)}</p>}
    </form>
  );
}
