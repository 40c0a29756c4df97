/** What has just happened in a game, as sounds and in words. */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import type { GameView } from "../arbiter/model.ts";
import type { Drawn } from "../board/drawn.ts";
import { announced } from "../board/speech.ts";
import type { Line, Ply } from "../board/position.ts";
import { play, vibrate, warmUp } from "../sounds.ts";
import { t } from "../texts/index.ts";

interface NewsProps {
  readonly view: GameView;
  readonly line: Line | null;
  readonly drawn: Drawn;
  /** Those that are new are read out. */
  readonly texts: readonly string[];
}

/** A live region of its own: the page is not drawn again for what it says. */
export function News({ view, line, drawn, texts }: NewsProps): JSX.Element {
  const state = view.confirmed;
  const played = (line?.plies.length ?? state?.ply ?? 0) + (drawn.pending ? 1 : 0);
  const plies: readonly Ply[] = drawn.pending ? [...(line?.plies ?? []), drawn.pending] : (line?.plies ?? []);
  const known = useRef<{ plies: number; result: unknown; offer: unknown; texts: readonly string[] } | null>(null);
  const [said, setSaid] = useState("");
  useEffect(warmUp, []);
  useEffect(() => {
    if (!state) return;
    const before = known.current;
    const offer = state.offer && state.offer.by !== view.me ? state.offer.kind : null;
    known.current = { plies: played, result: state.result, offer, texts };
    if (!before) return;
    const told: string[] = [];
    const last = plies.at(-1);
    if (played > before.plies && last) {
      play(last.check ? "check" : last.captured ? "capture" : "move");
      // The opponent's move and the premove that answered it come together.
      const news = plies.slice(before.plies - played).map((ply) => ply.san);
      told.push(announced(news, played));
      if (view.me && !drawn.pending && played % 2 === (view.me === "white" ? 0 : 1)) vibrate(30);
    }
    if (state.result !== null && before.result === null) {
      play("end");
      vibrate(200);
    } else if (offer && offer !== before.offer) play("notice");
    told.push(...texts.filter((text) => !before.texts.includes(text)));
    // Of an offer of mine that was turned down no banner tells.
    const isGone = before.texts.some((text) => !texts.includes(text));
    if (isGone && told.length === 0) told.push(t("offer.none"));
    if (told.length > 0) setSaid(told.join(" "));
  }, [state, played, texts.join()]);
  return <p class="unseen" aria-live="assertive" data-testid="status">{said}</p>;
}
