/** One notice in words. */

import { useEffect } from "preact/hooks";
import type { JSX } from "preact";
import type { Notice } from "../arbiter/model.ts";
import { isTextKey, t } from "../texts/index.ts";

const SHOWN_MS = 8000;

/** A reason for declining is a word of the wire; "no reason" is none. */
function inWords({ text, values }: Notice): string {
  const key = `decline.${values["reason"] ?? "generic"}`;
  return isTextKey(key) && key !== "decline.generic"
    ? t("notice.challenge.declined.why", { reason: t(key) })
    : t(`notice.${text}`, values);
}

export function Told({ notice, dismiss }: { readonly notice: Notice; readonly dismiss: () => void }): JSX.Element {
  useEffect(() => {
    if (notice.tone === "bad") return;
    const timer = setTimeout(dismiss, SHOWN_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class={`notice ${notice.tone}`}>
      <p>{inWords(notice)}</p>
      <button type="button" class="icon" aria-label={t("notice.dismiss")} onClick={dismiss}>×</button>
    </div>
  );
}
