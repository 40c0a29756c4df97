/** A game with a program that this arbiter names: at a level, and only when the player asks for it. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ClientState, Terms, Waiting } from "../arbiter/model.ts";
import { preferences, setPreferences } from "../preferences.ts";
import { useNow, usePreferences, type PageProps } from "../shared/hooks.ts";
import { part } from "../shared/later.tsx";
import { termsText } from "../shared/terms_text.tsx";
import { houseTerms, termsOf } from "../terms.ts";
import { t } from "../texts/index.ts";

const TermsForm = part((all) => all.TermsForm);

/** Time for which a player waits for a person before a program is offered. */
const OFFER_MS = 20_000;

export function House({ client, state }: PageProps): JSX.Element | null {
  const { custom } = usePreferences();
  const levels = levelsOf(state);
  const terms = houseTerms(termsOf(custom));
  if (levels.length === 0) return null;
  const play = (level: number): void => {
    setPreferences({ level });
    client.playHouse(level, terms);
  };
  return (
    <section class="card friend" aria-labelledby="house-title" data-testid="house">
      <h2 id="house-title">{t("house.title")}</h2>
      <div class="levels">
        {levels.map((level) => (
          <button
            type="button" data-testid={`house-${level}`} aria-label={t("house.level", { level })}
            onClick={() => (play(level), scrollTo(0, 0))}
          >
            {level}
          </button>
        ))}
      </div>
      <p class="soft ends">
        <span>{t("house.weak")}</span>
        {levels.length > 1 && <span>{t("house.strong")}</span>}
      </p>
      <TermsLine terms={terms} mayBeRated={false} />
    </section>
  );
}

/** The terms in words, and the form for others. */
export function TermsLine({ terms, mayBeRated }: { readonly terms: Terms; readonly mayBeRated: boolean }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <p class="terms-line">
        <span>{termsText(terms)}</span>
        <button type="button" class="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {t(isOpen ? "friend.done" : "friend.change")}
        </button>
      </p>
      {isOpen && <TermsForm mayBeRated={mayBeRated} />}
    </>
  );
}

/** One line to a player who has waited in the pool; the program comes if they press it. */
export function Offer({ client, state, waiting }: PageProps & { readonly waiting: Waiting }): JSX.Element | null {
  const now = useNow(1000);
  const levels = levelsOf(state);
  const last = preferences().level;
  const level = levels.find((one) => one >= last) ?? levels.at(-1);
  const isAsked = state.waiting.some(({ house }) => house);
  if (!level || !waiting.terms || isAsked || now - waiting.sinceMs < OFFER_MS) return null;
  const terms = houseTerms(waiting.terms);
  return (
    <p class="offer" role="status">
      <span>{t("house.offer")}</span>
      <button type="button" data-testid="house-offer" onClick={() => client.playHouse(level, terms)}>
        {t("house.play", { level })}
      </button>
    </p>
  );
}

function levelsOf({ arbiter }: ClientState): readonly number[] {
  return [...new Set((arbiter?.house ?? []).map(({ level }) => level))].sort();
}
