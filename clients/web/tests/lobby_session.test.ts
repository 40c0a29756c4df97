import assert from "node:assert/strict";
import { test } from "node:test";

import type { Response } from "../src/arbiter/answers.ts";
import { newLobby, stepLobby, type LobbyEffect, type LobbyInput, type LobbySession } from "../src/arbiter/lobby_session.ts";
import type { IncomingChallenge, Terms } from "../src/arbiter/model.ts";
import type { Ask } from "../src/arbiter/requests.ts";
import { AT, BLACK, GAME, WHITE } from "./signed.ts";

const TERMS: Terms = { time: { kind: "live", base: 180, increment: 2 }, rated: false, variant: "standard", color: "random", rating: null, start: null, bots: false };
const POOL: Ask = { kind: "pool", terms: TERMS };
const NAMED: Ask = { kind: "challenge", opponent: BLACK, terms: TERMS, house: false };
const HOUSE: Ask = { kind: "challenge", opponent: WHITE, terms: TERMS, house: true };
const OPEN: Ask & { readonly kind: "open" } = { kind: "open", terms: TERMS, linkSecret: "07".repeat(32) };
const STATE: Ask = { kind: "state" };
const CHALLENGE = "ef".repeat(16);
const INCOMING: IncomingChallenge = { id: CHALLENGE, challenger: BLACK, terms: TERMS, expiresAt: AT + 60 };
const idOf = (number: number): string => number.toString(16).padStart(64, "0");

class Asked {
  lobby: LobbySession;
  nowMs = AT * 1000;
  effects: readonly LobbyEffect[] = [];
  signed = 0;

  constructor(kept: Parameters<typeof newLobby>[0] = {}) {
    this.lobby = newLobby(kept);
  }

  step(input: LobbyInput): this {
    [this.lobby, this.effects] = stepLobby(this.lobby, input, this.nowMs);
    return this;
  }

  /** Asks, and signs it as the next number. */
  ask(ask: Ask): this {
    return this.step({ type: "ask", ask }).sign();
  }

  /** Signs what the last step asked for; its effects stay to be looked at. */
  sign(): this {
    for (const effect of this.effects) {
      if (effect.type !== "request") continue;
      this.signed += 1;
      const input = { type: "signed", key: effect.key, eventId: idOf(this.signed) } as const;
      [this.lobby] = stepLobby(this.lobby, input, this.nowMs);
    }
    return this;
  }

  hear(response: Response, stored = false, isAside = false): this {
    return this.step({ type: "response", response, stored, isAside });
  }

  queued(request: number | null, challenge: string | null = null, place: number | null = null): this {
    return this.hear({ type: "queued", request: request && idOf(request), challenge, place, at: this.nowMs / 1000 } as Response);
  }

  /** Back in the pool, without having asked. */
  back(at = this.nowMs / 1000): this {
    return this.hear({ type: "queued", request: null, challenge: null, place: null, at });
  }

  refuse(request: number | null, reason: string, text = "", challenge: string | null = null): this {
    return this.hear({ type: "refused", request: request && idOf(request), refusal: { reason, text }, challenge } as Response);
  }

  started(request: number | null = null, stored = false): this {
    return this.hear({ type: "started", request: request && idOf(request), game: GAME, opponent: BLACK, color: "white", at: this.nowMs / 1000 } as Response, stored);
  }

  later(ms: number, connected = true): this {
    this.nowMs += ms;
    return this.step({ type: "tick", connected });
  }

  get notices() {
    return this.effects.flatMap((effect) => (effect.type === "notice" ? [[effect.text, effect.values]] : []));
  }

  get requests() {
    return this.effects.flatMap((effect) => (effect.type === "request" ? [[effect.ask.kind, effect.bits]] : []));
  }
}

test("who asks for a game waits, at first unconfirmed, and plays once it has started", () => {
  const asked = new Asked().ask(POOL);
  assert.deepEqual([asked.requests, asked.lobby.waiting[0]?.confirmed], [[["pool", 0]], false]);
  assert.equal(asked.queued(1).lobby.waiting[0]?.confirmed, true);
  asked.started();
  assert.deepEqual([asked.lobby.waiting, asked.lobby.playing], [[], GAME]);
  assert.deepEqual(asked.effects, [{ type: "started", game: GAME, opponent: BLACK, color: "white" }]);
});

