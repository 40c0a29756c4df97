/** The signer of this player: a key in this browser, an extension (NIP-07) or a bunker (NIP-46). */

import { isSigned, shaped, type EventTemplate, type NostrEvent } from "../net/event.ts";

export interface Signer {
  readonly kind: "local" | "extension" | "bunker";
  readonly pubkey: string;
  /** Rejects if the person or the program that holds the key refuses. */
  sign(template: EventTemplate): Promise<NostrEvent>;
  /** NIP-44. */
  encrypt(to: string, text: string): Promise<string>;
  decrypt(from: string, cipher: string): Promise<string>;
  close(): void;
}

/** The signer refused, or returned another event than it was given; `code` is a key for texts. */
export class SignerError extends Error {
  readonly code: "refused" | "unanswered" | "wrong-event" | "no-nip44" | "no-extension"
    | "bad-key" | "bad-password" | "public-key" | "other-key";

  constructor(code: SignerError["code"]) {
    super(code);
    this.code = code;
  }
}

/** The event that a foreign program signed, if it is what was asked for. */
export function checked(value: unknown, template: EventTemplate, pubkey: string): NostrEvent {
  const event = shaped(value);
  const same =
    event !== null &&
    event.pubkey === pubkey &&
    event.kind === template.kind &&
    event.created_at === template.created_at &&
    event.content === template.content &&
    JSON.stringify(event.tags) === JSON.stringify(template.tags);
  if (!same || !isSigned(event)) throw new SignerError("wrong-event");
  return event;
}

/** The promise's value; rejects as unanswered after so long, or when the player waits no longer. */
export function within<T>(ms: number, promise: Promise<T>, abort?: AbortSignal): Promise<T> {
  let timer: ReturnType<typeof setTimeout>;
  const late = new Promise<never>((_, reject) => {
    const end = (): void => reject(new SignerError("unanswered"));
    timer = setTimeout(end, ms);
    abort?.addEventListener("abort", end);
    if (abort?.aborted) end();
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
