/** The pause after this many attempts in vain: twice as long each time, up to the longest. */
export function backoff(firstMs: number, longestMs: number, attempts: number): number {
  return Math.min(longestMs, firstMs * 2 ** attempts);
}
