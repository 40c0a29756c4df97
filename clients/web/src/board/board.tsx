/** The one board: chessground for mouse and touch, and named squares over it for keyboard and
 * screen reader. Both make the same moves. */

import { Chessground } from "@lichess-org/chessground";
import type { Api } from "@lichess-org/chessground/api";
import type { Config } from "@lichess-org/chessground/config";
import type { Role, SquareName } from "chessops/types";
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

import type { Color } from "../arbiter/model.ts";
import type { Preferences } from "../preferences.ts";
import { part } from "../shared/later.tsx";
import { isPromotion, moveBetween, premoveBetween } from "./destinations.ts";
import type { Drawn } from "./drawn.ts";
import { useDrawing, type Arrow } from "./drawing.ts";
import { onInterrupted } from "./interrupted.ts";
import type { Variant } from "./position.ts";
import { Promotion } from "./promotion.tsx";
import { Squares } from "./squares.tsx";

const Marks = part((all) => all.Marks);

export interface BoardProps {
  readonly drawn: Drawn;
  readonly orientation: Color;
  /** The side that the player moves; `null` to look only. */
  readonly color: Color | null;
  readonly variant: Variant;
  readonly preferences: Pick<Preferences, "autoQueen" | "coordinates" | "destinations">;
  readonly isStill: boolean;
  readonly arrows?: readonly Arrow[];
  readonly onMove?: (uci: string) => void;
  /** Escape or a right click: premoves go. */
  readonly onCancel?: () => void;
  /** A command key on a square: `c`, `l` or `o`. */
  readonly onCommand?: (key: string) => void;
  /** For scripts: what the arbiter has confirmed. */
  readonly data?: { readonly fen: string; readonly pending: boolean; readonly result: string | null };
}

interface Step {
  readonly from: SquareName;
  readonly to: SquareName;
}