test("of the games that `state` brings the first is played, and what waits beside them is kept", () => {
  const other = { type: "started", request: idOf(1), game: "77".repeat(16), opponent: WHITE, color: "black", at: AT } as Response;
  for (const ends of [true, false]) {
    const asked = new Asked().ask(STATE).started(1);
    assert.equal(asked.effects.length, 1);
    assert.deepEqual(asked.hear(other).effects, []);
    assert.equal(asked.lobby.playing, GAME);
    asked.queued(1, CHALLENGE).queued(1);
    assert.deepEqual(asked.lobby.waiting.map(({ kind }) => kind), ["challenge", "pool"]);
    if (ends) asked.hear({ type: "end", request: idOf(1) } as Response);
    assert.deepEqual(asked.later(15_000).requests, [], "it was answered");
    assert.deepEqual(asked.hear({ ...other, request: null }).effects.length, 1, "a game that begins now is played");
  }
});

test("`queued` that comes after `started` changes nothing", () => {
  const asked = new Asked().ask(POOL).started();
  assert.deepEqual(asked.queued(1).lobby.waiting, []);
});

test("a place in the pool is asked for again each minute, and stays what it is", () => {
  const asked = new Asked().ask(POOL).queued(1);
  assert.deepEqual(asked.later(59_000).requests, []);
  for (let minute = 2; minute < 5; minute += 1) {
    assert.deepEqual(asked.later(60_000).requests, [["pool", 0]]);
    assert.equal(asked.sign().lobby.waiting[0]?.confirmed, true);
    assert.deepEqual(asked.queued(minute).lobby.asked, []);
  }
});

test("a request by days, or for a friend, is not asked for again", () => {
  const slow: Ask = { kind: "pool", terms: { ...TERMS, time: { kind: "days", days: 3 } } };
  for (const ask of [slow, OPEN, NAMED]) assert.deepEqual(new Asked().ask(ask).queued(1, ask === slow ? null : CHALLENGE).later(300_000).requests, []);
});

test("who was left alone in a game waits again, on the same terms", () => {
  const asked = new Asked().ask(POOL).started();
  asked.back();
  assert.deepEqual(asked.lobby.waiting.map(({ kind, terms, confirmed }) => [kind, terms, confirmed]), [["pool", TERMS, true]]);
  assert.deepEqual(asked.later(60_000).requests, [["pool", 0]], "the place is renewed like one that was asked for");
});

test("being back in the pool is told once, and not to who asked, plays or has cancelled since", () => {
  const left = () => new Asked().ask(POOL).started().later(1_000);
  const shown = ({ lobby }: Asked) => lobby.waiting.map(({ isBack }) => isBack);
  assert.deepEqual(shown(left().back().back()), [true], "told by two relays");
  assert.deepEqual(shown(left().back().ask(POOL).back()), [false], "another request took its place");
  assert.deepEqual(shown(left().started().back(AT)), [], "a `queued` that the next game has overtaken");
  const cancelled = left().back().ask({ kind: "cancel" });
  assert.deepEqual(shown(cancelled.hear({ type: "cancelled", request: idOf(2) })), []);
});

test("who is back in the pool still is after a reload, if the arbiter confirms it", () => {
  const again = () => new Asked({ waiting: new Asked().ask(POOL).started().back().lobby.waiting }).ask(STATE);
  const shown = ({ lobby }: Asked) => lobby.waiting.map(({ isBack, confirmed, terms }) => [isBack, confirmed, terms]);
  assert.deepEqual(shown(again().queued(1)), [[true, true, TERMS]]);
  assert.deepEqual(shown(again().refuse(1, "unknown-game")), []);
});

test("another request to the pool takes the place of the first", () => {
  const asked = new Asked().ask(POOL).queued(1).ask(POOL);
  assert.deepEqual(asked.lobby.waiting.map(({ requestId }) => requestId), [idOf(2)]);
  assert.equal(asked.queued(1).lobby.waiting[0]?.confirmed, false);
});

test("`started` that a relay has stored counts only as the answer to a request of mine", () => {
  assert.equal(new Asked().ask(POOL).started(null, true).lobby.playing, null);
  assert.equal(new Asked().ask(POOL).started(9, true).lobby.playing, null);
  assert.equal(new Asked().ask(STATE).started(1, true).lobby.playing, GAME);
});

