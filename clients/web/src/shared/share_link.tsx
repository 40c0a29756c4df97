/** A link to pass on: copied, or handed to the device's own sharing. */

import { useState } from "preact/hooks";
import type { JSX } from "preact";
import { useLoaded } from "./hooks.ts";
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
  return <button type="button" onClick={() => void copy()}>{t(key)}</button>;
}

const loadQrCode = (): Promise<typeof import("./qr_code.tsx").QrCode> => import("./qr_code.tsx").then(({ QrCode }) => QrCode);

function Drawn({ text }: { readonly text: string }): JSX.Element | null {
  const QrCode = useLoaded(loadQrCode);
  return QrCode && <QrCode text={text} />;
}

export function ShareLink({ address, label, testId }: Props): JSX.Element {
  const [isDrawn, setDrawn] = useState(false);
  return (
    <span class="share">
      <a href={address} data-testid={testId} title={label}>{address}</a>
      <Copy text={address} />
      <button type="button" aria-expanded={isDrawn} onClick={() => setDrawn(!isDrawn)}>{t("share.qr")}</button>
      {"share" in navigator && (
        <button type="button" onClick={() => void navigator.share({ url: address }).catch(() => {})}>
          {t("share.send")}
        </button>
      )}
      {isDrawn && <Drawn text={address} />}
    </span>
  );
}

/** The address of a page for somebody else: with this page's arbiter. */
export function linkTo(hash: string): string {
  return `${location.href.split("#")[0]}${hash}`;
}
