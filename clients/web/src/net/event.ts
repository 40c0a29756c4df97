/** Nostr events (NIP-01): their shape, and who signed them. */

import { verifyEvent } from "nostr-tools/pure";

export type Tag = readonly string[];

export interface EventTemplate {
  readonly kind: number;
  readonly created_at: number;
  readonly tags: readonly Tag[];
  readonly content: string;
}

export interface NostrEvent extends EventTemplate {
  readonly id: string;
  readonly pubkey: string;
  readonly sig: string;
}

const MAX_TAGS = 2_100; // A state names 2,000 moves in one tag; a PGN is content.
const MAX_CONTENT_CHARS = 131_072;
const MAX_KIND = 65_535;

export function isHex(value: string, digits: number): boolean;
export function isHex(value: unknown, digits: number): value is string;
export function isHex(value: unknown, digits: number): boolean {
  return typeof value === "string" && value.length === digits && /^[0-9a-f]*$/.test(value);
}

/** A copy with the fields of an event alone; `null` unless it has the shape of one. */
export function shaped(value: unknown): NostrEvent | null {
  if (typeof value !== "object" || value === null) return null;
  const { id, pubkey, sig, kind, created_at, tags, content } = value as Record<string, unknown>;
  if (!isHex(id, 64) || !isHex(pubkey, 64) || !isHex(sig, 128)) return null;
  if (!isCount(kind, MAX_KIND) || !isCount(created_at, Number.MAX_SAFE_INTEGER)) return null;
  if (typeof content !== "string" || content.length > MAX_CONTENT_CHARS) return null;
  if (!Array.isArray(tags) || tags.length > MAX_TAGS || !tags.every(isTag)) return null;
  return { id, pubkey, sig, kind, created_at, tags, content };
}

/** Whether the id is the hash of the event and the signature that of its author. */
export function isSigned(event: NostrEvent): boolean {
  try {
    // A copy, for verifyEvent keeps its answer in the event.
    return verifyEvent({ ...event, tags: event.tags.map((tag) => [...tag]) });
  } catch {
    return false;
  }
}

/** The first value of the first tag of this name. */
export function valueOf(event: EventTemplate, name: string): string | undefined {
  return event.tags.find((tag) => tag[0] === name)?.[1];
}

/** The first values of all tags of this name. */
export function valuesOf(event: EventTemplate, name: string): string[] {
  return event.tags.flatMap((tag) => (tag[0] === name && tag[1] !== undefined ? [tag[1]] : []));
}

function isCount(value: unknown, most: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;
}

function isTag(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
