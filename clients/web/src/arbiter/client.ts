/** The client that views call: sessions decide, this signs, sends and hears. */

import { bytesToHex } from "@noble/hashes/utils.js";
import { generateSecretKey } from "nostr-tools/pure";

import type { KeyValues } from "../identity/identity.ts";
import { localSigner } from "../identity/local.ts";
import type { Signer } from "../identity/signer.ts";
import { isHex, type EventTemplate, type NostrEvent } from "../net/event.ts";
import { mined } from "../net/mining.ts";
import { observe, offsetOf, UNKNOWN, type OffsetBounds } from "../net/offset.ts";
import type { Surroundings } from "../net/relay.ts";
import { Relays } from "../net/relays.ts";
import { parseError, parseNote, parseRating, parseResponse, parseState } from "./answers.ts";
import { Chat } from "./chat.ts";
import { turnOf } from "./chess.ts";
import * as events from "./events.ts";
import {
  newSession, stepGame, type GameEffect, type GameInput, type GameSession,
} from "./game_session.ts";
import {
  newLobby, stepLobby, type Ask, type LobbyEffect, type LobbyInput, type LobbySession,
} from "./lobby_session.ts";
import type {
  ArbiterClient, ArbiterInfo, ClientState, GameId, GameState, NoticeText, Pubkey, Terms,
} from "./model.ts";
import { parseLine, parseProfile } from "./profiles.ts";
import { Storage, type Unanswered } from "./storage.ts";
import { isWanted, PLAY, playFilters, WATCH, watchFilters, WHO, whoFilters } from "./subscriptions.ts";

export interface ClientParts {
  readonly info: ArbiterInfo;
  readonly signer: Signer;
  readonly around: Omit<Surroundings, "authenticate">;
  readonly kept: KeyValues;
  /** What discovery has measured. */
  readonly clock?: OffsetBounds;
  readonly onClose?: () => void;
}

const TICK_MS = 500;
const RESUME_MS = 3_000;
const GATHER_MS = 30;
const MOST_ASKED = 8;
/** Of a live game, its first two moves apart: see PROTOCOL.md, Clocks. */
const LAG_MS = 1_000;

export class Client implements ArbiterClient {
  readonly #info: ArbiterInfo;
  readonly #signer: Signer;
  readonly #around: Omit<Surroundings, "authenticate">;
  readonly #relays: Relays;
  readonly #storage: Storage;
  readonly #chat: Chat;
  /** Signs questions that anybody may ask, so that nobody is prompted for them. */
  readonly #anybody: Signer = localSigner(generateSecretKey());
  readonly #changed = new Set<() => void>();
  readonly #sessions = new Map<GameId, GameSession>();
  readonly #watched = new Map<GameId, number>();
  readonly #wondered: Pubkey[] = [];
  readonly #ratedAt = new Map<string, number>();
  readonly #unanswered: Map<GameId, Unanswered>;
  readonly #askedMs = new Map<string, number>();
  #lobby: LobbySession;
  #clock: OffsetBounds;
  #state: ClientState;
  #held: (() => void)[] = [];
  /** Some relay has sent what it stored: answers that come now are new. */
  #isReady = false;
  #resumedMs = 0;
  #notices = 0;
  readonly #onClose: () => void;
  #cancelTick: () => void = () => {};
  #cancelGather: (() => void) | null = null;

