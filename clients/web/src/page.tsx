/** Draws the page for a client, in the language and colours that the player chose. */

import { render, type JSX } from "preact";
import { App, preload, Trouble } from "./app.tsx";
import type { ArbiterClient } from "./arbiter/model.ts";
import { DEFAULTS, isStill, onPreferences, preferences } from "./preferences.ts";
import { routeIn } from "./router.ts";
import { AccountContext, type Account } from "./shared/account.ts";
import { whenIdle } from "./shared/hooks.ts";
import { later, part } from "./shared/later.tsx";
import type { Obstacles, Tell } from "./start.ts";
import { languageOf, speak, spoken, t } from "./texts/index.ts";
import "./style.css";

const ASKED_MS = 10_000;
const AwaitedSigner = part((all) => all.AwaitedSigner);

interface Begun {
  readonly connecting: Promise<ArbiterClient>;
  /** `null` where there is no key, as in tests of pages. */
  readonly opening: Promise<Account> | null;
}

/** Returns when the first page is drawn; until then what keeps it from that is shown. */
export async function start(begin: (tell: Tell) => Begun): Promise<void> {
  const place = document.getElementById("app");
  if (!place) return;
  let obstacles: Obstacles = {};
  let isReady = false;
  const show = (): void => {
    if (isReady && (obstacles.arbiter || obstacles.signer)) render(<Obstructed {...obstacles} />, place);
  };
  const { connecting, opening } = begin((change) => {
    obstacles = { ...obstacles, ...change };
    show();
  });
  const route = routeIn(location.hash);
  if (route.page === "game") {
    void preload();
    // Asked at once; the page asks again when it is there, and a little later this ends.
    void connecting.then((client) => setTimeout(client.watch(route.game), ASKED_MS));
  }
  // Without a network there may be no other language than English.
  await speak(chosenLanguage()).catch(() => {});
  applyLook();
  isReady = true;
  show();
  const client = await connecting;
  const account = await opening;
  // Another language makes every view anew: texts are read as they are drawn.
  const draw = (): void =>
    render(
      <AccountContext.Provider value={account}><App client={client} key={spoken()} /></AccountContext.Provider>,
      place,
    );
  draw();
  onPreferences(() => {
    applyLook();
    const language = chosenLanguage();
    if (language !== spoken()) void speak(language).then(() => (applyLook(), draw()), () => {});
  });
  // The rest after the board: without a network there is none to fetch.
  whenIdle(() => void preload().then(later).then(({ attend }) => attend(client)).catch(() => {}));
  import("./shell/closed.ts").then((it) => it.showClosed(), () => {});
}

function chosenLanguage(): ReturnType<typeof languageOf> {
  const { language } = preferences();
  return languageOf(language === "system" ? "" : language, navigator.languages);
}

/** The attributes that style.css looks at. */
function applyLook(): void {
  const { documentElement: html } = document;
  html.lang = spoken();
  html.dataset["theme"] = preferences().theme;
  html.dataset["motion"] = isStill() ? "reduced" : "full";
  const { board, pieces } = preferences();
  html.dataset["board"] = board;
  // The usual look is in the page's own stylesheet.
  if (pieces !== DEFAULTS.pieces || board !== DEFAULTS.board) import("./themes.ts").then(() => (html.dataset["pieces"] = pieces), () => {});
  else html.dataset["pieces"] = pieces;
}

function Obstructed({ arbiter, signer }: Obstacles): JSX.Element {
  return (
    <main class="page">
      {arbiter && <Trouble text={t(arbiter.why === "none" ? "app.noArbiter" : "app.unreachable")} retry={arbiter.retry} />}
      {signer && <AwaitedSigner {...signer} />}
    </main>
  );
}
