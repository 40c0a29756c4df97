/** Notices to a player about their requests. */

import type { NoticeText, Refusal } from "./model.ts";

export interface NoticeEffect {
  readonly type: "notice";
  readonly text: NoticeText;
  readonly values: Readonly<Record<string, string>>;
  readonly tone: "plain" | "good" | "bad";
}

export function notice(text: NoticeText, values: Readonly<Record<string, string>> = {}): NoticeEffect {
  return { type: "notice", text, values, tone: "bad" };
}

/** About a refused request. */
export function told({ reason, text }: Refusal): NoticeEffect {
  switch (reason) {
    case "rate-limited": {
      const seconds = /([0-9]{1,6}) seconds/.exec(text)?.[1] ?? (/two minutes/.test(text) ? "120" : "");
      return notice("request.rate-limited", { seconds, text });
    }
    case "stale":
    case "bad-terms":
    case "unknown-challenge":
    case "playing": return notice(`request.${reason}`, { text });
    default: return notice("request.refused", { reason, text });
  }
}