export function Board(props: BoardProps): JSX.Element {
  const { drawn, orientation, color, preferences } = props;
  const element = useRef<HTMLDivElement>(null);
  const ground = useRef<Api | null>(null);
  const [picked, setPicked] = useState<SquareName | null>(null);
  const [promoting, setPromoting] = useState<Step | null>(null);
  const choosing = promoting && canPromote(drawn, promoting) ? promoting : null;
  const latest = useRef(props);
  latest.current = props;
  const drawing = useDrawing(element, orientation, () => latest.current.onCancel?.());

  const arrows = [...(props.arrows ?? []), ...drawing.arrows];
  const orders = ordersOf(drawn);

  /** `choice` is the promotion that is under way: its pawn is where it was put. */
  function show(choice: Step | null = null): void {
    const config = configOf(latest.current);
    if (!choice) return ground.current?.set(config);
    ground.current?.set({ ...config, animation: { enabled: false } });
    ground.current?.move(choice.from, choice.to);
  }

  function finish(from: SquareName, to: SquareName, promotion: Role | null): void {
    const { drawn: now, variant, onMove } = latest.current;
    const between = now.mode === "move" ? moveBetween : premoveBetween;
    const uci = now.position && now.mode !== "look" && between(now.position, from, to, promotion, variant);
    setPicked(null);
    setPromoting(null);
    ground.current?.selectSquare(null);
    if (uci) onMove?.(uci);
    else show();
  }

  function put(from: SquareName, to: SquareName): void {
    const { drawn: now, preferences: chosen } = latest.current;
    const isQueen = chosen.autoQueen === "always" || (chosen.autoQueen === "premove" && now.mode === "premove");
    if (!now.position || !isPromotion(now.position, from, to)) finish(from, to, null);
    else if (isQueen) finish(from, to, "queen");
    else setPromoting({ from, to });
  }

  /** Chessground measures itself after any scrolling, and the moves beside it scroll with each move. */
  function scrolled(event: Event): void {
    if (!(event.target as Node).contains(element.current)) event.stopPropagation();
  }

  useLayoutEffect(() => {
    if (!element.current) return;
    const api = Chessground(element.current, {
      ...configOf(latest.current),
      viewOnly: color === null,
      coordinates: preferences.coordinates !== "off",
      ranksPosition: "left",
      disableContextMenu: true,
      // Its arrows set `style` attributes, which the page's policy refuses: see marks.tsx.
      drawable: { enabled: false, visible: false },
      premovable: { enabled: false },
      movable: { ...configOf(latest.current).movable, free: false, rookCastle: true },
      events: { select: (key) => drawing.clear(key) },
    });
    api.set({ movable: { events: { after: (from, to) => put(from as SquareName, to as SquareName) } } });
    ground.current = api;
    addEventListener("scroll", scrolled, true);
    const unwatch = onInterrupted(() => api.state.draggable.current && api.cancelMove());
    return () => {
      unwatch();
      removeEventListener("scroll", scrolled, true);
      ground.current = null;
      api.destroy();
    };
  }, [color === null, preferences.coordinates]);

  // The player's unfinished move goes on for as long as it is possible, whatever came meanwhile.
  useLayoutEffect(() => {
    if (!choosing) setPromoting(null);
    if (picked && !drawn.destinations.has(picked)) setPicked(null);
    show(choosing);
  }, [drawn, orientation, color, preferences.destinations, props.isStill]);

  function pick(square: SquareName | null): void {
    setPicked(square);
    ground.current?.selectSquare(null);
    if (square) ground.current?.selectSquare(square, true);
  }

  return (
    <div
      class={`board coordinates-${preferences.coordinates}`} data-testid="board" data-orientation={orientation}
      data-fen={props.data?.fen ?? drawn.fen} data-pending={props.data?.pending ?? false}
      data-result={props.data?.result ?? undefined}
    >
      <div class="board-ground" ref={element} />
      {(arrows.length > 0 || orders.size > 0) && <Marks arrows={arrows} orders={orders} orientation={orientation} />}
      <Squares
        drawn={drawn} orientation={orientation} picked={picked} onPick={pick} onPut={put}
        onCancel={() => props.onCancel?.()} onCommand={(key) => props.onCommand?.(key)}
      />
      {choosing && color && (
        <Promotion
          square={choosing.to}
          color={color}
          orientation={orientation}
          onChoice={(role) => finish(choosing.from, choosing.to, role)}
          onCancel={() => {
            setPromoting(null);
            show();
          }}
        />
      )}
    </div>
  );
}

function canPromote({ destinations, position }: Drawn, { from, to }: Step): boolean {
  return position !== null && (destinations.get(from)?.includes(to) ?? false) && isPromotion(position, from, to);
}

function configOf({ drawn, orientation, color, preferences, isStill }: BoardProps): Config {
  const isOpen = drawn.mode !== "look" && color !== null;
  return {
    fen: drawn.fen,
    orientation,
    // Premoves are moves on the position after the earlier ones: chessground has one of its own.
    turnColor: color ?? "white",
    check: drawn.check ?? false,
    lastMove: [...drawn.lastMove],
    movable: {
      color: isOpen ? color : undefined,
      dests: isOpen ? drawn.destinations : new Map(),
      showDests: preferences.destinations,
    } as NonNullable<Config["movable"]>,
    highlight: { custom: marksOf(drawn) },
    animation: { enabled: !isStill, duration: 150 },
  };
}

function marksOf(drawn: Drawn): Map<SquareName, string> {
  const marks = new Map(drawn.marks);
  if (drawn.mode === "premove") {
    for (const square of drawn.lastMove) if (!marks.has(square)) marks.set(square, "earlier");
  }
  return marks;
}

/** The number of each premove at its goal, where there are several. */
function ordersOf(drawn: Drawn): ReadonlyMap<SquareName, number> {
  return drawn.premoves.length > 1
    ? new Map(drawn.premoves.map((uci, index) => [uci.slice(2, 4) as SquareName, index + 1]))
    : new Map();
}
