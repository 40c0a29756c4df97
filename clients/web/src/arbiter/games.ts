/** The games that this browser shows: runs what their sessions decide. */

import type { Signer } from "../identity/signer.ts";
import { valueOf, type NostrEvent } from "../net/event.ts";
import type { StoredList } from "../net/relays.ts";
import { parseError, parseNote, parseState, type ArbiterError } from "./answers.ts";
import type { ArbiterClock } from "./arbiter_clock.ts";
import type { Chat } from "./chat.ts";
import { newSession, stepGame, type GameEffect, type GameInput, type GameSession } from "./game_session.ts";
import type { ChatLine, GameId, GameState, GameView, NoticeText, Pubkey } from "./model.ts";
import type { Outbox } from "./outbox.ts";
import { parseLine } from "./profiles.ts";
import type { Unanswered } from "./storage.ts";

export interface GamesListener {
  /** Some view is another one. */
  changed(): void;
  /** The part that outlives the page has changed. */
  said(): void;
  /** The state of a game that this player plays, as it is known first. */
  found(state: GameState): void;
}

const MAX_ASKED = 8;
const MAX_GAMES = 60;

export class Games {
  readonly #arbiter: Pubkey;
  readonly #me: Pubkey;
  readonly #outbox: Outbox;
  readonly #clock: ArbiterClock;
  readonly #signer: Signer;
  /** Loaded with the first line. */
  #chat: Promise<Chat> | null = null;
  readonly #nowMs: () => number;
  readonly #listener: GamesListener;
  readonly #sessions = new Map<GameId, GameSession>();
  /** From before the page was loaded again, and perhaps never sent. */
  readonly #unanswered: Map<GameId, Unanswered>;
  /** Games of mine that only a list told of so far: what it has of them may be long past. */
  readonly #listed = new Map<GameId, StoredList>();

  constructor(
    arbiter: Pubkey, signer: Signer, outbox: Outbox, clock: ArbiterClock, nowMs: () => number,
    unanswered: ReadonlyMap<GameId, Unanswered>, listener: GamesListener,
  ) {
    this.#arbiter = arbiter;
    this.#me = signer.pubkey;
    this.#outbox = outbox;
    this.#clock = clock;
    this.#signer = signer;
    this.#nowMs = nowMs;
    this.#unanswered = new Map(unanswered);
    this.#listener = listener;
  }