test("an open challenge has its link once the arbiter has named it", () => {
  const asked = new Asked().ask(OPEN);
  assert.equal(asked.lobby.waiting[0]?.secretLink, null);
  assert.equal(asked.queued(1, CHALLENGE).lobby.waiting[0]?.secretLink, `${CHALLENGE}-${"07".repeat(32)}`);
});

test("challenges wait beside a place in the pool, and `cancel` takes back all that was asked before", () => {
  const asked = new Asked().ask(POOL).ask(NAMED).ask({ kind: "cancel" }).ask(OPEN);
  assert.equal(asked.lobby.waiting.length, 3);
  asked.hear({ type: "cancelled", request: idOf(3) });
  assert.deepEqual(asked.lobby.waiting.map(({ kind }) => kind), ["open"]);
});

test("a challenge that is declined is told, and waits no more", () => {
  const asked = new Asked().ask(NAMED).queued(1, CHALLENGE).refuse(null, "declined", "tooFast");
  assert.deepEqual([asked.lobby.waiting, asked.notices], [[], [["challenge.declined", { reason: "tooFast" }]]]);
});

test("of two challenges none is dropped for a refusal without a name", () => {
  const asked = new Asked().ask(NAMED).ask({ ...NAMED, opponent: WHITE }).refuse(null, "declined", "later");
  assert.equal(asked.lobby.waiting.length, 2);
});

test("a challenge comes once, and goes when it is declined, accepted, unknown or over", () => {
  const challenged = () => new Asked().hear({ type: "challenged", request: null, challenge: INCOMING });
  assert.deepEqual(new Asked().hear({ type: "challenged", request: null, challenge: INCOMING }, true).lobby.challenges, [], "of long ago");
  assert.equal(challenged().hear({ type: "challenged", request: null, challenge: INCOMING }).lobby.challenges.length, 1);
  const declined = challenged().ask({ kind: "decline", challenge: CHALLENGE, reason: "later" });
  assert.deepEqual(declined.hear({ type: "cancelled", request: idOf(1) }).lobby.challenges, []);
  const accepted = challenged().ask({ kind: "accept", challenge: CHALLENGE });
  assert.deepEqual(accepted.started(1).lobby.challenges, []);
  const withdrawn = { type: "cancelled", request: null, challenge: CHALLENGE } as const;
  assert.deepEqual(challenged().hear(withdrawn).hear(withdrawn).lobby.challenges, []);
  assert.equal(challenged().hear({ ...withdrawn, challenge: "77".repeat(16) }).lobby.challenges.length, 1);
  const unknown = challenged().ask({ kind: "accept", challenge: CHALLENGE }).refuse(1, "unknown-challenge", "x");
  assert.deepEqual([unknown.lobby.challenges, unknown.notices], [[], [["request.unknown-challenge", { text: "x" }]]]);
  assert.equal(challenged().later(59_999).lobby.challenges.length, 1);
  assert.deepEqual(challenged().later(60_000).lobby.challenges, []);
  const old = { ...INCOMING, expiresAt: AT };
  assert.deepEqual(new Asked().hear({ type: "challenged", request: null, challenge: old }).lobby.challenges, []);
});

test("a game beside others ends the challenge that it came of, and no other of its author", () => {
  const asked = () => new Asked().hear({ type: "challenged", request: null, challenge: INCOMING });
  const began = (challenge: string | null, isAside = false) => asked().hear({
    type: "started", request: null, game: GAME, opponent: INCOMING.challenger, color: "white", at: AT, tournament: null, challenge,
  }, false, isAside).lobby.challenges.length;
  assert.deepEqual([began(CHALLENGE, true), began("77".repeat(16), true)], [0, 1]);
  assert.deepEqual([began(null), began(null, true), began("77".repeat(16))], [0, 0, 0]);
});

test("a request of a wrong date is made again, once, by the clock that the refusal has set", () => {
  const text = "created_at is 600 s behind our clock, and 120 s are allowed: set your clock, or ask again";
  const asked = new Asked().ask(POOL).refuse(1, "stale", text);
  assert.deepEqual([asked.requests, asked.lobby.waiting.length], [[["pool", 0]], 1]);
  asked.sign().refuse(2, "stale", text);
  assert.deepEqual([asked.requests, asked.notices[0]?.[0], asked.lobby.waiting], [[], "request.stale", []]);
});

