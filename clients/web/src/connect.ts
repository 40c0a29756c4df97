/** The client of this page, until the one of src/arbiter is there: lists, but no play. */

import type { ArbiterClient, ClientState } from "./arbiter/model.ts";

export async function connect(): Promise<ArbiterClient> {
  const http = location.origin;
  const answer = await fetch(`${http}/.well-known/nostr.json?name=_`);
  const { names } = (await answer.json()) as { names: Record<string, string> };
  const pubkey = names["_"] ?? "";
  const state: ClientState = {
    arbiter: { pubkey, name: "", relays: [], gateway: null, http },
    me: null,
    relays: [],
    clockOffsetMs: 0,
    playing: null,
    games: new Map(),
    waiting: [],
    challenges: [],
    profiles: new Map(),
    ratings: new Map(),
    notices: [],
  };
  const nothing = (): void => {};
  return {
    state: () => state,
    subscribe: () => nothing,
    play: nothing,
    challenge: nothing,
    openChallenge: nothing,
    accept: nothing,
    decline: nothing,
    cancel: nothing,
    move: nothing,
    clearPremoves: nothing,
    word: nothing,
    say: nothing,
    watch: () => nothing,
    wonder: nothing,
    dismiss: nothing,
  };
}
