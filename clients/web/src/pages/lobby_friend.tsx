/** A game with a friend: by a link, or by their name. */

import { useState } from "preact/hooks";
import type { JSX } from "preact";
import { pubkeyOf } from "../net/discovery.ts";
import { usePreferences, type PageProps } from "../shared/hooks.ts";
import { termsOf } from "../terms.ts";
import { t, type TextKey } from "../texts/index.ts";
import { TermsLine } from "./lobby_house.tsx";

export function Friend({ client, state }: PageProps): JSX.Element {
  const { custom } = usePreferences();
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
    setName((now) => (now === name ? "" : now)); // more may have been typed meanwhile
    client.challenge(found.pubkey, terms);
    scrollTo(0, 0);
  };

  return (
    <section class="card friend" aria-labelledby="friend-title">
      <h2 id="friend-title">{t("friend.title")}</h2>
      <TermsLine terms={terms} mayBeRated />
      {!hasLink && (
        <button
          type="button" class="wide" data-testid="challenge-link"
          onClick={() => (client.openChallenge(linkTerms), scrollTo(0, 0))}
        >
          {t("friend.link")}
        </button>
      )}
      <form class="joined" onSubmit={(event) => (event.preventDefault(), void challenge())}>
        <input
          type="text" value={name} placeholder={t("friend.placeholder")} aria-label={t("friend.name")}
          autocomplete="off" autocapitalize="off" spellcheck={false} data-testid="friend"
          onInput={({ currentTarget: { value } }) => setName(value)}
        />
        <button type="submit" disabled={!name.trim()}>{t("friend.challenge")}</button>
      </form>
      <p class="soft" role="status">{trouble && t(trouble)}</p>
    </section>
  );
}

/** The player, or why there is none. */
async function playerOf(text: string): Promise<{ readonly pubkey: string } | TextKey> {
  const key = pubkeyOf(text);
  if (key) return { pubkey: key };
  try {
    const { lookUp, nameIn } = await import("../friend.ts");
    const name = nameIn(text);
    if (!name) return "friend.unreadable";
    const found = await lookUp(name);
    return found ? { pubkey: found } : "friend.unknown";
  } catch {
    return "friend.unreachable";
  }
}
