import type { KeyValues } from "../src/identity/identity.ts";

/** localStorage of one browser. */
export function storage(): KeyValues {
  const values = new Map<string, string>();
  return {
    getItem: (name) => values.get(name) ?? null,
    setItem: (name, value) => void values.set(name, value),
    removeItem: (name) => void values.delete(name),
  };
}
