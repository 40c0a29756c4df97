/** The four pieces that a pawn may become, in a column at its square. */

import type { Role, SquareName } from "chessops/types";
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

import type { Color } from "../arbiter/model.ts";
import { t } from "../texts/index.ts";
import { roleKey } from "./speech.ts";

const ROLES: readonly Role[] = ["queen", "knight", "rook", "bishop"];

interface PromotionProps {
  readonly square: SquareName;
  readonly color: Color;
  readonly orientation: Color;
  readonly onChoice: (role: Role) => void;
  readonly onCancel: () => void;
}

export function Promotion({ square, color, orientation, onChoice, onCancel }: PromotionProps): JSX.Element {
  const column = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    column.current?.querySelector("button")?.focus();
    return () => (before instanceof HTMLElement ? before.focus() : undefined);
  }, []);

  function pressed(event: KeyboardEvent): void {
    const buttons = [...(column.current?.querySelectorAll("button") ?? [])];
    const at = buttons.indexOf(event.target as HTMLButtonElement);
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: 3, ArrowLeft: 3 }[event.key];
    const letter = ["q", "n", "r", "b"].indexOf(event.key.toLowerCase());
    event.stopPropagation();
    if (event.key === "Escape") onCancel();
    else if (event.key === "Tab") buttons[(at + (event.shiftKey ? 3 : 1)) % 4]?.focus();
    else if (step) buttons[(at + step) % 4]?.focus();
    else if (letter >= 0) onChoice(ROLES[letter]!);
    else return;
    event.preventDefault();
  }

  const file = square.charCodeAt(0) - 97;
  const column8 = orientation === "white" ? file : 7 - file;
  const isTop = (square[1] === "8") === (orientation === "white");
  return (
    <div class="promotion" onClick={onCancel}>
      <div
        ref={column} class={`promotion-column ${isTop ? "from-top" : "from-bottom"}`}
        style={{ left: `${column8 * 12.5}%` }} role="dialog" aria-modal="true" aria-label={t("board.promote")}
        onKeyDown={pressed}
      >
        {ROLES.map((role) => (
          <button
            key={role}
            type="button"
            class="cg-wrap"
            aria-label={t(roleKey(role))}
            onClick={(event) => {
              event.stopPropagation();
              onChoice(role);
            }}
          >
            <span class={`figure ${color} ${role}`} />
          </button>
        ))}
      </div>
    </div>
  );
}
