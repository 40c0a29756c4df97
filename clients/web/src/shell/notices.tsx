/** Notices at the lower edge, each once: read aloud, and gone by itself or by a tap. */

import type { JSX } from "preact";
import type { PageProps } from "../shared/hooks.ts";
import { part } from "../shared/later.tsx";

const Told = part((all) => all.Told);

export function Notices({ client, state }: PageProps): JSX.Element {
  return (
    <div class="notices" role="status" aria-live="polite">
      {state.notices.map((notice) => (
        <Told key={notice.id} notice={notice} dismiss={() => client.dismiss(notice.id)} />
      ))}
    </div>
  );
}
