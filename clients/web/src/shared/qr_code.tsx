/** An address as a QR code, for a phone or a signer on another device. */

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { encode } from "uqr";
import { t } from "../texts/index.ts";

/** "The quiet zone shall be 4 modules wide" (ISO/IEC 18004). Black on white in the dark, too: some cameras read no other. */
const QUIET = 4;

export function QrCode({ text }: { readonly text: string }): JSX.Element {
  const { size, data } = useMemo(() => encode(text, { ecc: "L", border: QUIET }), [text]);
  const modules = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join("");
  return (
    <svg viewBox={`0 0 ${size} ${size}`} width="240" height="240" role="img" aria-label={t("share.qr")} data-testid="qr">
      <rect width={size} height={size} fill="#fff" stroke="none" />
      <path d={modules} fill="#000" stroke="none" shape-rendering="crispEdges" />
    </svg>
  );
}
