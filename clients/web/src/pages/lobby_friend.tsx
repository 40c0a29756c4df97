/** A game with a friend: by a link, or by their name. */

import { useState } from "preact/hooks";
import type { JSX } from "preact";
import { lookUp, nameIn } from "../friend.ts";
import { pubkeyOf } from "../net/discovery.ts";
import { setPreferences } from "../preferences.ts";
import { usePreferences, type PageProps } from "../shared/hooks.ts";
import { colorText, termsText } from "../shared/terms_text.tsx";
import { canBeRated } from "../terms.ts";
import { t, type TextKey } from "../texts/index.ts";
import { TimeFields, termsOf } from "./lobby_custom.tsx";

export function Friend({ client, state }: PageProps): JSX.Element {
  const { custom } = usePreferences();
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState("");
  const [trouble, setTrouble] = useState<TextKey | null>(null);
  const terms = termsOf(custom);
  const hasLink = state.waiting.some(({ kind, secretLink }) => kind === "open" && secretLink);
  // "In a rated game only in a challenge by name", and a link is for anybody who has it.
  const linkTerms = terms.rated ? { ...terms, color: "random" as const } : terms;

  const challenge = async (): Promise<void> => {
    setTrouble("friend.looking");
    const found = await playerOf(name);
    if (typeof found === "string") return setTrouble(found as TextKey);
    if (found.pubkey === state.me) return setTrouble("friend.yourself");
    setTrouble(null);
    setName("");
    client.challenge(found.pubkey, terms);
    scrollTo(0, 0);
  };

  return (
    <section class="card friend" aria-labelledby="friend-title">
      <h2 id="friend-title">{t("friend.title")}</h2>
      <p class="terms-line">
        <span>{termsText(terms)}</span>
        <button type="button" class="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {t(isOpen ? "friend.done" : "friend.change")}
        </button>
      </p>
      {isOpen && (
        <div class="form">
          <TimeFields custom={custom} />
          <div class="segments" role="group" aria-label={t("terms.mode")}>
            {[false, true].map((rated) => (
              <button
                type="button"
                aria-pressed={terms.rated === rated}
                disabled={rated && !canBeRated(terms)}
                onClick={() => setPreferences({ custom: { ...custom, rated } })}
              >
                {t(rated ? "terms.rated" : "terms.casual")}
              </button>
            ))}
          </div>
          <div class="segments" role="group" aria-label={t("terms.color")}>
            {(["white", "random", "black"] as const).map((color) => (
              <button
                type="button"
                aria-pressed={custom.color === color}
                onClick={() => setPreferences({ custom: { ...custom, color } })}
              >
                {colorText(color)}
              </button>
            ))}
          </div>
        </div>
      )}
      {!hasLink && (
        <button
          type="button"
          class="wide"
          data-testid="challenge-link"
          onClick={() => (client.openChallenge(linkTerms), scrollTo(0, 0))}
        >
          {t("friend.link")}
        </button>
      )}
      <form class="joined" onSubmit={(event) => (event.preventDefault(), void challenge())}>
        <input
          type="text"
          value={name}
          placeholder={t("friend.placeholder")}
          aria-label={t("friend.name")}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          data-testid="friend"
          onInput={({ currentTarget: { value } }) => setName(value)}
        />
        <button type="submit" disabled={!name.trim()}>
          {t("friend.challenge")}
        </button>
      </form>
      <p class="soft" role="status">
        {trouble && t(trouble)}
      </p>
    </section>
  );
}

/** The player, or why there is none. */
async function playerOf(text: string): Promise<{ readonly pubkey: string } | TextKey> {
  const key = pubkeyOf(text);
  if (key) return { pubkey: key };
  const name = nameIn(text);
  if (!name) return "friend.unreadable";
  try {
    const found = await lookUp(name);
    return found ? { pubkey: found } : "friend.unknown";
  } catch {
    return "friend.unreachable";
  }
}
