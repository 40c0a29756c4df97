/** A button for what cannot be taken back: it asks once more. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { t } from "../texts/index.ts";

export function Sure({ text, onSure }: { readonly text: string; readonly onSure: () => void }): JSX.Element {
  const [isAsked, setAsked] = useState(false);
  const press = (): void => {
    setAsked(!isAsked);
    if (isAsked) onSure();
  };
  return (
    <button type="button" class={isAsked ? "danger" : ""} onClick={press} onBlur={() => setAsked(false)}>
      {isAsked ? t("events.sure", { action: text }) : text}
    </button>
  );
}
