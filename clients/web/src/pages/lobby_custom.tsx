/** The form of terms: for the pool, for a friend, for a program. */

import { makeFen } from "chessops/fen";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { isChess960, readFen } from "../analysis/fen.ts";
import type { ArbiterClient, TimeControl } from "../arbiter/model.ts";
import { setPreferences, type CustomTerms } from "../preferences.ts";
import { Segments } from "../shared/choices.tsx";
import { usePreferences } from "../shared/hooks.ts";
import { colorText, speedText, timeText } from "../shared/terms_text.tsx";
import { canBeRated, poolTerms, termsOf } from "../terms.ts";
import { t } from "../texts/index.ts";

/** Minutes as chess clocks have them. */
const BASES = [0, 15, 30, 45, 60, 90, 120, 180, 240, 300, 420, 600, 900, 1200, 1800, 2700, 3600, 5400, 7200, 10_800];
const RATINGS = [...Array(25).keys()].map((it) => 400 + 100 * it);
const [LOWEST, HIGHEST] = [400, 2800];
const INCREMENTS = [0, 1, 2, 3, 4, 5, 7, 10, 12, 15, 20, 30, 45, 60, 90, 120, 180];

export function CustomGame({ client }: { readonly client: ArbiterClient }): JSX.Element {
  const { custom } = usePreferences();
  const terms = poolTerms(custom);
  return (
    <div class="card form">
      <TimeFields custom={custom} />
      {!terms.rated && <Colors custom={custom} />}
      <RatingFields custom={custom} />
      <button type="button" class="primary" data-testid="play-custom-start" onClick={() => client.play(terms)}>
        {t("lobby.playCustom", { time: timeText(custom.time) })}
      </button>
    </div>
  );
}

/** For a challenge: programs play casual games alone. */
export function TermsForm({ mayBeRated }: { readonly mayBeRated: boolean }): JSX.Element {
  const { custom } = usePreferences();
  const terms = termsOf(custom);
  return (
    <div class="form">
      <TimeFields custom={custom} />
      {mayBeRated && (
        <Segments
          label={t("terms.mode")} of={[false, true]} chosen={terms.rated} text={(rated) => t(rated ? "terms.rated" : "terms.casual")}
          bars={(rated) => rated && !canBeRated(terms)} choose={(rated) => setPreferences({ custom: { ...custom, rated } })}
        />
      )}
      <Colors custom={custom} />
      {mayBeRated && <StartField custom={custom} />}
    </div>
  );
}

function Colors({ custom }: { readonly custom: CustomTerms }): JSX.Element {
  return (
    <Segments
      label={t("terms.color")} of={["white", "random", "black"] as const} chosen={custom.color} text={colorText}
      choose={(color) => setPreferences({ custom: { ...custom, color } })}
    />
  );
}

/** Both ends are moved, and neither beyond the other; at the ends of the scale any rating will do. */
function RatingFields({ custom }: { readonly custom: CustomTerms }): JSX.Element {
  const from = custom.rating?.from ?? LOWEST;
  const to = custom.rating?.to ?? HIGHEST;
  const set = (low: number, high: number): void =>
    setPreferences({ custom: { ...custom, rating: low === LOWEST && high === HIGHEST ? null : { from: low, to: high } } });
  const shown = (rating: number): string => (rating === LOWEST || rating === HIGHEST ? t("terms.rating.any") : String(rating));
  return (
    <fieldset class="time">
      <legend>{t("terms.rating")}</legend>
      <Slider label={t("terms.rating.from")} shown={shown(from)} steps={RATINGS} value={from} set={(low) => set(low, Math.max(low, to))} />
      <Slider label={t("terms.rating.to")} shown={shown(to)} steps={RATINGS} value={to} set={(high) => set(Math.min(from, high), high)} />
    </fieldset>
  );
}

/** A position that can be played from makes the game casual; any other is refused with the reason. */
function StartField({ custom }: { readonly custom: CustomTerms }): JSX.Element {
  const [text, setText] = useState(custom.start ?? "");
  const position = text.trim() ? readFen(text) : null;
  const flaw = typeof position === "string" ? position : position?.isEnd() ? "fen.over" : null;
  const use = (given: string): void => {
    setText(given);
    const read = given.trim() ? readFen(given) : "fen.unreadable";
    if (typeof read === "string" || read.isEnd()) return setPreferences({ custom: { ...custom, start: null } });
    setPreferences({ custom: { ...custom, start: makeFen(read.toSetup()), variant: isChess960(read) ? "chess960" : "standard" } });
  };
  return (
    <label class="field start">
      <span>{t("terms.start")}</span>
      <input type="text" data-testid="start" value={text} spellcheck={false} autocomplete="off" aria-invalid={flaw !== null} placeholder="FEN" onInput={({ currentTarget: { value } }) => use(value)} />
      <small role="status">{flaw ? t(flaw) : position ? t("terms.start.casual") : ""}</small>
    </label>
  );
}

function TimeFields({ custom }: { readonly custom: CustomTerms }): JSX.Element {
  const { time } = custom;
  const kind = time?.kind ?? "unlimited";
  const set = (next: TimeControl): void => setPreferences({ custom: { ...custom, time: next } });
  return (
    <fieldset class="time">
      <legend>{t("terms.time")}</legend>
      <Segments of={["live", "days", "unlimited"] as const} chosen={kind} text={(one) => t(`time.kind.${one}`)} choose={(one) => set(usual(one))} />
      {time?.kind === "live" && (
        <>
          <Slider
            label={t("time.base")} shown={timeText({ ...time, increment: 0 }).replace("+0", "")} steps={BASES}
            value={time.base} set={(base) => set(atLeastOne({ ...time, base }))}
          />
          <Slider
            label={t("time.increment")} shown={String(time.increment)} steps={INCREMENTS} value={time.increment}
            set={(increment) => set(atLeastOne({ ...time, increment }))}
          />
          <p class="soft">{timeText(time)} · {speedText(time)}</p>
        </>
      )}
      {time?.kind === "days" && (
        <Slider
          label={t("time.daysAMove")} shown={String(time.days)} steps={[...Array(14).keys()].map((it) => it + 1)}
          value={time.days} set={(days) => set({ kind: "days", days })}
        />
      )}
    </fieldset>
  );
}

function usual(kind: "live" | "days" | "unlimited"): TimeControl {
  if (kind === "unlimited") return null;
  return kind === "live" ? { kind, base: 300, increment: 3 } : { kind, days: 2 };
}

/** The arbiter takes no clock without time. */
function atLeastOne<T extends { base: number; increment: number }>(time: T): T {
  return time.base + time.increment > 0 ? time : { ...time, increment: 1 };
}

interface SliderProps {
  readonly label: string;
  readonly shown: string;
  readonly steps: readonly number[];
  readonly value: number;
  readonly set: (value: number) => void;
}

function Slider({ label, shown, steps, value, set }: SliderProps): JSX.Element {
  const nearest = steps.reduce((best, step) => (Math.abs(step - value) < Math.abs(best - value) ? step : best));
  return (
    <label class="slider">
      <span>{label}: <b>{shown}</b></span>
      <input
        type="range" min={0} max={steps.length - 1} value={steps.indexOf(nearest)} aria-valuetext={shown}
        onInput={({ currentTarget }) => set(steps[Number(currentTarget.value)] ?? value)}
      />
    </label>
  );
}
