/** A link to pass on: copied, or handed to the device's own sharing. */

import { useState } from "preact/hooks";
import type { JSX } from "preact";
import { t } from "../texts/index.ts";

interface Props {
  readonly address: string;
  readonly label: string;
  readonly testId?: string;
}

export function ShareLink({ address, label, testId }: Props): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  const copy = (): void => {
    navigator.clipboard?.writeText(address).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <span class="share">
      <a href={address} data-testid={testId} title={label}>
        {address}
      </a>
      <button type="button" onClick={copy}>
        {t(isCopied ? "share.copied" : "share.copy")}
      </button>
      {"share" in navigator && (
        <button type="button" onClick={() => void navigator.share({ url: address }).catch(() => {})}>
          {t("share.send")}
        </button>
      )}
    </span>
  );
}
