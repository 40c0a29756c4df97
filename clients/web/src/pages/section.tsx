/** A titled part of a page of forms. */

import type { ComponentChildren, JSX } from "preact";
import { t, type TextKey } from "../texts/index.ts";

export function Section({ title, children }: { title: TextKey; children: ComponentChildren }): JSX.Element {
  return (
    <section class="card form" aria-label={t(title)}>
      <h2>{t(title)}</h2>
      {children}
    </section>
  );
}
