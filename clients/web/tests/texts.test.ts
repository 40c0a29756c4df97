/** Every language has each text, in its own words. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Chess } from "chessops/chess";
import { parseFen } from "chessops/fen";
import { inLetters, spokenSan } from "../src/board/speech.ts";
import { typed } from "../src/board/typed.ts";
import { spokenClock } from "../src/pages/game_commands.ts";
import { de } from "../src/texts/de.ts";
import { en } from "../src/texts/en.ts";
import { enLater } from "../src/texts/en_later.ts";
import { enTournaments } from "../src/texts/en_tournaments.ts";
import { es } from "../src/texts/es.ts";
import { fr } from "../src/texts/fr.ts";
import { addEnglish, counted, isTextKey, languageOf, speak, spoken, t, type Language } from "../src/texts/index.ts";

addEnglish(enLater);

const ENGLISH = { ...en, ...enLater, ...enTournaments };

/** The texts that are the same in English. */
const SAME = {
  all: ["Arbiter", "Bullet", "Blitz", "{action} …", "{count} h", "{count} min", "{count} s", "{ms} ms"],
  de: ["Arena", "Engine", "Name", "System", "Vibration", "w"],
  es: ["Arena", "bot"],
  fr: ["Actions", "Description", "Points", "Pages", "Vibration", "bot", "{count} minute", "{count} minutes"],
};

test("the language is the chosen one, else the first of the browser's that there is", () => {
  assert.equal(languageOf("de", ["en"]), "de");
  assert.equal(languageOf("", ["pl-PL", "es-419", "en"]), "es");
  assert.equal(languageOf("system", ["FR-ca", "de"]), "fr");
  for (const unknown of ["pl", "den", "constructor", ""]) assert.equal(languageOf("", [unknown]), "en", unknown);
});

for (const [language, texts] of Object.entries({ de, es, fr })) {
  test(`every text is there in ${language}, in its own words and with the same values`, () => {
    const valuesIn = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(String).sort();
    const same = [...SAME.all, ...SAME[language as keyof typeof SAME]];
    assert.deepEqual(Object.keys(texts).sort(), Object.keys(ENGLISH).sort());
    for (const [key, english] of Object.entries(ENGLISH)) {
      const text = texts[key as keyof typeof texts];
      assert.deepEqual(valuesIn(text), valuesIn(english), key);
      if (text === english) assert.ok(same.includes(text), `${key} is in English: ${text}`);
      assert.doesNotMatch(text.replace(/\{\w+\}/g, ""), /(?<!\p{L})(the|you|your|and|of|with|is|not|it|to)(?!\p{L})/iu, key);
    }
    for (const word of same) assert.ok(Object.values<string>(texts).includes(word), `${word} is no longer the same`);
  });
}

test("French puts spaces that do not break before its signs", () => {
  for (const [key, text] of Object.entries(fr)) assert.doesNotMatch(text, / [:»]|« |\S[:;]? [;!?](?![a-z])/, key);
});

test("texts are filled with values, as text, in the language that is spoken", async () => {
  assert.equal(t("relays.connected", { connected: 1, all: "<b>{all}" }), "1 of <b>{all} relays connected");
  assert.equal(counted("time.days", 1), "1 day");
  assert.equal(counted("time.days", 2), "2 days");
  await speak("de");
  assert.equal(spoken(), "de");
  assert.equal(counted("time.days", 2), "2 Tage");
  await speak("en");
  assert.ok(!isTextKey("constructor"));
});

test("none is singular in French, plural in English", async (context) => {
  context.after(() => speak("en"));
  assert.equal(spokenClock(0), "0 seconds");
  await speak("fr");
  assert.equal(spokenClock(0), "0 seconde");
  assert.match(counted("time.days", 1234), /^1\s234 jours$/);
});

const BOTH = Chess.fromSetup(parseFen("4k3/P7/8/8/8/8/3R2P1/6KN w - - 0 1").unwrap()).unwrap();

const MOVES: Record<Language, Record<string, string | null>> = {
  en: { "Ng3": "h1g3", "Kf1": "g1f1", "Rf2": "d2f2", "a8=Q": "a7a8q", "Tf2": "d2f2" },
  de: { "Sg3": "h1g3", "Kf1": "g1f1", "Tf2": "d2f2", "a8=D": "a7a8q", "a8=s": "a7a8n", "Rf2": "d2f2" },
  es: { "Cg3": "h1g3", "Rf1": "g1f1", "rf2": "g1f2", "Tf2": "d2f2", "a8=A": "a7a8b", "a8=c": "a7a8n", "Kf1": "g1f1", "Rd3": null },
  fr: { "Cg3": "h1g3", "Rf1": "g1f1", "rf2": "g1f2", "Tf2": "d2f2", "a8=F": "a7a8b", "a8=c": "a7a8n", "Kf1": "g1f1", "Rd3": null },
};
const SAID: Record<Language, [string, string]> = {
  en: ["knight takes f 3, check", "Nxf3+"], de: ["Springer schlägt f 3, Schach", "Sxf3+"],
  es: ["caballo captura f 3, jaque", "Cxf3+"], fr: ["cavalier prend f 3, échec", "Cxf3+"],
};

for (const language of Object.keys(MOVES) as Language[]) {
  test(`moves are typed, written and spoken in ${language}`, async (context) => {
    context.after(() => speak("en"));
    await speak(language);
    for (const [text, uci] of Object.entries(MOVES[language])) {
      assert.deepEqual(typed(text, BOTH, false, "standard"), uci ? { kind: "move", uci } : { kind: "unclear" }, text);
    }
    assert.deepEqual(typed(`p ${t("board.letters")[0]}`, BOTH, false, "standard"), { kind: "pieces", role: "king", color: "white" });
    assert.deepEqual([spokenSan("Nxf3+"), inLetters("Nxf3+")], SAID[language]);
    assert.deepEqual([inLetters("O-O"), inLetters("a8=R#")], ["O-O", `a8=${t("board.letters")[2]}#`]);
  });
}