test("a request that grew old in the pool is told and gone", () => {
  const asked = new Asked().ask(POOL).queued(1).refuse(1, "stale", "no opponent in half an hour");
  assert.deepEqual([asked.lobby.waiting, asked.notices[0]?.[0]], [[], "request.stale"]);
});

test("work is done as asked, for this and each later request; too much is told", () => {
  const asked = new Asked().ask(POOL).refuse(1, "pow", "20");
  assert.deepEqual([asked.requests, asked.notices], [[["pool", 20]], [["request.working", { bits: "20" }]]]);
  assert.deepEqual(asked.ask(OPEN).requests, [["open", 20]]);
  for (const bits of ["25", "999999", "many", ""]) {
    const refused = new Asked().ask(POOL).refuse(1, "pow", bits);
    assert.deepEqual([refused.requests, refused.notices, refused.lobby.waiting], [[], [["request.pow", { bits }]], []]);
  }
});

test("too many requests: how long to wait is told", () => {
  const told = (text: string) => new Asked().ask(POOL).refuse(1, "rate-limited", text).notices[0];
  assert.deepEqual(told("you ended several games before both had moved: ask again in 60 seconds"), [
    "request.rate-limited",
    { seconds: "60", text: "you ended several games before both had moved: ask again in 60 seconds" },
  ]);
  assert.equal(told("too many requests to play: wait two minutes")?.[1]?.["seconds"], "120");
  assert.equal(told("the pool is full")?.[1]?.["seconds"], "");
});

test("every other reason is told, and the request waits no more", () => {
  for (const [reason, text] of [["bad-terms", "request.bad-terms"], ["playing", "request.playing"], ["new-reason", "request.refused"]]) {
    const asked = new Asked().ask(POOL).refuse(1, reason!, "why");
    assert.deepEqual([asked.lobby.waiting, asked.notices[0]?.[0]], [[], text]);
  }
});

test("a refusal of no request of mine changes nothing", () => {
  const asked = new Asked().ask(POOL).refuse(9, "stale", "x");
  assert.deepEqual([asked.lobby.waiting.length, asked.effects], [1, []]);
});

test("a request without an answer is signed anew, three times in all", () => {
  const asked = new Asked().ask(POOL);
  assert.deepEqual(asked.later(9_999).requests, []);
  assert.deepEqual(asked.later(1).requests, [["pool", 0]]);
  assert.deepEqual(asked.sign().later(20_000).requests, [["pool", 0]]);
  asked.sign().later(30_000);
  assert.deepEqual([asked.requests, asked.lobby.waiting, asked.notices], [[], [], [["request.unanswered", {}]]]);
});

test("an answer to an earlier signature of a request is its answer", () => {
  const asked = new Asked().ask(POOL).later(10_000).sign().queued(1);
  assert.deepEqual(asked.later(60_000).requests, []);
});

for (const ask of [NAMED, OPEN]) {
  const unanswered = () => {
    const asked = new Asked().ask(ask).later(10_000);
    assert.deepEqual([asked.requests, asked.notices], [[["state", 0]], [["request.unanswered", {}]]]);
    return asked.sign();
  };
  const shown = ({ lobby }: Asked) => lobby.waiting.map(({ kind, challenge }) => [kind, challenge]);

  test(`an ${ask.kind} challenge without an answer is not made twice, and gone if the arbiter knows of none`, () => {
    assert.deepEqual(shown(unanswered().refuse(2, "unknown-game")), []);
    const other = unanswered().queued(2, CHALLENGE);
    assert.deepEqual(shown(other.later(5_001)), [["challenge", CHALLENGE]], "another one waits");
    assert.deepEqual(shown(unanswered().refuse(1, "bad-terms")), [], "it was refused late");
  });

  test(`an ${ask.kind} challenge that is answered late waits like any other, and once`, () => {
    for (const asked of [unanswered().queued(1, CHALLENGE), unanswered().queued(2, "0".repeat(32))]) {
      const [kind, id] = shown(asked.later(60_000))[0]!;
      assert.deepEqual([shown(asked).length, kind, asked.lobby.waiting[0]?.confirmed], [1, ask.kind, true]);
      assert.equal(asked.lobby.waiting[0]?.secretLink, ask === OPEN ? `${id}-${OPEN.linkSecret}` : null);
    }
  });
}

