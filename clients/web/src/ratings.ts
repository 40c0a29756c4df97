/** The course of a player's rating, read from the headers of their games' PGN. */

export interface RatedAt {
  readonly speed: string;
  readonly rating: number;
  readonly atMs: number;
}

/** The ratings of the player of these names before each rated game of the file, the oldest first. */
export function ratingsIn(pgn: string, names: readonly string[]): readonly RatedAt[] {
  const found: RatedAt[] = [];
  for (const section of pgn.split(/\n(?=\[Event )/)) {
    const headers = headersIn(section);
    const speed = /^Rated (\w+) game$/.exec(headers.get("Event") ?? "")?.[1];
    // A player with a name has it in `White`, and their key in `WhiteNA`.
    const keyOf = (color: string): string => (headers.get(`${color}NA`) ?? headers.get(color) ?? "").replace("nostr:", "");
    const side = (["White", "Black"] as const).find((color) => names.includes(keyOf(color)) || names.includes(headers.get(color) ?? ""));
    const rating = Number(side && headers.get(`${side}Elo`));
    const date = headers.get("UTCDate")?.replaceAll(".", "-");
    const atMs = Date.parse(`${date}T${headers.get("UTCTime")}Z`);
    if (speed && side && rating > 0 && Number.isFinite(atMs)) found.push({ speed, rating, atMs });
  }
  return found.sort((one, other) => one.atMs - other.atMs);
}

function headersIn(section: string): ReadonlyMap<string, string> {
  const lines = section.matchAll(/^\[(\w{1,40}) "((?:[^"\\]|\\.)*)"\]$/gm);
  return new Map([...lines].map(([, name = "", value = ""]) => [name, value]));
}

export interface Drawn {
  /** The line, for `d` of a path in a box of `width` by `height`. */
  readonly path: string;
  readonly least: number;
  readonly most: number;
}

/** The ratings as a line, game by game; at least a hundred points high, so that noise is no drama. */
export function lineOf(ratings: readonly number[], width: number, height: number): Drawn {
  const low = Math.min(...ratings);
  const high = Math.max(...ratings);
  const missing = Math.max(0, 100 - (high - low)) / 2;
  const least = Math.floor((low - missing) / 10) * 10;
  const most = Math.ceil((high + missing) / 10) * 10;
  const x = (place: number): number => (ratings.length > 1 ? (place / (ratings.length - 1)) * width : 0);
  const y = (rating: number): number => height - ((rating - least) / (most - least)) * height;
  const points = ratings.map((rating, place) => `${x(place).toFixed(1)} ${y(rating).toFixed(1)}`);
  return { path: `M${points.join("L")}`, least, most };
}
