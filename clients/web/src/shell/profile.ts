/** The content of a kind 0. */

/** The same with this name, and all that it has besides. */
export function named(profile: string, name: string): string {
  const known = JSON.parse(profile) as Record<string, unknown>;
  return JSON.stringify({ ...known, name, ...("display_name" in known ? { display_name: name } : {}) });
}
