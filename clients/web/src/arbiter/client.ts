/** The client that views call: sessions decide, this signs, sends and hears. */

import { bytesToHex } from "@noble/hashes/utils.js";
import { generateSecretKey } from "nostr-tools/pure";

import type { KeyValues } from "../identity/identity.ts";
import type { Signer } from "../identity/signer.ts";
import { isHex, valueOf, type EventTemplate, type NostrEvent } from "../net/event.ts";
import { UNKNOWN, type OffsetBounds } from "../net/offset.ts";
import type { Filter, Surroundings } from "../net/relay.ts";
import { Relays, type StoredList } from "../net/relays.ts";
import { parseResponse, type Response } from "./answers.ts";
import { ArbiterClock } from "./arbiter_clock.ts";
import { Directory } from "./directory.ts";
import { MOVE, NOTE, RESPONSE, STATE } from "./events.ts";
import { Games } from "./games.ts";
import { Lobby } from "./lobby.ts";
import { isLive } from "./mine.ts";
import type { ArbiterClient, ArbiterInfo, ClientState, Follower, GameId, GameState, NoticeText, Pubkey, Terms } from "./model.ts";
import { Outbox } from "./outbox.ts";
import { Storage } from "./storage.ts";
import { isWanted, MOVES, movesFilters, PLAY, playFilters, WATCH, watchFilters, WHO, whoFilters } from "./subscriptions.ts";

export interface ClientParts {
  readonly info: ArbiterInfo;
  readonly signer: Signer;
  readonly around: Omit<Surroundings, "authenticate">;
  readonly fetched: typeof fetch;
  readonly kept: KeyValues;
  /** The clock as discovery measured it. */
  readonly clock?: OffsetBounds;
  /** What the player is called where their profile has no name. */
  readonly name?: () => string | null;
  readonly onClose?: () => void;
}

const TICK_MS = 500;
const RESUME_MS = 3_000;
/** The purpose of the page comes first. */
const RESUME_AFTER_MS = 250;
/** Each question about me is signed, perhaps by a person who presses a button. */
const WAKE_MS = 60_000;
const GATHER_MS = 30;
const MAX_NOTICES = 5;

export class Client implements ArbiterClient {
  readonly #parts: ClientParts;
  readonly #relays: Relays;
  readonly #clock: ArbiterClock;
  readonly #outbox: Outbox;
  readonly #games: Games;
  readonly #directory: Directory;
  readonly #storage: Storage;
  readonly #changed = new Set<() => void>();
  readonly #watched = new Map<GameId, number>();
  readonly #lobby: Lobby;
  #state: ClientState;
  /** Some relay has sent what it stored: answers that come now are new. */
  #isReady = false;
  readonly #followers = new Map<string, Follower>();
  /** The last list of whom I block, for followers that come later. */
  #blocked: NostrEvent | null = null;
  #resumedMs = 0;
  /** The present socket to the arbiter's own relay has brought a question of mine. */
  #isHere = false;
  #notices = 0;
  #histories: Promise<(event: NostrEvent) => Promise<void>> | null = null;
  #cancelTick: () => void = () => {};
  #cancelResume: () => void = () => {};
  #cancelGather: (() => void) | null = null;

