/** The name of an opening by its moves. */

const names = new Map<string, string>();
/** Plies of the longest beginning that has a name. */
export const LONGEST = 10;

/**
 * Such as `C50 Italian Game`, of the longest known beginning of these moves; `null` without one. The table is core/openings.tsv
 * of the arbiter, whose PGN names the same.
 */
export function openingOf(table: string, sans: readonly string[]): string | null {
  if (names.size === 0) read(table);
  const bare = sans.slice(0, LONGEST).map((san) => san.replace(/[+#]$/, ""));
  for (let count = bare.length; count > 0; count--) {
    const name = names.get(bare.slice(0, count).join(" "));
    if (name) return name;
  }
  return null;
}

function read(table: string): void {
  let moves: readonly string[] = [];
  for (const line of table.trimEnd().split("\n")) {
    const [played = "", name = ""] = line.split("\t");
    const [shared = "0", ...rest] = played.split(" ");
    moves = [...moves.slice(0, Number(shared)), ...rest];
    names.set(moves.map((san) => san.replace(/[+#]$/, "")).join(" "), name);
  }
}
