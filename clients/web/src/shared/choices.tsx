/** One of a few, and what is on or off. */

import type { JSX } from "preact";

interface SegmentsProps<T> {
  /** Of the group, where nothing else names it. */
  readonly label?: string;
  readonly of: readonly T[];
  readonly chosen: NoInfer<T>;
  readonly text: (one: T) => string;
  readonly choose: (one: T) => void;
  readonly bars?: (one: T) => boolean;
}

export function Segments<T>({ label, of, chosen, text, choose, bars }: SegmentsProps<T>): JSX.Element {
  return (
    <div class="segments" role={label ? "group" : undefined} aria-label={label}>
      {of.map((one) => (
        <button type="button" aria-pressed={chosen === one} disabled={bars?.(one)} onClick={() => choose(one)}>{text(one)}</button>
      ))}
    </div>
  );
}

interface CheckProps {
  readonly text: string;
  readonly isOn: boolean;
  readonly turn: (isOn: boolean) => void;
  readonly isBusy?: boolean;
  readonly role?: "switch";
}

export function Check({ text, isOn, turn, isBusy, role }: CheckProps): JSX.Element {
  return (
    <label class="check">
      <input type="checkbox" role={role} checked={isOn} disabled={isBusy} onChange={({ currentTarget: { checked } }) => turn(checked)} />
      {text}
    </label>
  );
}