  views(): ReadonlyMap<GameId, GameView> {
    return new Map([...this.#sessions].map(([game, { view }]) => [game, view]));
  }

  /** Words that nothing has answered, for a page that is loaded again. */
  unanswered(): readonly (readonly [GameId, Unanswered])[] {
    const said = [...this.#sessions.values()].flatMap(({ view, sent }) =>
      sent
        .filter(({ isMove, content }) => isMove || content === "resign")
        .map(({ content, fen }) => [view.game, { content, fen }] as const),
    );
    return [...this.#unanswered, ...said];
  }

  knows(game: GameId): boolean {
    return this.#sessions.has(game);
  }

  /** Whether it would change nothing, so that its signature need not be verified. */
  isOld(state: NostrEvent): boolean {
    const known = this.view(valueOf(state, "d") ?? null)?.confirmed;
    const version = Number(valueOf(state, "version"));
    if (!known || version > known.version) return false;
    return version < known.version || state.created_at < known.createdAt || state.id === known.eventId;
  }

  view(game: GameId | null): GameView | undefined {
    return game === null ? undefined : this.#sessions.get(game)?.view;
  }

  open(game: GameId): void {
    if (this.knows(game)) return;
    this.#sessions.set(game, newSession(game, this.#me, this.#nowMs()));
    this.#listener.changed();
  }

  /** Drops the oldest of many games that are neither mine nor watched. */
  forget(isWatched: (game: GameId) => boolean): void {
    for (const [game, { view }] of this.#sessions) {
      if (this.#sessions.size <= MAX_GAMES) return;
      if (view.me === null && !isWatched(game)) this.#sessions.delete(game);
    }
  }

  step(game: GameId, input: GameInput): void {
    const before = this.#sessions.get(game);
    if (!before) return;
    const [session, effects] = stepGame(before, input, this.#nowMs());
    this.#sessions.set(game, session);
    if (session.sent !== before.sent) this.#listener.said();
    // A word looks the same with its signature.
    if (session.view !== before.view && input.type !== "signed") this.#listener.changed();
    for (const effect of effects) this.#run(session, effect);
  }

  tick(isWatched: (game: GameId) => boolean, connected: boolean): void {
    const { offsetMs } = this.#clock;
    for (const [game, { view }] of this.#sessions) {
      const isShown = view.me !== null || isWatched(game);
      if (isShown && !view.confirmed?.result) this.step(game, { type: "tick", offsetMs, connected });
    }
  }

  /** Asks how the games stand that go on, or may by a rematch. */
  ask(): void {
    const running = [...this.#sessions.values()].filter(
      ({ view: { confirmed } }) => confirmed && (confirmed.result === null || confirmed.offer),
    );
    for (const { view } of running.slice(-MAX_ASKED)) void this.#outbox.question(view.game);
  }

  /** `list` is the one that it is of; `null` if a relay sent it as news. */
  heard(event: NostrEvent, list: StoredList | null = null): void {
    const state = parseState(event, this.#arbiter);
    if (state) return this.#onState(state, list);
    const error = parseError(event, this.#arbiter);
    if (error) return this.refused(error, event.created_at);
    const note = parseNote(event, this.#arbiter);
    if (note) return this.step(note.game, { type: "note", note });
    const line = parseLine(event, this.#arbiter);
    const view = this.view(line?.game ?? null);
    if (!line || !view) return;
    void this.#chatting()
      .then((chat) => chat.read(view, line, this.#nowMs()))
      .then((read) => read && this.step(line.game, { type: "line", line: read }), () => {});
  }

  /** By the arbiter, which dates it, or by all relays. */
  refused(error: ArbiterError, createdAt: number | null): void {
    const sentMs = this.#outbox.sentMs(error.event);
    if (createdAt !== null) this.#clock.heard(createdAt, sentMs);
    const games = error.game ? [error.game] : [...this.#sessions.keys()];
    for (const game of games) this.step(game, { type: "error", error });
  }

  /** The notice for the player if the line is not sent. */
  async say(game: GameId, text: string, room: ChatLine["room"]): Promise<NoticeText | null> {
    const view = this.view(game);
    if (!view) return null;
    const chat = await this.#chatting().catch(() => null);
    if (!chat) return "chat.unsent";
    const said = await chat.write(view, text, room, this.#nowMs(), this.#clock.seconds());
    if (said === null || typeof said === "string") return said;
    this.#outbox.send(said.event);
    this.step(game, { type: "line", line: said.line });
    return null;
  }

  /** Rejects without a network, and is asked again the next time. */
  #chatting(): Promise<Chat> {
    this.#chat ??= import("./chat.ts").then(({ Chat }) => new Chat(this.#arbiter, this.#signer));
    this.#chat.catch(() => (this.#chat = null));
    return this.#chat;
  }

  /** The list is whole: the newest state of each game in it counts. */
  listed(list: StoredList): void {
    for (const [game, of] of this.#listed) if (of === list) this.#found(game);
  }

  #onState(state: GameState, list: StoredList | null): void {
    const isMine = state.white === this.#me || state.black === this.#me;
    if (!isMine && !this.knows(state.game)) return;
    this.open(state.game);
    const before = this.view(state.game);
    const move = before?.pendingMove;
    const answered = move && state.moves?.[state.ply - 1] === move.content ? move.eventId : null;
    this.#clock.heardState(state, this.#outbox.sentMs(answered));
    this.step(state.game, { type: "state", state });
    if (!isMine || (before?.confirmed && !this.#listed.has(state.game))) return;
    if (list === null) this.#found(state.game);
    else if (!before?.confirmed) this.#listed.set(state.game, list);
  }

  #found(game: GameId): void {
    this.#listed.delete(game);
    const state = this.view(game)!.confirmed!;
    this.#listener.found(state);
    this.#sayAgain(state);
  }

  #sayAgain(state: GameState): void {
    const said = this.#unanswered.get(state.game);
    this.#unanswered.delete(state.game);
    // In another position it was answered, or it means nothing any more.
    if (said?.fen !== state.fen) return;
    const { game } = state;
    if (said.content === "resign") this.step(game, { type: "word", content: said.content });
    else this.step(game, { type: "move", uci: said.content });
  }

  #run({ view: { game, confirmed } }: GameSession, effect: GameEffect): void {
    if (effect.type === "ask") {
      void this.#outbox.question(game);
    } else if (confirmed) {
      void this.#sign(confirmed, effect);
    }
  }

  async #sign(state: GameState, { key, content, answers }: Extract<GameEffect, { type: "sign" }>): Promise<void> {
    const event = await this.#outbox.word(state, content, answers);
    if (!event) return this.step(state.game, { type: "unsigned", key });
    // Before it is sent, for the answer names it.
    this.step(state.game, { type: "signed", key, eventId: event.id });
    this.#outbox.send(event);
  }
}
