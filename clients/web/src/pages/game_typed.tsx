/** The field for typed moves and commands. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { t } from "../texts/index.ts";

interface TypedFieldProps {
  /** Returns what to read out. */
  readonly onLine: (text: string) => string;
  readonly answer: string;
  readonly onAnswer: (answer: string) => void;
}

export function TypedField({ onLine, answer: shown, onAnswer }: TypedFieldProps): JSX.Element {
  const [text, setText] = useState("");
  function send(event: Event): void {
    event.preventDefault();
    onAnswer(onLine(text));
    setText("");
  }
  return (
    <form class="typed" onSubmit={send}>
      <input
        type="text"
        data-testid="move"
        value={text}
        aria-label={t("typed.label")}
        placeholder={t("typed.placeholder")}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        maxLength={40}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <p class="typed-answer" role="status">{shown}</p>
    </form>
  );
}
