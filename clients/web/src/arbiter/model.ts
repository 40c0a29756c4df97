/** The client's knowledge, as values. PROTOCOL.md has the meaning of each field on the wire. */

import type { Signer } from "../identity/signer.ts";
import type { EventTemplate, NostrEvent } from "../net/event.ts";
import type { Filter } from "../net/relay.ts";

export type Color = "white" | "black";

/** 64 hex digits. */
export type Pubkey = string;

/** 32 hex digits. */
export type GameId = string;

/** Seconds for live games, days for correspondence; `null` is unlimited. */
export type TimeControl =
  | { readonly kind: "live"; readonly base: number; readonly increment: number }
  | { readonly kind: "days"; readonly days: number }
  | null;

export type OfferKind = "draw" | "takeback" | "rematch" | "abort";

/** A kind 20302 event whose signature is verified and whose author is the arbiter. */
export interface GameState {
  readonly eventId: string;
  readonly createdAt: number;
  readonly game: GameId;
  readonly white: Pubkey;
  readonly black: Pubkey;
  readonly version: number;
  readonly ply: number;
  readonly fen: string;
  /** In UCI; `null` beyond 2,000 plies, where the arbiter leaves them out. */
  readonly moves: readonly string[] | null;
  readonly time: TimeControl;
  /** Milliseconds left when the present move began. */
  readonly clock: { readonly white: number; readonly black: number } | null;
  /** Unix milliseconds by the arbiter's clock. */
  readonly deadline: number | null;
  readonly rated: boolean;
  readonly variant: "standard" | "chess960";
  /** The first position; `null` for the usual one. */
  readonly start: string | null;
  /** Players without a Nostr key, addressed through the arbiter. */
  readonly placeholders: readonly Pubkey[];
  readonly offer: { readonly kind: OfferKind; readonly by: Color } | null;
  /** Since when (unix seconds) a player is away from the arbiter's own relay. */
  readonly away: Readonly<Record<Color, number | null>>;
  /** Until when (unix seconds) a player is on vacation, and their clock rests. */
  readonly vacation: Readonly<Record<Color, number | null>>;
  readonly result: "1-0" | "0-1" | "1/2-1/2" | "*" | null;
  readonly termination: string | null;
  readonly rematch: GameId | null;
  /** The id of the tournament that it belongs to, and its place there: `3.5`, round and board. */
  readonly tournament: string | null;
  readonly round: string;
}

/** The reason's first word, such as `illegal-move`, and the arbiter's text. */
export interface Refusal {
  readonly reason: string;
  readonly text: string;
}

/** A move or word that no state and no error has answered yet. */
export interface PendingWord {
  readonly content: string;
  /** `null` until the signer has signed it. */
  readonly eventId: string | null;
  /** The id of the state that it answers; `null` while it waits for my own move to be confirmed. */
  readonly answers: string | null;
  /** 0 until it is signed. */
  readonly signedAtMs: number;
  /** The number of times it was signed. */
  readonly times: number;
}

export interface ChatLine {
  readonly id: string;
  readonly from: Pubkey;
  /** Cut to 140 characters, without control and bidirectional characters. */
  readonly text: string;
  readonly atMs: number;
  readonly room: "players" | "spectators";
}

/** The kind 64 note of a finished game. */
export interface GameNote {
  readonly eventId: string;
  readonly pgn: string;
  readonly ratings: {
    readonly white: { readonly before: number; readonly after: number } | null;
    readonly black: { readonly before: number; readonly after: number } | null;
  };
}

/** One game as this browser sees it. */
export interface GameView {
  readonly game: GameId;
  /** `null` for a spectator, and until the first state. */
  readonly me: Color | null;
  /** The highest version that the arbiter has signed. */
  readonly confirmed: GameState | null;
  /** My move that is drawn and not confirmed yet. */
  readonly pendingMove: PendingWord | null;
  readonly pendingWords: readonly PendingWord[];
  /** In UCI, in the order in which they will be played. */
  readonly premoves: readonly string[];
  /** The last refusal of a word of mine; cleared by the next state. */
  readonly refused: Refusal | null;
  readonly chat: readonly ChatLine[];
  readonly note: GameNote | null;
  /** Strikes of mine that the arbiter has counted: `(1 of 3)`. */
  readonly strikes: { readonly count: number; readonly of: number } | null;
}

export interface Terms {
  readonly time: TimeControl;
  readonly rated: boolean;
  readonly variant: "standard" | "chess960";
  readonly color: Color | "random";
  readonly rating: { readonly from: number; readonly to: number } | null;
  readonly start: string | null;
  readonly bots: boolean;
}

/** A challenge that somebody sent to this player. */
export interface IncomingChallenge {
  readonly id: string;
  readonly challenger: Pubkey;
  readonly terms: Terms;
  readonly expiresAt: number;
}

/** A request that this player waits for. */
export interface Waiting {
  readonly kind: "pool" | "challenge" | "open";
  /** Empty until the request is signed. */
  readonly requestId: string;
  /** `null` for a request that another browser made. */
  readonly terms: Terms | null;
  readonly opponent: Pubkey | null;
  readonly sinceMs: number;
  /** `queued` was heard. */
  readonly confirmed: boolean;
  /** The opponent of a game did not come, and the player looks for another without having asked. */
  readonly isBack: boolean;
  /** A program of the house is challenged, and has not been silent for long. */
  readonly house: boolean;
  /** The place in the line for it, from 1, while all of its level play. */
  readonly place: number | null;
  /** For an open challenge: what a friend needs, `<challenge>-<secret>`. */
  readonly secretLink: string | null;
}

