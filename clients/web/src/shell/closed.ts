/** The operator's text while no new games begin, over every page: read from the arbiter that served it. */

const AGAIN_MS = 600_000;

/** The text in the arbiter's own document; null while games may begin, or where none can be read. */
export async function closedText(fetched: typeof fetch = fetch): Promise<string | null> {
  try {
    const answer = await fetched("/", { headers: { Accept: "application/nostr+json" }, credentials: "omit" });
    const { closed } = (await answer.json()) as { readonly closed?: unknown };
    return typeof closed === "string" && closed !== "" ? closed : null;
  } catch {
    return null;
  }
}

async function show(banner: HTMLElement): Promise<void> {
  const text = await closedText();
  banner.textContent = text ?? "";
  banner.hidden = text === null;
}

/** Puts the banner over the page, and looks again now and then. */
export function showClosed(): void {
  const banner = document.createElement("p");
  // The styles of warnings may not be loaded yet.
  banner.style.cssText = "margin:0;padding:.6rem .9rem;text-align:center;border-bottom:4px solid var(--warn);background:var(--sunken)";
  banner.setAttribute("role", "status");
  banner.dataset["testid"] = "closed";
  banner.hidden = true;
  document.body.prepend(banner);
  let lookedMs = 0;
  const look = (): void => {
    if (Date.now() - lookedMs < AGAIN_MS / 10) return;
    lookedMs = Date.now();
    void show(banner);
  };
  look();
  setInterval(look, AGAIN_MS);
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && look());
}
