/** The field for typed moves and commands. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { t } from "../texts/index.ts";

interface TypedFieldProps {
  readonly onLine: (text: string) => void;
  /** What to read out of the last line. */
  readonly answer: string;
}

export function TypedField({ onLine, answer }: TypedFieldProps): JSX.Element {
  const [text, setText] = useState("");
  function send(event: Event): void {
    event.preventDefault();
    onLine(text);
    setText("");
  }
  return (
    <form class="typed" onSubmit={send}>
      <input
        type="text" data-testid="move" value={text} aria-label={t("typed.label")} placeholder={t("typed.placeholder")}
        autocomplete="off" autocapitalize="off" spellcheck={false} maxLength={40}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <p class="typed-answer" role="status">{answer}</p>
    </form>
  );
}