  constructor({ info, signer, around, kept, clock, onClose }: ClientParts) {
    this.#onClose = onClose ?? (() => {});
    this.#info = info;
    this.#signer = signer;
    this.#around = around;
    this.#clock = clock ?? UNKNOWN;
    this.#storage = new Storage(kept, info.pubkey, signer.pubkey);
    const { waiting, challenges, unanswered } = this.#storage.read();
    this.#lobby = newLobby({ waiting, challenges });
    this.#unanswered = new Map(unanswered);
    this.#chat = new Chat(info.pubkey, signer);
    this.#state = {
      arbiter: info, me: signer.pubkey, relays: [], clockOffsetMs: offsetOf(this.#clock),
      playing: null, games: new Map(), waiting, challenges, profiles: new Map(),
      ratings: new Map(), notices: [],
    };
    this.#relays = new Relays(
      { ...around, authenticate: (template) => signer.sign(template) },
      {
        wants: (event) => isWanted(event, {
          arbiter: info.pubkey,
          me: signer.pubkey,
          knows: (game) => this.#sessions.has(game),
          wonders: (player) => this.#wondered.includes(player),
        }),
        event: (event, stored) => this.#heard(event, stored),
        caughtUp: (subscription) => this.#caughtUp(subscription),
        refused: (id, text) => this.#refusedByAll(id, text),
        connected: () => {},
        changed: () => this.#relaysChanged(),
      },
    );
    this.#relays.subscribe(PLAY, playFilters(info.pubkey, signer.pubkey));
    this.#relays.use(info.relays);
    this.wonder(signer.pubkey);
    this.#tick();
  }

  state(): ClientState {
    return this.#state;
  }

  subscribe(changed: () => void): () => void {
    this.#changed.add(changed);
    return () => this.#changed.delete(changed);
  }

  play(terms: Terms): void {
    this.#ask({ kind: "pool", terms });
  }

  challenge(opponent: Pubkey, terms: Terms): void {
    this.#ask({ kind: "challenge", opponent, terms });
  }

  openChallenge(terms: Terms): void {
    this.#ask({ kind: "open", terms, linkSecret: bytesToHex(generateSecretKey()) });
  }

  accept(challenge: string): void {
    this.#ask({ kind: "accept", challenge });
  }

  decline(challenge: string, reason: string): void {
    this.#ask({ kind: "decline", challenge, reason });
  }

  cancel(): void {
    this.#ask({ kind: "cancel" });
  }

  move(game: GameId, uci: string): void {
    this.#stepGame(game, { type: "move", uci });
  }

  clearPremoves(game: GameId): void {
    this.#stepGame(game, { type: "clear-premoves" });
  }

  word(game: GameId, content: string): void {
    this.#stepGame(game, { type: "word", content });
  }

  say(game: GameId, text: string, room: "players" | "spectators"): void {
    const session = this.#sessions.get(game);
    if (session) void this.#say(session, text, room);
  }

  watch(game: GameId): () => void {
    if (!isHex(game, 32)) return () => {};
    this.#watched.set(game, (this.#watched.get(game) ?? 0) + 1);
    this.#session(game);
    this.#gather();
    return () => {
      const left = (this.#watched.get(game) ?? 1) - 1;
      if (left > 0) this.#watched.set(game, left);
      else this.#watched.delete(game);
      this.#gather();
    };
  }

  wonder(player: Pubkey): void {
    if (!isHex(player, 64) || this.#wondered.includes(player)) return;
    this.#wondered.push(player);
    this.#gather();
  }

  dismiss(notice: number): void {
    this.#change({ notices: this.#state.notices.filter(({ id }) => id !== notice) });
  }

  /** The network is back, or this machine slept: connect now, and look at what happened meanwhile. */
  wake(): void {
    this.#relays.wake();
    this.#resume();
  }

  close(): void {
    this.#onClose();
    this.#cancelTick();
    this.#cancelGather?.();
    this.#relays.close();
    this.#changed.clear();
  }

  #change(change: Partial<ClientState>): void {
    this.#state = { ...this.#state, ...change };
    for (const changed of this.#changed) changed();
  }

  #tell(text: NoticeText, values: Readonly<Record<string, string>>, tone: "plain" | "good" | "bad"): void {
    const notice = { id: (this.#notices += 1), text, values, tone };
    this.#change({ notices: [...this.#state.notices, notice].slice(-5) });
  }

  #arbiterNowMs(): number {
    return this.#around.nowMs() + offsetOf(this.#clock);
  }

  #now(): number {
    return Math.floor(this.#arbiterNowMs() / 1000);
  }

  // ------------------------------------------------------------------------- games

  #session(game: GameId): GameSession {
    const known = this.#sessions.get(game);
    if (known) return known;
    const session = newSession(game, this.#signer.pubkey, this.#around.nowMs());
    this.#sessions.set(game, session);
    this.#showGames();
    return session;
  }

  #showGames(): void {
    const games = new Map([...this.#sessions].map(([game, { view }]) => [game, view]));
    this.#change({ games });
  }

  #stepGame(game: GameId, input: GameInput): void {
    const before = this.#sessions.get(game);
    if (!before) return;
    const [session, effects] = stepGame(before, input, this.#around.nowMs());
    this.#sessions.set(game, session);
    if (session.sent !== before.sent) this.#keep();
    if (session.view !== before.view) this.#showGames();
    for (const effect of effects) this.#runGame(session, effect);
  }

  #runGame({ view }: GameSession, effect: GameEffect): void {
    if (effect.type === "ask") {
      void this.#question(view.game);
    } else if (view.confirmed) {
      const { key, content, answers } = effect;
      const draft = events.wordEvent(this.#info.pubkey, view.confirmed, content, answers, this.#now());
      void this.#signed(draft).then((event) => {
        // Before it is sent: the answer may come before this goes on.
        if (event) this.#stepGame(view.game, { type: "signed", key, eventId: event.id });
        if (event) this.#publish(event);
        else this.#stepGame(view.game, { type: "unsigned", key });
      });
    }
  }

  async #question(game: GameId): Promise<void> {
    const event = await this.#anybody.sign(events.stateQuestion(this.#info.pubkey, game, this.#now()));
    this.#publish(event);
  }

  async #signed(template: EventTemplate): Promise<NostrEvent | null> {
    try {
      return await this.#signer.sign(template);
    } catch {
      return null;
    }
  }

  #publish(event: NostrEvent): void {
    this.#askedMs.set(event.id, this.#around.nowMs());
    if (this.#askedMs.size > 64) this.#askedMs.delete(this.#askedMs.keys().next().value ?? "");
    this.#relays.publish(event);
  }

  async #say(session: GameSession, text: string, room: "players" | "spectators"): Promise<void> {
    const { view } = session;
    const said = await this.#chat.write(view, text, room, this.#around.nowMs(), this.#now());
    if (typeof said === "string") {
      this.#tell(said, {}, "bad");
    } else if (said) {
      this.#publish(said.event);
      this.#stepGame(view.game, { type: "line", line: said.line });
    }
  }

  // ------------------------------------------------------------------------- lobby

  #ask(ask: Ask): void {
    this.#stepLobby({ type: "ask", ask });
  }

  #stepLobby(input: LobbyInput): void {
    const before = this.#lobby;
    const [lobby, effects] = stepLobby(before, input, this.#around.nowMs());
    this.#lobby = lobby;
    const { waiting, challenges, playing } = lobby;
    if (waiting !== before.waiting || challenges !== before.challenges) this.#keep();
    if (lobby !== before) this.#change({ waiting, challenges, playing });
    for (const effect of effects) this.#runLobby(effect);
  }

  #runLobby(effect: LobbyEffect): void {
    switch (effect.type) {
      case "request":
        // "Subscribe first … and wait for EOSE before you send a request."
        if (this.#isReady) void this.#request(effect);
        else this.#held.push(() => void this.#request(effect));
        return;
      case "started":
        this.#session(effect.game);
        this.wonder(effect.opponent);
        this.#gather();
        return;
      case "clock": {
        const askedMs = this.#askedMs.get(effect.request) ?? this.#around.nowMs();
        const now = this.#around.nowMs();
        const atMs = offsetOf(this.#clock) + effect.aheadMs;
        this.#clock = { low: atMs - 1_500, high: atMs + 1_500 + now - askedMs, atMs: now };
        this.#change({ clockOffsetMs: offsetOf(this.#clock) });
        return;
      }
      case "notice":
        this.#tell(effect.text, effect.values, effect.tone);
    }
  }

  async #request({ key, ask, bits }: Extract<LobbyEffect, { type: "request" }>): Promise<void> {
    const template = requestFor(ask, this.#info.pubkey, this.#signer.pubkey, this.#now());
    const draft = template && (await mined(template, this.#signer.pubkey, bits, this.#around.nowMs));
    const event = draft && (await this.#signed(draft));
    if (!event) {
      this.#stepLobby({ type: "unsigned", key });
      return;
    }
    this.#stepLobby({ type: "signed", key, eventId: event.id });
    this.#publish(event);
  }

  #keep(): void {
    this.#storage.write(this.#lobby, this.#sessions.values());
  }

  // ------------------------------------------------------------------------- hearing

  #heard(event: NostrEvent, stored: boolean): void {
    const { pubkey } = this.#info;
    switch (event.kind) {
      case events.STATE: {
        const state = parseState(event, pubkey);
        if (state) this.#onState(state);
        return;
      }
      case events.RESPONSE: {
        const response = parseResponse(event, pubkey, this.#signer.pubkey);
        if (!response) return;
        this.#dated(event, this.#askedMs.get(response.request ?? "") ?? null);
        this.#stepLobby({ type: "response", response, stored });
        return;
      }
      case events.ERROR: {
        const error = parseError(event, pubkey);
        if (!error) return;
        this.#dated(event, this.#askedMs.get(error.event) ?? null);
        const games = error.game ? [error.game] : [...this.#sessions.keys()];
        for (const game of games) this.#stepGame(game, { type: "error", error });
        return;
      }
      case events.NOTE: {
        const note = parseNote(event, pubkey);
        if (note) this.#stepGame(note.game, { type: "note", note });
        return;
      }
      default:
        this.#heardOfPlayers(event);
    }
  }

  #heardOfPlayers(event: NostrEvent): void {
    const rating = parseRating(event, this.#info.pubkey);
    const profile = parseProfile(event);
    const line = parseLine(event, this.#info.pubkey);
    if (rating) {
      const name = `${rating.rating.speed}:${rating.player}`;
      if (rating.at < (this.#ratedAt.get(name) ?? 0)) return;
      this.#ratedAt.set(name, rating.at);
      const others = (this.#state.ratings.get(rating.player) ?? []).filter(
        ({ speed }) => speed !== rating.rating.speed,
      );
      const ratings = new Map(this.#state.ratings).set(rating.player, [...others, rating.rating]);
      this.#change({ ratings });
    } else if (profile) {
      const name = `profile:${profile.pubkey}`;
      if (event.created_at < (this.#ratedAt.get(name) ?? 0)) return;
      this.#ratedAt.set(name, event.created_at);
      this.#change({ profiles: new Map(this.#state.profiles).set(profile.pubkey, profile) });
    } else if (line) {
      const view = this.#sessions.get(line.game)?.view;
      if (!view) return;
      void this.#chat.read(view, line, this.#around.nowMs()).then((read) => {
        if (read) this.#stepGame(line.game, { type: "line", line: read });
      });
    }
  }

  #onState(state: GameState): void {
    const me = this.#signer.pubkey;
    const isMine = state.white === me || state.black === me;
    if (!isMine && !this.#sessions.has(state.game)) return;
    this.#dateState(state);
    const before = this.#session(state.game).view.confirmed;
    this.#stepGame(state.game, { type: "state", state });
    if (before !== null || !isMine) return;
    this.wonder(state.white);
    this.wonder(state.black);
    if (state.result !== null) return;
    const other = this.#sessions.get(this.#lobby.playing ?? "")?.view.confirmed;
    if (!other || other.result !== null || other.createdAt < state.createdAt) {
      this.#stepLobby({ type: "playing", game: state.game });
    }
    this.#gather();
    // Made before the page was loaded again, and perhaps never sent.
    const said = this.#unanswered.get(state.game);
    this.#unanswered.delete(state.game);
    if (said?.fen !== state.fen) return;
    if (said.content === "resign") this.word(state.game, said.content);
    else this.move(state.game, said.content);
  }

  /** The arbiter's clock, by the date of an event and the request that it answers. */
  #dated({ created_at }: { readonly created_at: number }, askedMs: number | null): void {
    this.#observed({ fromMs: created_at * 1000, toMs: created_at * 1000 + 1000 }, askedMs);
  }

  #observed(date: { readonly fromMs: number; readonly toMs: number }, askedMs: number | null): void {
    const before = offsetOf(this.#clock);
    this.#clock = observe(this.#clock, date, askedMs, this.#around.nowMs());
    const clockOffsetMs = offsetOf(this.#clock);
    if (clockOffsetMs !== before) this.#change({ clockOffsetMs });
  }

  /** To the millisecond, where the deadline says when the present move began. */
  #dateState(state: GameState): void {
    const pending = this.#sessions.get(state.game)?.view.pendingMove;
    const answered = pending !== undefined && pending !== null && state.moves?.at(-1) === pending.content;
    const askedMs = answered ? (this.#askedMs.get(pending.eventId ?? "") ?? null) : null;
    this.#dated({ created_at: state.createdAt }, askedMs);
    if (state.time?.kind !== "live" || !state.clock || !state.deadline || state.ply < 2) return;
    const began = state.deadline - state.clock[turnOf(state.fen)] - LAG_MS;
    // Under another second it is an answer to a question, or the clock was started before.
    if (Math.floor(began / 1000) !== state.createdAt) return;
    this.#observed({ fromMs: began, toMs: began + 10 }, askedMs);
  }

  // ------------------------------------------------------------------------- relays

  #relaysChanged(): void {
    const gateway = this.#info.gateway;
    const relays = this.#relays?.states().map((one) => ({ ...one, gateway: one.url === gateway }));
    if (!relays) return; // while it is made
    if (!this.#relays.isConnected) this.#isReady = false;
    this.#change({ relays });
  }

  #caughtUp(subscription: string): void {
    if (subscription !== PLAY || this.#isReady) return;
    this.#isReady = true;
    const held = this.#held;
    this.#held = [];
    for (const run of held) run();
    this.#resume();
  }

  /** No relay took it: say so at once, rather than after ten seconds. */
  #refusedByAll(id: string, text: string): void {
    const reason = text.split(":")[0] ?? "";
    if (reason === "rate-limited" && this.#lobby.asked.some(({ ids }) => ids.includes(id))) {
      this.#tell("request.rate-limited", { seconds: "10", text: "" }, "bad");
    }
  }

  /** Asks what I play or wait for, and how the games stand that are shown. */
  #resume(): void {
    const now = this.#around.nowMs();
    if (now - this.#resumedMs < RESUME_MS || !this.#isReady) return;
    this.#resumedMs = now;
    this.#ask({ kind: "state" });
    const running = [...this.#sessions.values()].filter(({ view }) => view.confirmed?.result === null);
    for (const { view } of running.slice(-MOST_ASKED)) void this.#question(view.game);
  }

  /** Subscribes to what is watched and wondered about, a moment later: views ask one by one. */
  #gather(): void {
    if (this.#cancelGather) return;
    this.#cancelGather = this.#around.later(() => {
      this.#cancelGather = null;
      const { playing } = this.#lobby;
      const games = [...new Set([...this.#watched.keys(), ...(playing ? [playing] : [])])];
      if (games.length > 0) this.#relays.subscribe(WATCH, watchFilters(this.#info.pubkey, games));
      else this.#relays.unsubscribe(WATCH);
      this.#relays.subscribe(WHO, whoFilters(this.#info.pubkey, this.#wondered));
    }, GATHER_MS);
  }

  #tick(): void {
    const connected = this.#isReady;
    const offsetMs = offsetOf(this.#clock);
    for (const [game, { view }] of this.#sessions) {
      const isShown = view.me !== null || this.#watched.has(game);
      if (isShown && !view.confirmed?.result) this.#stepGame(game, { type: "tick", offsetMs, connected });
    }
    this.#stepLobby({ type: "tick", connected });
    this.#cancelTick = this.#around.later(() => this.#tick(), TICK_MS);
  }
}

function requestFor(ask: Ask, arbiter: Pubkey, me: Pubkey, at: number): EventTemplate | null {
  switch (ask.kind) {
    case "pool":
      return events.playRequest(arbiter, ask.terms, at);
    case "challenge":
      return events.challengeRequest(arbiter, ask.opponent, ask.terms, at);
    case "open":
      return events.openChallengeRequest(arbiter, ask.terms, ask.linkSecret, at);
    case "accept": {
      const link = events.parseChallengeLink(ask.challenge);
      return link && events.acceptRequest(arbiter, link, me, at);
    }
    case "decline":
      return events.declineRequest(arbiter, ask.challenge, ask.reason, at);
    case "cancel":
      return events.cancelRequest(arbiter, at);
    case "state":
      return events.statusRequest(arbiter, at);
  }
}
