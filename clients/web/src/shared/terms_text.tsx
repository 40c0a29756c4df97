/** Terms in the player's words. */

import type { Terms, TimeControl } from "../arbiter/model.ts";
import { shortTime, speedOf } from "../terms.ts";
import { counted, t, type TextKey } from "../texts/index.ts";

/** `3+2`, `1 day`, `no clock`. */
export function timeText(time: TimeControl): string {
  if (time === null) return t("time.unlimited");
  return time.kind === "days" ? counted("time.days", time.days) : shortTime(time);
}

/** `Blitz`, `Correspondence`; empty without a clock. */
export function speedText(time: TimeControl): string {
  const speed = speedOf(time);
  return speed ? t(`speed.${speed}`) : "";
}

/** `3+2 · Blitz · rated · Chess960 · from a position`. */
export function termsText(terms: Pick<Terms, "time" | "rated" | "variant"> & Partial<Pick<Terms, "start">>): string {
  const words = [timeText(terms.time), speedText(terms.time)];
  words.push(t(terms.rated ? "terms.rated" : "terms.casual"));
  if (terms.variant === "chess960") words.push("Chess960");
  if (terms.start) words.push(t("terms.fromPosition"));
  return words.filter(Boolean).join(" · ");
}

/** `0:07`, `12:30`, `3 h`, `2 days`. */
export function waited(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  const hours = Math.floor(seconds / 3600);
  return hours < 48 ? t("time.hours", { count: hours }) : counted("time.days", Math.floor(hours / 24));
}

export function colorText(color: "white" | "black" | "random"): string {
  return t(`color.${color}` satisfies TextKey);
}

/** `you play White`, or `Random colour`. */
export function sideText(color: "white" | "black" | "random"): string {
  return color === "random" ? colorText(color) : t("terms.youPlay", { color: colorText(color) });
}
