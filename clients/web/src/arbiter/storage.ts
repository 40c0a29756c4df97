/**
 * The part of a player's play that outlives the page: requests, challenges, words without an answer.
 * A broken or foreign value is as good as none.
 */

import type { KeyValues } from "../identity/identity.ts";
import { isHex } from "../net/event.ts";
import type { OwnWaiting } from "./lobby_session.ts";
import type { GameId, IncomingChallenge, Pubkey } from "./model.ts";

/** A move, or a resignation, that was made in this position. */
export interface Unanswered {
  readonly content: string;
  readonly fen: string;
}

export interface Kept {
  readonly waiting: readonly OwnWaiting[];
  readonly challenges: readonly IncomingChallenge[];
  readonly unanswered: ReadonlyMap<GameId, Unanswered>;
}

const NOTHING: Kept = { waiting: [], challenges: [], unanswered: new Map() };

export class Storage {
  readonly #values: KeyValues;
  readonly #name: string;
  #written = "";

  constructor(values: KeyValues, arbiter: Pubkey, me: Pubkey) {
    this.#values = values;
    this.#name = `arbiter.play.${arbiter.slice(0, 16)}.${me.slice(0, 16)}`;
  }

  read(): Kept {
    try {
      return keptOf(JSON.parse(this.#values.getItem(this.#name) ?? "null"));
    } catch {
      return NOTHING;
    }
  }

  /** Writes what changed since the last time; does nothing where storage is full or forbidden. */
  write(kept: Omit<Kept, "unanswered"> & { readonly unanswered: Iterable<readonly [GameId, Unanswered]> }): void {
    const text = JSON.stringify({ ...kept, unanswered: [...kept.unanswered] });
    if (text === this.#written) return;
    this.#written = text;
    try {
      this.#values.setItem(this.#name, text);
    } catch {
      // The game goes on without.
    }
  }
}

function keptOf(value: unknown): Kept {
  if (typeof value !== "object" || value === null) return NOTHING;
  const { waiting, challenges, unanswered } = value as Record<string, unknown>;
  return {
    waiting: list(waiting).filter(isWaiting).map((one) => ({ ...withHouse(one), isBack: one.isBack === true })),
    challenges: list(challenges).filter(isChallenge),
    unanswered: new Map(list(unanswered).filter(isUnanswered)),
  };
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, 50) : [];
}

function isWaiting(value: unknown): value is OwnWaiting {
  const { kind, requestId, terms, isBack } = (value ?? {}) as Record<string, unknown>;
  return ["pool", "challenge", "open"].includes(kind as string) && (isHex(requestId, 64) || isBack === true) && isTerms(terms);
}

function withHouse(one: OwnWaiting): OwnWaiting {
  const { house, place }: { readonly house: unknown; readonly place: unknown } = one;
  return { ...one, house: house === true, place: typeof place === "number" ? place : null };
}

function isChallenge(value: unknown): value is IncomingChallenge {
  const { id, challenger, expiresAt, terms } = (value ?? {}) as Record<string, unknown>;
  return isHex(id, 32) && isHex(challenger, 64) && typeof expiresAt === "number" && isTerms(terms);
}

function isTerms(value: unknown): boolean {
  return value === null || (typeof value === "object" && "time" in value && "color" in value);
}

function isUnanswered(value: unknown): value is [GameId, Unanswered] {
  if (!Array.isArray(value)) return false;
  const [game, said] = value as [unknown, Record<string, unknown> | undefined];
  return isHex(game, 32) && typeof said?.["content"] === "string" && typeof said["fen"] === "string";
}