  constructor(parts: ClientParts) {
    const { info, signer, around, kept, clock } = parts;
    this.#parts = parts;
    this.#storage = new Storage(kept, info.pubkey, signer.pubkey);
    const { waiting, challenges, unanswered } = this.#storage.read();
    this.#directory = new Directory(info);
    this.#clock = new ArbiterClock(clock ?? UNKNOWN, around.nowMs);
    this.#relays = this.#newRelays();
    this.#outbox = new Outbox(
      info.pubkey, signer, { publish: (event) => (this.#compare(event), this.#relays.publish(event)) }, this.#clock, around.nowMs, () => this.#isAtGateway, () => this.#name(),
    );
    this.#games = new Games(info.pubkey, signer, this.#outbox, this.#clock, around.nowMs, unanswered, {
      changed: () => (this.#change({ games: this.#games.views() }), this.#hurry()),
      said: () => this.#keep(),
      found: (state) => this.#found(state),
    });
    this.#lobby = new Lobby({ waiting, challenges }, this.#outbox, around.nowMs, {
      changed: () => (this.#change(this.#lobby.shown()), this.#hurry()),
      kept: () => this.#keep(),
      started: (game, opponent) => this.#started(game, opponent),
      tell: (text, values, tone) => this.#tell(text, values, tone),
    });
    this.#state = {
      arbiter: info, me: signer.pubkey, relays: [], clockOffsetMs: this.#clock.offsetMs,
      playing: null, isResumed: false, games: new Map(), waiting: this.#lobby.shown().waiting, challenges,
      profiles: new Map(), ratings: new Map(), notices: [],
    };
    this.#relays.subscribe(PLAY, playFilters(info.pubkey, signer.pubkey));
    this.#relays.use(info.relays);
    this.wonder(signer.pubkey);
    this.#directory.told(signer.pubkey, this.#name() ?? "");
    this.#showPlayers();
    this.#tick();
  }

  get signer(): Signer {
    return this.#parts.signer;
  }

  state(): ClientState {
    return this.#state;
  }

  subscribe(changed: () => void): () => void {
    this.#changed.add(changed);
    return () => this.#changed.delete(changed);
  }

  play(terms: Terms): void {
    this.#lobby.ask({ kind: "pool", terms });
  }

  challenge(opponent: Pubkey, terms: Terms): void {
    this.#lobby.ask({ kind: "challenge", opponent, terms, house: false });
  }

  playHouse(level: number, terms: Terms): void {
    const named = this.#parts.info.house.find((one) => one.level === level);
    if (named) this.#lobby.ask({ kind: "challenge", opponent: named.pubkey, terms, house: true });
  }

  openChallenge(terms: Terms): void {
    this.#lobby.ask({ kind: "open", terms, linkSecret: bytesToHex(generateSecretKey()) });
  }

  accept(challenge: string): void {
    this.#lobby.ask({ kind: "accept", challenge });
  }

  decline(challenge: string, reason: string): void {
    this.#lobby.ask({ kind: "decline", challenge, reason });
  }

  cancel(): void {
    this.#lobby.ask({ kind: "cancel" });
  }

  move(game: GameId, uci: string): void {
    this.#games.step(game, { type: "move", uci });
  }

  clearPremoves(game: GameId): void {
    this.#games.step(game, { type: "clear-premoves" });
  }

  word(game: GameId, content: string): void {
    this.#games.step(game, { type: "word", content });
  }

  say(game: GameId, text: string, room: "players" | "spectators"): void {
    void this.#games.say(game, text, room).then((notice) => notice && this.#tell(notice, {}, "bad"));
  }

  watch(game: GameId): () => void {
    if (!isHex(game, 32)) return () => {};
    this.#watched.set(game, (this.#watched.get(game) ?? 0) + 1);
    this.#games.open(game);
    this.#gather();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const left = (this.#watched.get(game) ?? 1) - 1;
      if (left > 0) this.#watched.set(game, left);
      else this.#watched.delete(game);
      this.#games.forget((one) => this.#watched.has(one));
      this.#gather();
    };
  }

  wonder(player: Pubkey): void {
    if (!isHex(player, 64) || !this.#directory.add(player)) return;
    this.#gather();
    void this.#directory.read(player, this.#parts.fetched).then((isNew) => isNew && this.#showPlayers());
  }

  follow(id: string, filters: readonly Filter[], follower: Follower): () => void {
    this.#followers.set(id, follower);
    if (filters.length > 0) this.#relays.subscribe(id, filters);
    if (this.#blocked) follower.heard(this.#blocked);
    return () => {
      if (this.#followers.get(id) !== follower) return;
      this.#followers.delete(id);
      this.#relays.unsubscribe(id);
    };
  }

  async command(template: Omit<EventTemplate, "created_at">, bits: number): Promise<string | null> {
    const event = await this.#outbox.worked({ ...template, created_at: this.#clock.seconds() }, bits);
    if (event) this.#outbox.send(event);
    return event && event.id;
  }

  dismiss(notice: number): void {
    this.#change({ notices: this.#state.notices.filter(({ id }) => id !== notice) });
  }

  rename(name: string, inProfile: ((profile: string) => string) | null): void {
    const me = this.#parts.signer.pubkey;
    const known = this.#directory.own(me)?.event;
    this.#directory.told(me, name);
    this.#showPlayers();
    if (!inProfile) return;
    void this.#outbox.profile(inProfile(known?.content ?? "{}"), known ?? null).then((event) => {
      if (event && this.#directory.heard(event)) this.#showPlayers();
    });
  }

  /** The network is back, or this machine slept: connect now, and look at what happened meanwhile. */
  wake(): void {
    this.#relays.wake();
    if (!this.#resume(WAKE_MS)) this.#games.ask();
  }

  close(): void {
    this.#cancelTick();
    this.#cancelResume();
    this.#cancelGather?.();
    this.#changed.clear();
    this.#relays.close();
    this.#parts.onClose?.();
  }

  #name(): string | null {
    return this.#directory.own(this.#parts.signer.pubkey)?.profile.name ?? this.#parts.name?.() ?? null;
  }

  #change(change: Partial<ClientState>): void {
    this.#state = { ...this.#state, ...change };
    for (const changed of [...this.#changed]) changed();
  }

  #showPlayers(): void {
    this.#change({ profiles: this.#directory.profiles, ratings: this.#directory.ratings });
  }

  #tell(text: NoticeText, values: Readonly<Record<string, string>>, tone: "plain" | "good" | "bad"): void {
    const notice = { id: (this.#notices += 1), text, values, tone };
    this.#change({ notices: [...this.#state.notices, notice].slice(-MAX_NOTICES) });
  }

  #keep(): void {
    const { waiting, challenges } = this.#lobby.shown();
    this.#storage.write({ waiting, challenges, unanswered: this.#games.unanswered() });
  }

  // ------------------------------------------------------------------------- relays

  #newRelays(): Relays {
    const { info, signer, around } = this.#parts;
    const wanted = {
      arbiter: info.pubkey, me: signer.pubkey, knows: (game: GameId) => this.#games.knows(game),
      isOld: (state: NostrEvent) => this.#games.isOld(state),
      wonders: (player: Pubkey) => this.#directory.knows(player),
    };
    const authenticate = (template: EventTemplate): Promise<NostrEvent> =>
      signer.sign({ ...template, created_at: this.#clock.seconds() });
    return new Relays({ ...around, authenticate }, {
      wants: (event) => isWanted(event, wanted),
      event: (event, list) => this.#heard(event, list),
      caughtUp: (subscription, list) => (subscription === PLAY && this.#caughtUp(), this.#games.listed(list)),
      refused: (id, text) => this.#refused(id, text),
      connected: () => {},
      changed: () => this.#showRelays(),
    });
  }

  #heard(event: NostrEvent, list: StoredList | null): void {
    const { info, signer } = this.#parts;
    const response = parseResponse(event, info.pubkey, signer.pubkey);
    if (response) {
      this.#clock.heard(event.created_at, this.#outbox.sentMs(response.request));
      if (response.type === "challenged") {
        const name = valueOf(event, "name");
        if (name && this.#directory.told(response.challenge.challenger, name)) this.#showPlayers();
      }
      this.#lobby.step({ type: "response", response, stored: list !== null, isAside: this.#isAside(response) });
    } else if (this.#directory.heard(event)) {
      this.#showPlayers();
    } else {
      this.#games.heard(event, list);
    }
    if (event.kind === RESPONSE && event.content === "blocked") this.#blocked = event;
    if (event.kind === STATE && this.#directory.heardNames(event)) this.#showPlayers();
    this.#compare(event);
    this.#showClock();
    for (const one of this.#followers.values()) one.heard(event);
  }

  /** Compares the chain of a game with what was signed; loaded when there is a game. */
  #compare(event: NostrEvent): void {
    if (event.kind === STATE) {
      const states = [...this.#state.games.values()].flatMap(({ confirmed }) => confirmed ?? []);
      const going = states.filter(({ result }) => result === null);
      if (going.length > 0) this.#relays.subscribe(MOVES, movesFilters(this.#parts.signer.pubkey, going));
    } else if (event.kind !== NOTE && event.kind !== MOVE) return;
    const { info, signer, fetched } = this.#parts;
    this.#histories ??= import("../proof/history.ts").then(({ Histories, handIn }) => {
      const histories = new Histories(info.pubkey, signer.pubkey);
      return async (one) => {
        const found = histories.take(one);
        if (found?.transcript === null) this.#tell("history.differs", { game: found.game }, "bad");
        else if (found && info.http) await handIn(info.http, found, fetched);
      };
    });
    void this.#histories.then((take) => take(event)).catch(() => {});
  }

  /** No relay took it: as if the arbiter had refused it. */
  #refused(id: string, said: string): void {
    const [reason = "", ...text] = said.split(": ");
    const refusal = { reason, text: text.join(": ") };
    const response = { type: "refused", request: id, refusal, challenge: null } as const;
    this.#lobby.step({ type: "response", response, stored: false });
    for (const one of this.#followers.values()) one.untaken(id, refusal);
    this.#games.refused({ event: id, game: null, refusal, strikes: null }, null);
  }

  /** A tournament begins a game while I play another with a clock: that one stays at hand, and the page tells of this. */
  #isAside(begun: Pick<GameState, "tournament" | "game"> | Response): boolean {
    const other = this.#games.view(this.#lobby.shown().playing)?.confirmed;
    return "tournament" in begun && begun.tournament !== null && other?.result === null && isLive(other) && other.game !== begun.game;
  }

  #started(game: GameId, opponent: Pubkey): void {
    this.#games.open(game);
    this.wonder(opponent);
    this.#gather();
  }

  /** A game of mine that this browser did not know. */
  #found(found: GameState): void {
    const { game, white, black, result, createdAt } = found;
    this.wonder(white);
    this.wonder(black);
    if (result !== null || !this.#isReady) return;
    const other = this.#games.view(this.#lobby.shown().playing)?.confirmed;
    // Of slow games there may be many, and the present one stays.
    const isNext = !other || other.result !== null || (isLive(found) && (!isLive(other) || (other.createdAt < createdAt && !this.#isAside(found))));
    if (isNext) {
      this.#lobby.step({ type: "playing", game });
    }
    this.#gather();
  }

  #showRelays(): void {
    const { gateway } = this.#parts.info;
    if (!this.#relays.isConnected) {
      this.#isReady = false;
      this.#lobby.hold();
    }
    this.#change({ relays: this.#relays.states().map((one) => ({ ...one, gateway: one.url === gateway })) });
  }

  /** A live clock of mine runs, or may begin to at any moment. */
  #hurry(): void {
    const mayBegin = this.#state.waiting.some(({ kind, terms }) => kind === "pool" && terms?.time?.kind === "live");
    this.#relays.hurry(this.#isLive || mayBegin);
  }

  get #isLive(): boolean {
    return [...this.#state.games.values()].some(
      ({ me, confirmed }) => me !== null && confirmed?.result === null && confirmed.time?.kind === "live",
    );
  }

  get #isAtGateway(): boolean {
    return this.#state.relays.some(({ gateway, status }) => gateway && status === "connected");
  }

  #showClock(): void {
    const { offsetMs } = this.#clock;
    if (offsetMs !== this.#state.clockOffsetMs) this.#change({ clockOffsetMs: offsetMs });
  }

  #caughtUp(): void {
    if (this.#isReady) return;
    this.#isReady = true;
    this.#lobby.send();
    this.#cancelResume = this.#parts.around.later(() => this.#resume(RESUME_MS), RESUME_AFTER_MS);
  }

  /** Asks what I play or wait for, and how the games stand that are shown; not again within this time. */
  #resume(pauseMs: number): boolean {
    const now = this.#parts.around.nowMs();
    if (now - this.#resumedMs < pauseMs || !this.#isReady) return false;
    this.#resumedMs = now;
    this.#isHere = this.#isAtGateway;
    this.#lobby.ask({ kind: "state" });
    this.#games.ask();
    return true;
  }

  /** Subscribes to what is watched and wondered about, a moment later: views ask one by one. */
  #gather(): void {
    this.#cancelGather ??= this.#parts.around.later(() => {
      this.#cancelGather = null;
      const { pubkey } = this.#parts.info;
      const { playing } = this.#lobby.shown();
      const games = [...new Set([...this.#watched.keys(), ...(playing ? [playing] : [])])];
      if (games.length > 0) this.#relays.subscribe(WATCH, watchFilters(pubkey, games));
      else this.#relays.unsubscribe(WATCH);
      this.#relays.subscribe(WHO, whoFilters(pubkey, this.#directory.players));
    }, GATHER_MS);
  }

  #tick(): void {
    this.#games.tick((game) => this.#watched.has(game), this.#isReady);
    this.#lobby.step({ type: "tick", connected: this.#isReady });
    this.#isHere &&= this.#isAtGateway;
    // Or my opponent is told that I am away.
    if (!this.#isHere && this.#isAtGateway && this.#isLive) this.#resume(RESUME_MS);
    const shown = this.#state.relays;
    if (this.#relays.states().some((one, at) => one.roundTripMs !== shown[at]?.roundTripMs)) this.#showRelays();
    this.#cancelTick = this.#parts.around.later(() => this.#tick(), TICK_MS);
  }
}
