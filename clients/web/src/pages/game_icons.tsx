/** The signs on the game's buttons. */

import type { JSX } from "preact";

const PATHS = {
  first: "M6 5v14M19 5l-9 7 9 7z",
  previous: "M15 5l-8 7 8 7z",
  next: "M9 5l8 7-8 7z",
  last: "M18 5v14M5 5l9 7-9 7z",
  flip: "M8 4v14M4 8l4-4 4 4M16 20V6M12 16l4 4 4-4",
  zen: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  sound: "M4 9v6h4l5 4V5L8 9zM16 9c1.5 1.8 1.5 4.200 0 6M18.500 6.500c3 3.300 3 7.700 0 11",
  mute: "M4 9v6h4l5 4V5L8 9zM16 9.500l5 5M21 9.500l-5 5",
  draw: "M5 9h14M5 15h14",
  resign: "M6 21V4M6 5c5-3 8 3 13 0v8c-5 3-8-3-13 0",
  takeback: "M9 7L4 12l5 5M4 12h10a5 5 0 0 1 0 10",
  abort: "M6 6l12 12M18 6L6 18",
  claim: "M5 9h14M5 15h14M12 4v16",
  "claim-left": "M10 4H5v16h5M9 12h11M16 8l4 4-4 4",
  flag: "M12 7v5l3 2M12 3a9 9 0 1 0 .01 0",
  rematch: "M4 12a8 8 0 0 1 14-5l2 2M20 4v5h-5M20 12a8 8 0 0 1-14 5l-2-2M4 20v-5h5",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  check: "M5 12l5 5 9-10",
  chart: "M4 19h16M6 15l4-5 4 3 5-7",
  promote: "M12 20V5M6 11l6-6 6 6",
  remove: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return <svg class="sign" viewBox="0 0 24 24" aria-hidden="true"><path d={PATHS[name]} /></svg>;
}
