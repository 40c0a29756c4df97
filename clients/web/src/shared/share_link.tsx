/** A link to pass on: copied, or handed to the device's own sharing. */

import { useState } from "preact/hooks";
import type { JSX } from "preact";
import { t, type TextKey } from "../texts/index.ts";

interface Props {
  readonly address: string;
  readonly label: string;
  readonly testId?: string;
}

interface CopyProps {
  /** Written when it is asked for, where that takes a while. */
  readonly text: string | (() => string);
  readonly label?: TextKey;
}

/** Says what came of it: pages that are not encrypted may not write there. */
export function Copy({ text, label = "share.copy" }: CopyProps): JSX.Element {
  const [key, setKey] = useState<TextKey>(label);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : text());
      setKey("share.copied");
    } catch {
      setKey("share.byHand");
    }
  };
  return (
    <button type="button" onClick={() => void copy()}>
      {t(key)}
    </button>
  );
}

export function ShareLink({ address, label, testId }: Props): JSX.Element {
  return (
    <span class="share">
      <a href={address} data-testid={testId} title={label}>
        {address}
      </a>
      <Copy text={address} />
      {"share" in navigator && (
        <button type="button" onClick={() => void navigator.share({ url: address }).catch(() => {})}>
          {t("share.send")}
        </button>
      )}
    </span>
  );
}
