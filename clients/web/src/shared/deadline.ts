/** When something is due, in the reader's language and time zone. */

import { spoken } from "../texts/index.ts";

const DAY_MS = 86_400_000;
const TIME = { hour: "2-digit", minute: "2-digit" } as const;

/** `tomorrow, 18:40`, `Wednesday 18:40`, `12 Dec, 18:40`; both times by this machine's clock. */
export function deadlineText(atMs: number, nowMs: number, language: string = spoken()): string {
  const at = new Date(atMs);
  // A day of the calendar may have 23 or 25 hours.
  const days = Math.round((midnight(at) - midnight(new Date(nowMs))) / DAY_MS);
  if (days >= 0 && days < 2) {
    const day = new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(days, "day");
    return `${day}, ${at.toLocaleTimeString(language, TIME)}`;
  }
  const date = days > 0 && days < 7 ? ({ weekday: "long" } as const) : ({ day: "numeric", month: "short" } as const);
  return at.toLocaleString(language, { ...date, ...TIME });
}

function midnight(at: Date): number {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();
}
