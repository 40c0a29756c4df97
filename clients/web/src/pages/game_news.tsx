/** The news of a game, as sounds and in words. */

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import type { GameState, GameView } from "../arbiter/model.ts";
import { played, positionOf, type Line } from "../board/position.ts";
import { announced, changeOf, spokenSan, type Change } from "../board/speech.ts";
import { play, vibrate, warmUp } from "../sounds.ts";
import { t } from "../texts/index.ts";

interface NewsProps {
  readonly view: GameView;
  readonly line: Line | null;
  /** Those that are new are read out. */
  readonly texts: readonly string[];
  readonly isOffline: boolean;
}

interface Known {
  readonly count: number;
  readonly moves: readonly string[] | null;
  readonly pending: string | null;
  readonly premoves: number;
  readonly state: GameState;
  readonly texts: readonly string[];
  readonly isOffline: boolean;
}

const NOTHING: Change = { news: [], unplayed: null, isTakenBack: false };

/** A live region of its own: the page is not drawn again for what it says. */
export function News({ view, line, texts, isOffline }: NewsProps): JSX.Element {
  const state = view.confirmed;
  // Not what the board draws: that may be an earlier position, or a move that waits for the player's confirmation.
  const sent = view.pendingMove?.content ?? null;
  const pending = useMemo(() => {
    const now = sent && (line ? line.end.clone() : state && positionOf(state.fen));
    return now && sent ? played(now, sent) : null;
  }, [line, state, sent]);
  const count = (state?.ply ?? 0) + (pending ? 1 : 0);
  const known = useRef<Known | null>(null);
  const [said, setSaid] = useState("");
  useEffect(warmUp, []);
  useEffect(() => {
    if (!state) return;
    const before = known.current;
    const moves = line && line.plies.map((ply) => ply.san);
    known.current = { count, moves, pending: pending?.san ?? null, premoves: view.premoves.length, state, texts, isOffline };
    if (!before) return;
    const told: string[] = [];
    const now = { moves: moves ?? [], pending: pending?.san ?? null };
    // A line that was worked out only now has been heard as far as the game had come.
    const heard = { moves: before.moves ?? now.moves.slice(0, before.state.ply), pending: before.pending };
    const { news, unplayed, isTakenBack } = moves ? changeOf(heard, now) : NOTHING;
    if (unplayed) told.push(t("board.unplayed", { move: spokenSan(unplayed) }));
    if (isTakenBack) told.push(t("board.takenBack"));
    const last = pending ?? line?.plies.at(-1);
    if (count > before.count || news.length > 0) {
      play(last?.check ? "check" : last?.captured ? "capture" : "move");
      // The opponent's move and the premove that answered it come together.
      if (news.length > 0) told.push(announced(news, count));
      if (view.me && !pending && count % 2 === (view.me === "white" ? 0 : 1)) vibrate(30);
      if (before.premoves > 0 && view.premoves.length === 0 && !pending) told.push(t("board.premoveGone"));
    }
    if (state.result !== null && before.state.result === null) {
      play("end");
      vibrate(200);
    } else if (state.offer && state.offer.by !== view.me && state.offer.kind !== before.state.offer?.kind) play("notice");
    told.push(...texts.filter((text) => !before.texts.includes(text)));
    const other = view.me === "white" ? "black" : "white";
    if (view.me && state.result === null && before.state.away[other] !== null && state.away[other] === null) {
      told.push(t("game.returned"));
    }
    if (isOffline !== before.isOffline) told.push(t(isOffline ? "game.silent" : "game.connected"));
    if (told.length > 0) setSaid(told.join(" "));
  }, [state, line, count, pending?.san, texts.join(), isOffline]);
  return <p class="unseen" aria-live="assertive" data-testid="status">{said}</p>;
}