export interface Profile {
  readonly pubkey: Pubkey;
  /** From kind 0, as text: cut and cleaned of control and bidirectional characters. */
  readonly name: string | null;
  readonly picture: string | null;
  readonly nip05: string | null;
  readonly bot: boolean;
}

export interface Rating {
  readonly speed: string;
  readonly value: number;
  readonly deviation: number;
  readonly games: number;
  readonly provisional: boolean;
}

export interface RelayStatus {
  readonly url: string;
  readonly status: "connecting" | "connected" | "waiting" | "refused";
  /** The gateway is the arbiter's own relay. */
  readonly gateway: boolean;
  /** Milliseconds from REQ or EVENT to EOSE or OK, the last seen. */
  readonly roundTripMs: number | null;
}

/** The result of a request; the arbiter's own words, if any, are in `values.text`. */
export type NoticeText =
  | "challenge.declined" // values.reason: later, tooFast, tooSlow, timeControl, rated, casual, variant, noBot, generic
  | "house.busy" // the programs of that level play
  | "house.silent" // none of that level has answered, and one may still
  | "request.unanswered"
  | "request.unsigned" // the extension or bunker refused, or did not answer
  | "request.stale"
  | "request.rate-limited" // values.seconds, or "" where the arbiter names none
  | "request.bad-terms"
  | "request.unknown-challenge"
  | "request.playing"
  | "request.pow" // too much work is asked for: values.bits
  | "request.working" // values.bits: this browser works for its admission
  | "request.refused" // any other reason
  | "chat.unsent"
  | "chat.too-fast"
  | "history.differs"; // values.game: the arbiter signed two histories of it

/** Something to tell the player once. */
export interface Notice {
  readonly id: number;
  readonly text: NoticeText;
  readonly values: Readonly<Record<string, string>>;
  readonly tone: "plain" | "good" | "bad";
}

/** A program that the arbiter names as an opponent; several may have one level, 1 to 8. */
export interface HousePlayer {
  readonly pubkey: Pubkey;
  readonly level: number;
}

export interface ArbiterInfo {
  readonly pubkey: Pubkey;
  readonly name: string;
  readonly relays: readonly string[];
  readonly gateway: string | null;
  /** Base of the HTTP API, without a slash at the end; `null` where only relays are known. */
  readonly http: string | null;
  readonly house: readonly HousePlayer[];
}

/** Everything that views draw. Each change makes a new value. */
export interface ClientState {
  readonly arbiter: ArbiterInfo | null;
  readonly me: Pubkey | null;
  readonly relays: readonly RelayStatus[];
  /** The arbiter's clock minus this machine's, in milliseconds, as measured. */
  readonly clockOffsetMs: number;
  /** My game under way, or my last one until I ask for another. */
  readonly playing: GameId | null;
  /** It went on when this page asked: nothing has begun just now. */
  readonly isResumed: boolean;
  readonly games: ReadonlyMap<GameId, GameView>;
  readonly waiting: readonly Waiting[];
  readonly challenges: readonly IncomingChallenge[];
  readonly profiles: ReadonlyMap<Pubkey, Profile>;
  readonly ratings: ReadonlyMap<Pubkey, readonly Rating[]>;
  readonly notices: readonly Notice[];
}

export interface Follower {
  heard(event: NostrEvent): void;
  untaken(id: string, refusal: Refusal): void;
}

/** The interface of views. Each method returns at once; its result is seen in the state. */
export interface ArbiterClient {
  readonly signer: Signer;
  state(): ClientState;
  /** Calls back after each change; returns the end of it. */
  subscribe(changed: () => void): () => void;

  play(terms: Terms): void;
  challenge(opponent: Pubkey, terms: Terms): void;
  /** Challenges the house players of this level. */
  playHouse(level: number, terms: Terms): void;
  /** An open challenge; its secret link appears in `waiting`. */
  openChallenge(terms: Terms): void;
  /** `<challenge>` or `<challenge>-<secret>`. */
  accept(challenge: string): void;
  decline(challenge: string, reason: string): void;
  /** Takes back every request, challenge and offer of a rematch. */
  cancel(): void;

  /** A move in UCI: sent now if it is my turn, otherwise kept as the next premove. */
  move(game: GameId, uci: string): void;
  clearPremoves(game: GameId): void;
  /** `draw`, `resign`, `abort`, `takeback`, `claim`, `claim-left`, `rematch`, `flag` and their `-decline`. */
  word(game: GameId, content: string): void;
  say(game: GameId, text: string, room: "players" | "spectators"): void;
  /** Spectates until the returned function is called. */
  watch(game: GameId): () => void;
  /** Asks for kind 0 and ratings of a player, once. */
  wonder(player: Pubkey): void;
  dismiss(notice: number): void;
  /**
   * For parts that are loaded later: what the arbiter signs for these filters, if any, and its answers to me, at once the
   * last list of whom I block; the id of an event of mine that no relay took. Until the returned function is called.
   */
  follow(id: string, filters: readonly Filter[], follower: Follower): () => void;
  /** Signs and sends it, dated by the arbiter's clock, with so many bits of work. Its id; `null` if the signer refuses. */
  command(template: Omit<EventTemplate, "created_at">, bits: number): Promise<string | null>;
  /** Shows this name, and publishes the content of the player's profile with the name in it; `null`: it stays here. */
  rename(name: string, inProfile: ((profile: string) => string) | null): void;
}
