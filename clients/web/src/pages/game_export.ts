/** A game as others read it: PGN, names of files, addresses. */

import type { GameState } from "../arbiter/model.ts";
import type { Line } from "../board/position.ts";

/** The PGN of a game that is under way or whose note has not come. `names` are White and Black. */
export function pgnOf(state: GameState, line: Line, names: readonly [string, string], site: string): string {
  const date = new Date(state.createdAt * 1000).toISOString().slice(0, 10).replace(/-/g, ".");
  const result = state.result ?? "*";
  const tags: [string, string][] = [
    ["Event", `${state.rated ? "Rated" : "Casual"} game`], ["Site", site], ["Date", date], ["Round", "-"],
    ["White", names[0]], ["Black", names[1]], ["Result", result],
  ];
  if (state.variant === "chess960") tags.push(["Variant", "Chess960"]);
  if (state.start !== null) tags.push(["SetUp", "1"], ["FEN", state.start]);
  if (state.time?.kind === "live") tags.push(["TimeControl", `${state.time.base}+${state.time.increment}`]);
  const header = tags.map(([name, value]) => `[${name} "${value.replace(/[\\"]/g, "\\$&")}"]`).join("\n");
  return `${header}\n\n${[movetext(line), result].filter(Boolean).join(" ")}\n`;
}

/** `1. e4 e5 2. Nf3`. */
export function movetext(line: Line): string {
  const [, turn, , , , number] = line.start.split(" ");
  const offset = turn === "b" ? 1 : 0;
  return line.plies
    .map((ply, index) => {
      const count = Number(number ?? 1) + Math.floor((index + offset) / 2);
      const isWhite = (index + offset) % 2 === 0;
      return isWhite ? `${count}. ${ply.san}` : index === 0 ? `${count}... ${ply.san}` : ply.san;
    })
    .join(" ");
}

/** Lichess's analysis board with this game; it reads 5,000 characters. */
export function lichessAddress(state: GameState, line: Line): string {
  const tags = state.start === null ? "" : `[FEN "${state.start}"]\n`;
  const variant = state.variant === "chess960" ? '[Variant "Chess960"]\n' : "";
  return `https://lichess.org/analysis/pgn/${encodeURIComponent(`${variant}${tags}${movetext(line)}`)}`;
}

/** A blob needs no server and no `data:` address, which browsers do not open. */
export function download(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
