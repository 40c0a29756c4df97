/**
 * The text of a PGN file: its games as they are written, before the rules of chess are asked.
 *
 * As the PGN standard of 1994 has it (§7, §8), and as programs write it: without results, with blank
 * lines among the moves, with quotes inside tags. chessops skips what it does not know; here the first
 * such word is kept as the game's flaw, and its line.
 */

import { clean } from "../arbiter/clean.ts";

export interface Flaw {
  readonly kind:
    | "unknown" | "illegal" | "number" // of a word
    | "variant" | "fen" | "tag" // of a tag
    | "comment" | "variation" | "result" | "end"
    | "binary" | "long"; // of the whole text
  readonly line: number;
  readonly what: string;
}

export interface Word {
  readonly text: string;
  readonly line: number;
  comment?: string;
  /** Variations: words that go on instead of this move. */
  sides?: Word[][];
}

/** A game as it is written. */
export interface Written {
  readonly tags: Map<string, Word>;
  /** Moves and move numbers of the main line, up to the flaw; White's as `12.`, others as `12`. */
  readonly words: Word[];
  result: string | null;
  flaw: Flaw | null;
  /** Before the first move. */
  comment?: string;
  /** Whether it has signs, or comments of no move, which are left out. */
  hasMore: boolean;
}

export interface Pgn {
  readonly games: readonly Written[];
  /** The reason why a part of the text is missing. */
  readonly flaw: Flaw | null;
}

/** Some 2,500 games. */
const MAX_CHARACTERS = 2_000_000;

/** Variations within variations. */
const MAX_DEPTH = 30;

/** Whatever a text program writes is none of these. */
const BINARY = /[\0-\x08\x0e-\x1f\x7f]/;

