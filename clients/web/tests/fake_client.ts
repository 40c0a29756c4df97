/** An arbiter in memory, for looking at pages and for their tests: it plays a script against me. */

import { INITIAL_FEN, makeFen } from "chessops/fen";

import type {
  ArbiterClient, ChatLine, ClientState, Color, GameNote, GameState, GameView, OfferKind, PendingWord, Terms,
} from "../src/arbiter/model.ts";
import { lineFrom, positionOf, played, turnOf } from "../src/board/position.ts";

export const ME = "a0a901be28168542495ddf469dcacf76f940ed15a2b6ae9f628bf37624dc6553";
export const OPPONENT = "66869f8504b150e5b22d01c81c65c206ef5945d27ee5a8705e9b10725b6208d1";
export const ARBITER = "615123cb2edc2a78a3ce7ba55271992a939c338540798828cfbd50c624aa5ee5";
export const GAME = "ccef53494271dfb36f4352d37b932950";

export interface Script {
  /** `null` watches. */
  readonly me: Color | null;
  readonly time: GameState["time"];
  readonly start: string | null;
  readonly variant: GameState["variant"];
  readonly rated: boolean;
  /** Played before the page opens. */
  readonly moves: readonly string[];
  /** The opponent's moves from then on, where they are legal; otherwise their first legal move. */
  readonly replies: readonly string[];
  /** Milliseconds until the arbiter answers; 0 answers at once, `null` never. */
  readonly answerMs: number | null;
  readonly replyMs: number | null;
  readonly clock: { readonly white: number; readonly black: number } | null;
  /** Words that are refused, and by which reason. */
  readonly refuse: Readonly<Record<string, string>>;
}

export const SCRIPT: Script = {
  me: "white",
  time: { kind: "live", base: 180, increment: 2 },
  start: null,
  variant: "standard",
  rated: true,
  moves: [],
  replies: [],
  answerMs: 0,
  replyMs: null,
  clock: { white: 180_000, black: 180_000 },
  refuse: {},
};

/** The state of a game after these moves. */
export function gameState(script: Script, moves: readonly string[], change: Partial<GameState> = {}): GameState {
  const line = lineFrom(script.start ?? INITIAL_FEN, moves, null);
  if (!line) throw new Error(`not legal: ${moves.join(" ")}`);
  const fen = makeFen(line.end.toSetup());
  const now = Date.now();
  const isFirst = script.time?.kind === "live" && moves.length < 2;
  const left = script.clock?.[turnOf(fen)] ?? 0;
  return {
    eventId: `${moves.length}`.padStart(64, "0"),
    createdAt: Math.floor(now / 1000),
    game: GAME,
    white: script.me === "black" ? OPPONENT : ME,
    black: script.me === "black" ? ME : OPPONENT,
    version: moves.length + 1,
    ply: moves.length,
    fen,
    moves,
    time: script.time,
    clock: script.clock,
    deadline: script.clock ? now + (isFirst ? 30_000 : left + 1000) : null,
    rated: script.rated,
    variant: script.variant,
    start: script.start,
    placeholders: [],
    offer: null,
    result: null,
    termination: null,
    rematch: null,
    ...change,
  };
}

export function gameView(me: Color | null, confirmed: GameState, change: Partial<GameView> = {}): GameView {
  return {
    game: GAME, me, confirmed, pendingMove: null, pendingWords: [], premoves: [],
    refused: null, chat: [], note: null, strikes: null, ...change,
  };
}

export class FakeClient implements ArbiterClient {
  /** Every call, as it was made. */
  readonly calls: (readonly unknown[])[] = [];
  readonly #script: Script;
  readonly #watching = new Set<() => void>();
  #now: ClientState;
  #replies: string[];

  constructor(script: Partial<Script> = {}, change: Partial<ClientState> = {}) {
    this.#script = { ...SCRIPT, ...script };
    this.#replies = [...this.#script.replies];
    const view = gameView(this.#script.me, gameState(this.#script, this.#script.moves));
    this.#now = {
      arbiter: { pubkey: ARBITER, name: "Arbiter", relays: ["ws://127.0.0.1:7000"], gateway: null, http: null, house: [] },
      me: ME,
      relays: [
        { url: "wss://chess.example/gateway", status: "connected", gateway: true, roundTripMs: 38 },
        { url: "wss://relay.example", status: "waiting", gateway: false, roundTripMs: null },
      ],
      clockOffsetMs: 0,
      playing: this.#script.me ? GAME : null,
      games: new Map([[GAME, view]]),
      waiting: [],
      challenges: [],
      profiles: new Map([
        [ME, { pubkey: ME, name: "Ada", picture: null, nip05: null, bot: false }],
        [OPPONENT, { pubkey: OPPONENT, name: "Bartholomäus der Lange von Stein", picture: null, nip05: null, bot: false }],
      ]),
      ratings: new Map([
        [ME, [{ speed: "blitz", value: 1612, deviation: 60, games: 44, provisional: false }]],
        [OPPONENT, [{ speed: "blitz", value: 1587, deviation: 140, games: 3, provisional: true }]],
      ]),
      notices: [],
      ...change,
    };
  }

  state(): ClientState {
    return this.#now;
  }

