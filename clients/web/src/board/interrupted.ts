/** A drag that the system ends: its pointer will not be heard of again, or not where it was. */

/** Calls `end` at each interruption; until the function that it returns is called. */
export function onInterrupted(end: () => void): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  let isDown = false;
  const on = (target: EventTarget, types: readonly string[], heard: (event: Event) => void): void =>
    types.forEach((type) => target.addEventListener(type, heard, { signal, capture: true }));
  on(document, ["pointerdown", "pointerup"], ({ type }) => (isDown = type === "pointerdown"));
  // The usual one follows `pointerup`, and for a finger it comes before `touchend`.
  on(document, ["lostpointercapture"], () => isDown && end());
  on(document, ["touchcancel", "pointercancel"], end);
  on(document, ["touchstart"], (event) => (event as TouchEvent).touches.length > 1 && end());
  on(document, ["visibilitychange"], () => document.hidden && end());
  on(window, ["blur", "pagehide", "orientationchange", "resize"], ({ target }) => target === window && end());
  return () => ending.abort();
}
