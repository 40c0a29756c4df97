/** The text of a file, in the encodings that programs for chess and PowerShell write. */

/** By its byte order mark; without one UTF-8, and Windows-1252, with Latin-1 in it, for what is none. */
export function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return decoded(bytes, "utf-16le");
  if (first === 0xfe && second === 0xff) return decoded(bytes, "utf-16be");
  // Without a mark: a PGN begins with ASCII, half of which is zero there.
  if (first && second === 0) return decoded(bytes, "utf-16le");
  if (first === 0 && second) return decoded(bytes, "utf-16be");
  try {
    // As a stream: a file that was cut inside a letter is UTF-8 too.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return decoded(bytes, "windows-1252");
  }
}

function decoded(bytes: Uint8Array, encoding: string): string {
  return new TextDecoder(encoding).decode(bytes);
}
