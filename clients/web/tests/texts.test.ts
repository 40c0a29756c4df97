/** Every language beside English has each text, filled as English is. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { de } from "../src/texts/de.ts";
import { en } from "../src/texts/en.ts";
import { enLater } from "../src/texts/en_later.ts";
import { counted, isTextKey, languageOf, speak, spoken, t } from "../src/texts/index.ts";

const ENGLISH = { ...en, ...enLater };
const OTHERS = { de };

test("the language is the chosen one, else the first of the browser's that there is", () => {
  assert.equal(languageOf("de", ["en"]), "de");
  assert.equal(languageOf("", ["fr-FR", "de-AT", "en"]), "de");
  assert.equal(languageOf("", ["fr", "constructor"]), "en");
});

for (const [language, texts] of Object.entries(OTHERS)) {
  test(`every text has the same values in ${language}`, () => {
    const valuesIn = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(String).sort();
    assert.deepEqual(Object.keys(texts).sort(), Object.keys(ENGLISH).sort());
    for (const [key, text] of Object.entries(ENGLISH)) {
      assert.deepEqual(valuesIn(texts[key as keyof typeof texts]), valuesIn(text), key);
    }
  });
}

test("texts are filled with values, as text, in the language that is spoken", async () => {
  assert.equal(t("relays.connected", { connected: 1, all: "<b>{all}" }), "1 of <b>{all} relays connected");
  assert.equal(counted("lobby.waiting", 1), "1 waiting");
  assert.equal(counted("lobby.waiting", 2), "2 waiting");
  await speak("de");
  assert.equal(spoken(), "de");
  assert.equal(counted("lobby.waiting", 2), "2 warten");
  await speak("en");
  assert.ok(!isTextKey("constructor"));
});
