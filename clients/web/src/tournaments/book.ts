/** All that the arbiter has told of tournaments. Of each address the highest version counts: relays may show an older one. */

import type { GameId, Pubkey } from "../arbiter/model.ts";
import type { NostrEvent } from "../net/event.ts";
import type { Filter } from "../net/relay.ts";
import { addressOf, parseRound, parseStandings, parseTournament, ROUND, STANDINGS, TOURNAMENT } from "./answers.ts";
import type { RoundPage, Standing, Standings, Tournament, TournamentBoard } from "./model.ts";

export interface Book {
  readonly tournaments: ReadonlyMap<string, Tournament>;
  readonly standings: ReadonlyMap<string, Standings>;
  /** By `<tournament>:<round>:<page>`. */
  readonly rounds: ReadonlyMap<string, RoundPage>;
}

export const EMPTY: Book = { tournaments: new Map(), standings: new Map(), rounds: new Map() };

const LISTED = 50;

export const listFilters = (arbiter: Pubkey): readonly Filter[] => [{ kinds: [TOURNAMENT], authors: [arbiter], limit: LISTED }];

export const tournamentFilters = (arbiter: Pubkey, id: string): readonly Filter[] => [
  { kinds: [TOURNAMENT, STANDINGS], authors: [arbiter], "#d": [id] },
  { kinds: [ROUND], authors: [arbiter], "#a": [addressOf(arbiter, id)] },
];

/** The book with this event in it; the same one if it tells nothing new. */
export function heard(book: Book, event: NostrEvent, arbiter: Pubkey): Book {
  const tournament = parseTournament(event, arbiter);
  if (tournament) return changed(book, "tournaments", tournament.id, tournament);
  const standings = parseStandings(event, arbiter);
  if (standings) return changed(book, "standings", standings.tournament, standings);
  const round = parseRound(event, arbiter);
  return round ? changed(book, "rounds", `${round.tournament}:${round.round}:${round.page}`, round) : book;
}

function changed<K extends keyof Book>(book: Book, part: K, name: string, value: { readonly version: number }): Book {
  const known = book[part] as ReadonlyMap<string, { readonly version: number }>;
  if ((known.get(name)?.version ?? -1) >= value.version) return book;
  return { ...book, [part]: new Map(known).set(name, value) };
}

/** A round, whole. */
export interface Round extends Pick<RoundPage, "status" | "boards" | "byes"> {
  readonly number: number;
}

/** The rounds of a tournament, in order. */
export function roundsOf(book: Book, id: string): readonly Round[] {
  const rounds = new Map<number, RoundPage[]>();
  for (const page of book.rounds.values()) {
    if (page.tournament === id) rounds.set(page.round, [...(rounds.get(page.round) ?? []), page]);
  }
  return [...rounds].sort(([one], [other]) => one - other).map(([number, pages]) => ({
    number,
    status: (["planned", "playing"] as const).find((status) => pages.some((page) => page.status === status)) ?? "done",
    boards: pages.flatMap(({ boards }) => boards).sort((one, other) => one.number - other.number),
    byes: pages.flatMap(({ byes }) => byes),
  }));
}

export interface OwnBoard {
  readonly round: number;
  readonly board: TournamentBoard;
  readonly isPlanned: boolean;
}

/** The board at which this player is to play, or plays. */
export function ownBoard(rounds: readonly Round[], player: Pubkey | null): OwnBoard | null {
  for (const { number, status, boards } of [...rounds].reverse()) {
    const board = boards.find(({ white, black, result }) => result === null && (white === player || black === player));
    if (board) return { round: number, board, isPlanned: board.game === null || status === "planned" };
  }
  return null;
}

const PARTS: Readonly<Record<string, readonly [string, string]>> = {
  "1-0": ["1", "0"], "0-1": ["0", "1"], "1/2-1/2": ["½", "½"], "+/-": ["+", "−"], "-/+": ["−", "+"], "-/-": ["−", "−"],
};

/** `½–½`; empty while there is none. */
export function resultText(result: string | null): string {
  return result === null ? "" : (PARTS[result]?.join("–") ?? "*");
}

/** What a player did in one round. */
export interface Cell {
  readonly round: number;
  /** `1`, `½`, `0`, `+`, `−`; a bye's letter; empty while it is played. */
  readonly score: string;
  readonly opponent: Pubkey | null;
  readonly color: "w" | "b" | null;
  readonly game: GameId | null;
}

/** The cells of a player, one for each of their boards and byes. */
export function cellsOf(rounds: readonly Round[], player: Pubkey): readonly Cell[] {
  return rounds.flatMap(({ number: round, boards, byes }): readonly Cell[] => {
    const played = boards.filter(({ white, black }) => white === player || black === player);
    const cells = played.map(({ white, black, result, game }): Cell => {
      const isWhite = white === player;
      const score = result === null ? "" : (PARTS[result]?.[isWhite ? 0 : 1] ?? "*");
      return { round, score, game, opponent: isWhite ? black : white, color: isWhite ? "w" : "b" };
    });
    const bye = byes.find((one) => one.player === player);
    return bye ? [...cells, { round, score: bye.kind, opponent: null, color: null, game: null }] : cells;
  });
}

/** Whether the table has a column for each opponent, as of a round robin, and not for each round. */
export function hasOpponents({ format }: Pick<Tournament, "format">, rows: readonly Standing[]): boolean {
  return format === "round-robin" && rows.length <= 24;
}

/** Two players, or one who has a bye. */
export type Match = readonly Pubkey[];

/** The stages of a knockout: a pair meets in one alone, in as many rounds as it takes; a stage begins where new pairs meet. */
export function stagesOf(rounds: readonly Round[]): readonly (readonly Match[])[] {
  const met = new Set<string>();
  const stages = rounds.flatMap(({ boards, byes }) => {
    const pairs = boards.map(({ white, black }): Match => [white, black].sort()).filter((pair) => !met.has(String(pair)));
    for (const pair of pairs) met.add(String(pair));
    return pairs.length > 0 ? [[...pairs, ...byes.map(({ player }): Match => [player])]] : [];
  });
  // From the last stage backwards: what a match comes of is in its place.
  return stages.reduceRight<readonly (readonly Match[])[]>((later, stage) => {
    const order = later[0]?.flat() ?? [];
    const place = (match: Match): number => match.map((player) => order.indexOf(player)).find((at) => at >= 0) ?? order.length;
    return [[...stage].sort((one, other) => place(one) - place(other)), ...later];
  }, []);
}
