/** Keys that work anywhere on the page of a game, but in a field or on the squares. */

import { useEffect, useRef } from "preact/hooks";

import { preferences, setPreferences } from "../preferences.ts";

interface Keys {
  readonly step: (by: number) => void;
  readonly first: () => void;
  readonly last: () => void;
  readonly flip: () => void;
  readonly cancel: () => void;
  readonly confirm: (() => void) | null;
}

export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const target = event.target as HTMLElement;
      if (target.closest("input, textarea, select, ul, [role=grid], [role=dialog]")) return;
      const act = actionOf(event.key, latest.current, target);
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
}

function actionOf(key: string, keys: Keys, target: HTMLElement): (() => void) | null {
  switch (key) {
    case "ArrowLeft": return () => keys.step(-1);
    case "ArrowRight": return () => keys.step(1);
    case "ArrowUp":
    case "Home": return keys.first;
    case "ArrowDown":
    case "End": return keys.last;
    case "f": return keys.flip;
    case "z": return () => setPreferences({ zen: !preferences().zen });
    case "Escape": return keys.cancel;
    case "Enter": return target.closest("button, a, summary") ? null : keys.confirm;
    default: return null;
  }
}
