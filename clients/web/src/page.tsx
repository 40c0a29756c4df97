/** Draws the page for a client, in the language and colours that the player chose. */

import { render, type JSX } from "preact";
import { App, preload } from "./app.tsx";
import type { ArbiterClient } from "./arbiter/model.ts";
import { isStill, onPreferences, preferences } from "./preferences.ts";
import { routeIn } from "./router.ts";
import { AccountContext, type Account } from "./shared/account.ts";
import { whenIdle } from "./shared/hooks.ts";
import { languageOf, speak, spoken, t } from "./texts/index.ts";
import "./style.css";

const ASKED_MS = 10_000;

/** Returns when the first page is drawn. */
export async function start(
  connecting: Promise<ArbiterClient>,
  opening: Promise<Account> | null = null,
): Promise<void> {
  const place = document.getElementById("app");
  if (!place) return;
  const route = routeIn(location.hash);
  if (route.page === "game") {
    preload();
    // Asked at once; the page asks again when it is there, and a little later this ends.
    connecting.then((client) => setTimeout(client.watch(route.game), ASKED_MS), () => {});
  }
  connecting.catch(() => {}); // told below, once there are words
  await speak(chosenLanguage());
  applyLook();
  let client: ArbiterClient;
  try {
    client = await connecting;
  } catch {
    render(<NoArbiter />, place);
    return;
  }
  const account = await opening;
  // Another language makes every view anew: texts are read as they are drawn.
  const draw = (): void =>
    render(
      <AccountContext.Provider value={account}>
        <App client={client} key={spoken()} />
      </AccountContext.Provider>,
      place,
    );
  draw();
  onPreferences(() => {
    applyLook();
    const language = chosenLanguage();
    if (language !== spoken()) void speak(language).then(() => (applyLook(), draw()));
  });
  whenIdle(preload);
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
}

function NoArbiter(): JSX.Element {
  return (
    <main class="page">
      <section class="card narrow" role="alert">
        <h1>{t("app.name")}</h1>
        <p>{t("app.noArbiter")}</p>
        <button type="button" class="primary" onClick={() => location.reload()}>
          {t("app.retry")}
        </button>
      </section>
    </main>
  );
}