test("what another browser asks takes the place of nothing that was kept", () => {
  const kept = new Asked({ waiting: new Asked().ask(OPEN).ask(NAMED).ask(OPEN).lobby.waiting });
  kept.signed = 3;
  const { lobby } = kept.ask(STATE).queued(4, CHALLENGE);
  assert.equal(new Set(lobby.waiting.map(({ key }) => key)).size, 4);
});

test("while no relay is there nothing is signed anew", () => {
  assert.deepEqual(new Asked().ask(POOL).later(60_000, false).effects, []);
});

test("a signer that refuses is told, unless the player asked for nothing", () => {
  const unsigned = (ask: Ask) => new Asked().step({ type: "ask", ask }).step({ type: "unsigned", key: 1 });
  assert.deepEqual([unsigned(POOL).lobby.waiting, unsigned(POOL).notices], [[], [["request.unsigned", {}]]]);
  assert.deepEqual(unsigned(STATE).notices, []);
});

test("after a reload what waited is confirmed by `state`, or gone", () => {
  const kept = () => new Asked({ waiting: new Asked().ask(OPEN).queued(1, CHALLENGE).ask(POOL).queued(2).lobby.waiting });
  assert.deepEqual(kept().lobby.waiting.map(({ confirmed }) => confirmed), [false, false]);
  const again = kept().ask(STATE).queued(1, CHALLENGE);
  assert.deepEqual(again.lobby.waiting.map(({ confirmed }) => confirmed), [true, false]);
  again.later(5_001);
  assert.deepEqual(again.lobby.waiting.map(({ kind }) => kind), ["open"]);
  assert.deepEqual(kept().ask(STATE).refuse(1, "unknown-game").lobby.waiting, []);
  assert.equal(kept().later(600_000).lobby.waiting.length, 2, "while the arbiter says nothing");
});

test("what another browser asked is shown without its terms", () => {
  const asked = new Asked().ask(STATE).queued(1);
  assert.deepEqual(asked.lobby.waiting.map(({ kind, terms, confirmed }) => [kind, terms, confirmed]), [["pool", null, true]]);
});

test("what was asked after `state`, or has no answer yet, outlives an answer that it found nothing", () => {
  assert.equal(new Asked().ask(STATE).ask(POOL).refuse(1, "unknown-game").lobby.waiting.length, 1);
  assert.equal(new Asked().ask(POOL).ask(STATE).refuse(2, "unknown-game").lobby.waiting.length, 1);
  assert.equal(new Asked().ask(POOL).queued(1).ask(STATE).refuse(2, "unknown-game").lobby.waiting.length, 0);
});

test("while all programs play a player is told the place in line, and is never said to wait for silence", () => {
  const asked = new Asked().ask(HOUSE).queued(1, CHALLENGE);
  for (const place of [3, 3, 1, 2]) {
    asked.later(9_000).queued(null, CHALLENGE, place);
    assert.deepEqual(asked.lobby.waiting.map((one) => [one.confirmed, one.place]), [[true, place]]);
  }
  assert.deepEqual(asked.later(60_000).notices, []);
  assert.equal(asked.ask(STATE).queued(2, CHALLENGE).lobby.waiting[0]?.place, 2);
  assert.deepEqual(asked.started().lobby.waiting, []);
  assert.deepEqual(asked.queued(null, CHALLENGE, 1).lobby.waiting.length, 0, "told late");
});

test("a house that cannot take more says so", () => {
  const asked = new Asked().ask(HOUSE).queued(1, CHALLENGE).refuse(null, "declined", "later", CHALLENGE);
  assert.deepEqual([asked.lobby.waiting, asked.requests, asked.notices], [[], [], [["house.busy", {}]]]);
});

test("a house player who declines the terms says why", () => {
  const asked = new Asked().ask(HOUSE).queued(1, CHALLENGE).refuse(null, "declined", "timeControl", CHALLENGE);
  assert.deepEqual([asked.lobby.waiting, asked.requests], [[], []]);
  assert.deepEqual(asked.notices, [["challenge.declined", { reason: "timeControl" }]]);
});

test("a silent house player is given ten seconds once the arbiter has the challenge", () => {
  const asked = new Asked().ask(HOUSE).queued(1, CHALLENGE).later(9_999);
  assert.deepEqual(asked.requests, []);
  assert.deepEqual(asked.later(1, false).requests, []);
  asked.later(1);
  assert.deepEqual([asked.requests, asked.notices], [[], [["house.silent", {}]]]);
  assert.deepEqual([asked.later(60_000).notices, asked.lobby.waiting.length], [[], 1]);
});

