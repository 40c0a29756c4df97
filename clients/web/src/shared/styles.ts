/** A stylesheet that comes with the code that draws by it. */

/** Settles once the sheet is there, or did not come. */
export function styled(address: string, base: string): Promise<unknown> {
  return new Promise((done) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = new URL(address, base).href;
    link.onload = link.onerror = done;
    document.head.append(link);
  });
}