  subscribe(changed: () => void): () => void {
    this.#watching.add(changed);
    return () => this.#watching.delete(changed);
  }

  set(change: Partial<ClientState>): void {
    this.#now = { ...this.#now, ...change };
    for (const changed of this.#watching) changed();
  }

  view(): GameView {
    return this.#now.games.get(GAME)!;
  }

  /** Changes what is seen of the game. */
  see(change: Partial<GameView>): void {
    this.set({ games: new Map([[GAME, { ...this.view(), ...change }]]) });
  }

  /** A state of the next version. */
  confirm(moves: readonly string[], change: Partial<GameState> = {}): void {
    const version = (this.view().confirmed?.version ?? 0) + 1;
    this.see({ confirmed: gameState(this.#script, moves, { version, ...change }), refused: null });
  }

  finish(result: GameState["result"], termination: string, note: GameNote | null = null): void {
    const { moves } = this.view().confirmed!;
    this.confirm(moves ?? [], { result, termination, deadline: null });
    this.see({ note, premoves: [] });
  }

  hear(from: string, text: string, room: ChatLine["room"]): void {
    const line = { id: `${this.view().chat.length}`, from, text, atMs: Date.now(), room };
    this.see({ chat: [...this.view().chat, line] });
  }

  move(game: string, uci: string): void {
    this.calls.push(["move", game, uci]);
    const { confirmed, me, pendingMove, premoves } = this.view();
    if (turnOf(confirmed!.fen) !== me || pendingMove) return this.see({ premoves: [...premoves, uci] });
    this.see({ pendingMove: pending(uci), refused: null });
    this.#later(this.#script.answerMs, () => this.#answer(uci));
  }

  #answer(uci: string): void {
    const reason = this.#script.refuse[uci];
    const before = this.view().confirmed!.moves ?? [];
    this.see({ pendingMove: null, ...(reason ? { refused: { reason, text: "" }, premoves: [] } : {}) });
    if (reason) return;
    this.confirm([...before, uci]);
    this.#later(this.#script.replyMs, () => this.#reply());
  }

  #reply(): void {
    const { confirmed } = this.view();
    const position = positionOf(confirmed!.fen);
    const wanted = this.#replies.shift();
    if (!position || !wanted || !played(position, wanted)) return;
    this.confirm([...(confirmed!.moves ?? []), wanted]);
    const [next, ...later] = this.view().premoves;
    if (next === undefined) return;
    const isLegal = played(positionOf(this.view().confirmed!.fen)!, next) !== null;
    this.see({ premoves: isLegal ? later : [] });
    if (isLegal) this.move(GAME, next);
  }

  clearPremoves(game: string): void {
    this.calls.push(["clearPremoves", game]);
    this.see({ premoves: [] });
  }

  word(game: string, content: string): void {
    this.calls.push(["word", game, content]);
    this.see({ pendingWords: [pending(content)] });
    this.#later(this.#script.answerMs, () => this.#answerWord(content));
  }

  #answerWord(content: string): void {
    const { confirmed, me } = this.view();
    this.see({ pendingWords: [] });
    const reason = this.#script.refuse[content];
    if (reason) return this.see({ refused: { reason, text: "" } });
    const theirs = confirmed!.offer && confirmed!.offer.by !== me ? confirmed!.offer.kind : null;
    if (content === "resign") this.finish(me === "white" ? "0-1" : "1-0", "resignation");
    else if (content === "abort") this.finish("*", "aborted");
    else if (content === "draw" && theirs === "draw") this.finish("1/2-1/2", "agreement");
    else if (content.endsWith("-decline")) this.confirm(confirmed!.moves ?? [], { ...ended(confirmed!), offer: null });
    else if (me) {
      const offer = { kind: content as OfferKind, by: me };
      this.confirm(confirmed!.moves ?? [], { ...ended(confirmed!), offer });
    }
  }

  say(game: string, text: string, room: ChatLine["room"]): void {
    this.calls.push(["say", game, text, room]);
    this.hear(ME, text, room);
  }

  watch(game: string): () => void {
    this.calls.push(["watch", game]);
    return () => this.calls.push(["unwatch", game]);
  }

  play(terms: Terms): void {
    this.calls.push(["play", terms]);
  }
  challenge(opponent: string, terms: Terms): void {
    this.calls.push(["challenge", opponent, terms]);
  }
  openChallenge(terms: Terms): void {
    this.calls.push(["openChallenge", terms]);
  }
  accept(challenge: string): void {
    this.calls.push(["accept", challenge]);
  }
  decline(challenge: string, reason: string): void {
    this.calls.push(["decline", challenge, reason]);
  }
  cancel(): void {
    this.calls.push(["cancel"]);
  }
  wonder(player: string): void {
    this.calls.push(["wonder", player]);
  }
  dismiss(notice: number): void {
    this.calls.push(["dismiss", notice]);
  }

  #later(afterMs: number | null, act: () => void): void {
    if (afterMs === 0) act();
    else if (afterMs !== null) setTimeout(act, afterMs);
  }
}

function pending(content: string): PendingWord {
  return { content, eventId: "f".repeat(64), answers: "0".repeat(64), signedAtMs: Date.now(), times: 1 };
}

function ended({ result, termination }: GameState): Partial<GameState> {
  return result === null ? {} : { result, termination, deadline: null };
}