test("who was challenged and says later is asked no further, nor is another", () => {
  const asked = new Asked().ask(NAMED).queued(1, CHALLENGE);
  assert.deepEqual(asked.later(60_000).requests, []);
  assert.deepEqual(asked.refuse(null, "declined", "later", CHALLENGE).notices, [["challenge.declined", { reason: "later" }]]);
});

test("of several challenges the one that is named was declined", () => {
  const other = "cd".repeat(16);
  const asked = new Asked().ask(NAMED).queued(1, CHALLENGE).ask(HOUSE).queued(2, other);
  asked.refuse(null, "declined", "later", other);
  assert.deepEqual(asked.lobby.waiting.map(({ opponent }) => opponent), [BLACK]);
});

const SECOND: IncomingChallenge = { ...INCOMING, id: "cd".repeat(16), expiresAt: AT + 6_000 };
const idsOf = ({ lobby }: Asked): readonly string[] => lobby.challenges.map(({ id }) => id);
const LASTING: IncomingChallenge = { ...INCOMING, expiresAt: AT + 6_000 };

for (const answer of ["queued", "unknown-game", "started"] as const) {
  test(`after a reload a challenge that \`state\` lists stays, once, and one that was answered meanwhile goes: ${answer}`, () => {
    const asked = new Asked({ challenges: [LASTING, SECOND] });
    for (const time of [1, 2, 3]) {
      asked.ask(STATE);
      if (answer === "queued") asked.queued(time);
      else if (answer === "started") asked.started(time);
      else asked.refuse(time, answer);
      asked.hear({ type: "challenged", request: null, challenge: SECOND });
      if (time === 1 && answer !== "started") assert.deepEqual(idsOf(asked.later(5_000)), [CHALLENGE, SECOND.id]);
      assert.deepEqual(idsOf(asked.later(5_001)), [SECOND.id]);
    }
  });
}

test("while \`state\` has no answer no challenge goes, nor because a game starts", () => {
  const asked = new Asked({ challenges: [LASTING] }).ask(STATE);
  assert.deepEqual(idsOf(asked.later(600_000)), [CHALLENGE]);
  asked.hear({ type: "started", request: null, game: GAME, opponent: WHITE, color: "white", at: AT });
  assert.deepEqual(idsOf(asked.later(600_000)), [CHALLENGE]);
});

test("a challenge that is told live while \`state\` is on its way, or after it was answered, stays", () => {
  const asked = new Asked().ask(STATE).hear({ type: "challenged", request: null, challenge: LASTING }).refuse(1, "unknown-game");
  asked.later(5_001).hear({ type: "challenged", request: null, challenge: SECOND });
  assert.deepEqual(idsOf(asked.later(60_000)), [CHALLENGE, SECOND.id]);
});

test("a challenge of mine whose answer was lost by a reload is shown once when it is listed", () => {
  const waiting = new Asked().ask(NAMED).lobby.waiting;
  const asked = new Asked({ waiting }).ask(STATE).queued(1, idOf(1).slice(0, 32));
  assert.deepEqual(asked.lobby.waiting.map(({ opponent, confirmed }) => [opponent, confirmed]), [[BLACK, true]]);
  assert.equal(asked.ask(STATE).queued(2, idOf(1).slice(0, 32)).lobby.waiting.length, 1);
});

test("a request that no signer has signed is taken back without one, and what was signed by the arbiter", () => {
  const unsigned = new Asked().step({ type: "ask", ask: POOL }).step({ type: "ask", ask: { kind: "cancel" } });
  assert.deepEqual([unsigned.lobby.waiting, unsigned.lobby.asked, unsigned.requests], [[], [], []]);
  const both = new Asked().ask(OPEN).queued(1, CHALLENGE).step({ type: "ask", ask: POOL }).step({ type: "ask", ask: { kind: "cancel" } });
  assert.deepEqual([both.lobby.waiting.map(({ kind }) => kind), both.requests], [["open"], [["cancel", 0]]]);
  assert.deepEqual(new Asked().ask(POOL).ask({ kind: "cancel" }).requests, [["cancel", 0]], "signed, and perhaps under way");
});
