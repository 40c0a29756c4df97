/** Hooks that views share: preferences, the hour, JSON that is read again and again. */

import { useEffect, useState } from "preact/hooks";
import type { ArbiterClient, ClientState } from "../arbiter/model.ts";
import { onPreferences, preferences, type Preferences } from "../preferences.ts";
import type { TextKey } from "../texts/index.ts";

const IDLE_MS = 500;

/** The values that every page draws, and its callbacks. */
export interface PageProps {
  readonly client: ArbiterClient;
  readonly state: ClientState;
}

export function usePreferences(): Preferences {
  const [, redraw] = useState({});
  useEffect(() => {
    const end = onPreferences(() => redraw({}));
    return () => void end();
  }, []);
  return preferences();
}

/** The state, drawn in a task of its own: not within a frame, whose layout and paint follow it. */
export function useClientState(client: ArbiterClient): ClientState {
  const [state, setState] = useState(client.state());
  useEffect(() => {
    let isDue = false;
    const draw = (): void => {
      isDue = false;
      setState(client.state());
    };
    draw();
    return client.subscribe(() => {
      if (isDue) return;
      isDue = true;
      // A hidden tab has slow timers, and must still notice that its game began.
      if (document.hidden) queueMicrotask(draw);
      else setTimeout(draw);
    });
  }, [client]);
  return state;
}

/** Soon, but after what is waiting to be drawn. */
export function whenIdle(callback: () => void): void {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(callback, { timeout: IDLE_MS });
  else setTimeout(callback); // Safari
}

/** This machine's clock, in milliseconds, read again after each such interval. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

export interface Polled<T> {
  /** The last answer; `null` before the first one. */
  readonly value: T | null;
  /** The last attempt failed. */
  readonly failed: boolean;
}

/**
 * Reads JSON from the arbiter's HTTP API again after each interval, while the page is seen. Without
 * an address nothing is asked.
 */
export function usePolled<T>(address: string | null, read: (json: unknown) => T, everyMs: number | null): Polled<T> {
  const [found, setFound] = useState<{ of: string | null; polled: Polled<T> }>();
  useEffect(() => {
    if (address === null) return;
    const ending = new AbortController();
    let timer = 0;
    const ask = async (): Promise<void> => {
      clearTimeout(timer);
      if (document.hidden) return;
      try {
        const answer = await fetch(address, { headers: { Accept: "application/json" }, signal: ending.signal });
        if (!answer.ok) throw new Error(String(answer.status));
        const value = read(await answer.json());
        setFound({ of: address, polled: { value, failed: false } });
      } catch {
        if (ending.signal.aborted) return;
        setFound((was) => ({
          of: address,
          polled: { value: was?.of === address ? was.polled.value : null, failed: true },
        }));
      }
      if (everyMs !== null) timer = setTimeout(ask, everyMs);
    };
    const seen = (): void => void (document.hidden || ask());
    document.addEventListener("visibilitychange", seen);
    void ask();
    return () => {
      ending.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", seen);
    };
  }, [address, everyMs]);
  return found?.of === address && address !== null ? found.polled : { value: null, failed: false };
}

/** Why a list is empty: no API has it, none answers, it has not come, or there is nothing, which is `none`. */
export function emptyText({ arbiter }: Pick<ClientState, "arbiter">, { failed, value }: Polled<unknown>, none: TextKey): TextKey {
  if (arbiter && arbiter.http === null) return "lists.noHttp";
  return failed ? "lists.failed" : value ? none : "app.loading";
}

/** The result of `load`; `null` until it is there, and if it fails. */
export function useLoaded<T>(load: () => Promise<T>): T | null {
  const [found, setFound] = useState<{ by: unknown; value: T } | null>(null);
  useEffect(() => {
    let isWanted = true;
    load().then(
      (value) => isWanted && setFound({ by: load, value }),
      () => {}, // without a network, or a file of a former release that is gone
    );
    return () => {
      isWanted = false;
    };
  }, [load]);
  return found?.by === load ? found.value : null;
}