const TOKEN = new RegExp(
  [
    /(?:\[\s*(?<name>[\w+#=:-]+)\s+["“”„](?:(?<value>(?:\\.|[^"“”„\\\n])*)["“”]\s*\]|(?<loose>.*)["“”]\s*\](?=[ \t]*$)))/,
    /(?<space>[\s\x85\xad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]+)/,
    /(?<rest>;.*|^%.*)/,
    // A line that begins with a tag begins the next game: the comment was never closed.
    /(?<comment>\{(?:(?!\n\[\w+\s*["“])[^}])*\}?)/,
    /(?<flaw>\[.*|\])/,
    /(?<result>(?:1 ?[-–—:] ?0|0 ?[-–—:] ?1|(?:1\/2|½)(?: ?[-–—:] ?(?:1\/2|½))?|\*)(?![\w/-]))/,
    /(?<pass>(?:--|Z0|0000|@@@@)(?![\w-]))/,
    /(?<number>\d+(?![-–—/\d])(?:\s*[.…]+)*|[.…]+)/,
    /(?<sign>\$\d+|[-−/]*[!?=+#†‡±∓⩲⩱∞□⌓△∆→↑⇆⟳⊕][-−/!?=+#†‡±∓⩲⩱∞□⌓△∆→↑⇆⟳⊕]*|e\.?p\b\.?)/,
    /(?<open>\()|(?<close>\))/,
    /(?<word>[^\s{}()[\];$\x85\xad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069]+(?:\([QRBNDTLS♔-♟][\ufe0e\ufe0f]?\)[+#]?)?|.)/,
  ].map((part) => part.source).join("|"),
  "gmu",
);

/** Tags that are read, in whichever case they are written. */
const READ = ["White", "Black", "Result", "Variant", "FEN"];

/** What programs write in comments, such as the time left after each move. */
const COMMANDS = /\[%[^\]]*\]/g;
const MAX_COMMENT = 2_000;

/** Signs that may follow a move without a space. */
const SIGNS = /(?:[-−/:!?=+#†‡±∓⩲⩱∞□]|e\.?p\.?)+$/;
const MAX_MOVE = 40;

/** The games of a text. Every character is read, or a flaw tells where reading ended. */
export function readPgn(text: string): Pgn {
  const all = text.replace(/\r\n?/g, "\n").replace(/^\ufeff/, "").replace(/\x1a+\s*$/, "");
  const binary = BINARY.exec(all);
  if (binary) return { games: [], flaw: { kind: "binary", line: lineAt(all, binary.index), what: "" } };
  const read = all.slice(0, MAX_CHARACTERS);
  const games = new Reader().read(read);
  return { games, flaw: all === read ? null : { kind: "long", line: lineAt(all, MAX_CHARACTERS), what: "" } };
}

/** `1-0`, `0-1`, `1/2-1/2`; `null` for `*` and for what is no result. */
export function resultOf(text: string): string | null {
  const plain = text.replace(/½|1\/2/g, "½").replace(/ ?[-–—:] ?/g, "-");
  return plain === "½" || plain === "½-½" ? "1/2-1/2" : plain === "1-0" || plain === "0-1" ? plain : null;
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

/** A line of moves that is being read. */
interface Open {
  /** The line of the text where it begins. */
  readonly from: number;
  readonly words: Word[];
  /** A variation that follows goes on instead of this move. */
  last: Word | null;
}

class Reader {
  readonly #games: Written[] = [];
  #game: Written | null = null;
  #line = 1;
  /** Whether the token is the first of its line. */
  #isFirst = true;
  /** Words of the game that are no numbers. */
  #moves = 0;
  #last: Word | null = null;
  /** The variations that are open. */
  #open: Open[] = [];

  read(text: string): readonly Written[] {
    for (const { 0: token, groups } of text.matchAll(TOKEN)) {
      this.#token(token, groups!);
      const lines = token.split("\n").length - 1;
      this.#isFirst = lines > 0 || (this.#isFirst && groups!["space"] !== undefined);
      this.#line += lines;
    }
    this.#end();
    return this.#games;
  }

  #token(token: string, is: Readonly<Record<string, string | undefined>>): void {
    if (is["space"]) return;
    if (is["name"]) this.#tag(token, is["name"], is["value"] ?? is["loose"]!);
    else if (is["flaw"]) this.#flaw(token.length > 1 ? "tag" : "unknown", token);
    else if (is["comment"] && !token.endsWith("}")) this.#flaw("comment", token);
    else if (is["comment"]) this.#comment(token.slice(1, -1));
    else if (is["rest"]) token.startsWith(";") ? this.#comment(token.slice(1)) : this.#leaveOut();
    else if (is["sign"]) this.#leaveOut();
    else if (is["open"]) this.#variation();
    else if (is["close"]) this.#close();
    else if (is["result"]) this.#open.length ? this.#leaveOut() : this.#result(token);
    else if (is["number"]) this.#number(token);
    else this.#word(is["pass"] || token.length > MAX_MOVE ? token : token.replace(SIGNS, "") || token, true);
  }

  /** On a line of its own it begins the next game if this one has moves, or the same first tag. */
  #tag(token: string, name: string, text: string): void {
    const game = this.#game;
    const isPlayed = game && (game.words.length > 0 || (game.flaw && game.flaw.kind !== "tag"));
    const hasBegun = isPlayed || this.#open.length > 0;
    if (hasBegun && !this.#isFirst) return this.#flaw("unknown", token);
    if (hasBegun || game?.tags.keys().next().value === name) this.#end();
    this.#now().tags.set(READ.find((it) => it.toLowerCase() === name.toLowerCase()) ?? name, { text: text.replace(/\\(["\\])/g, "$1"), line: this.#line });
  }

  /** Ends the game. Where none goes on, the last one's is repeated. */
  #result(token: string): void {
    const game = this.#game;
    if (!game) return;
    const [told, tag] = [resultOf(token), resultOf(game.tags.get("Result")?.text ?? "")];
    if (told && tag && told !== tag) this.#flaw("result", token);
    game.result = told ?? tag ?? "*";
    this.#end();
  }

  #number(token: string): void {
    const number = /^\d+/.exec(token)?.[0];
    const isOfWhite = /^\d+\s*\.$/.test(token);
    // A game without a result ends where the next begins to count.
    if (isOfWhite && number === "1" && this.#moves > 1 && !this.#open.length) this.#end();
    if (number) this.#word(isOfWhite ? `${number}.` : number, false);
  }

  #word(text: string, isMove: boolean): void {
    const word: Word = { text, line: this.#line };
    const open = this.#open.at(-1);
    if (open) {
      open.words.push(word);
      if (isMove) open.last = word;
      return;
    }
    const game = this.#now();
    if (isMove) this.#moves += 1;
    if (game.flaw) return;
    game.words.push(word);
    if (isMove) this.#last = word;
  }

  #comment(text: string): void {
    const said = clean(text.replace(COMMANDS, " "), MAX_COMMENT);
    const [open, game] = [this.#open.at(-1), this.#game];
    const of = open ? open.last : game?.flaw ? null : (this.#last ?? game);
    if (said && of) of.comment = of.comment ? `${of.comment} ${said}` : said;
    else if (said) this.#leaveOut();
  }

  /** Of no move, as after a flaw, its words lead nowhere. */
  #variation(): void {
    const open = this.#open.at(-1);
    const of = open ? open.last : this.#game?.flaw ? null : this.#last;
    const words: Word[] = [];
    if (of && this.#open.length < MAX_DEPTH) (of.sides ??= []).push(words);
    else this.#leaveOut();
    this.#open.push({ from: this.#line, words, last: null });
  }

  #close(): void {
    if (this.#open.pop() === undefined) this.#flaw("unknown", ")");
  }

  #leaveOut(): void {
    if (this.#game) this.#game.hasMore = true;
  }

  #flaw(kind: Flaw["kind"], what: string, line = this.#line): void {
    this.#now().flaw ??= { kind, line, what };
  }

  #now(): Written {
    if (!this.#game) this.#games.push((this.#game = { tags: new Map(), words: [], result: null, flaw: null, hasMore: false }));
    return this.#game;
  }

  #end(): void {
    const game = this.#game;
    if (this.#open.length) this.#flaw("variation", "(", this.#open[0]!.from);
    const tag = resultOf(game?.tags.get("Result")?.text ?? "");
    if (game && tag && game.result === null) this.#flaw("end", tag);
    this.#game = null;
    this.#open = [];
    this.#moves = 0;
    this.#last = null;
  }
}
