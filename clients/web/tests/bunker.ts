/** A bunker (NIP-46) for tests: it holds a key and signs over a relay what it is asked. */

import { decrypt, encrypt, getConversationKey } from "nostr-tools/nip44";
import { generateSecretKey, getPublicKey } from "nostr-tools/pure";

import { localSigner, signedBy } from "../src/identity/local.ts";
import type { EventTemplate, NostrEvent } from "../src/net/event.ts";

export class Bunker {
  readonly user = generateSecretKey();
  readonly pubkey: string = getPublicKey(this.user);
  refuses = false;
  readonly #own = generateSecretKey();
  readonly #relay: string;
  #socket!: WebSocket;

  constructor(relay: string) {
    this.#relay = relay;
  }

  async start(): Promise<void> {
    this.#socket = new WebSocket(this.#relay);
    await new Promise((resolve) => (this.#socket.onopen = resolve));
    const filter = { kinds: [24133], "#p": [getPublicKey(this.#own)], limit: 0 };
    this.#socket.send(JSON.stringify(["REQ", "asked", filter]));
    await new Promise<void>((resolve) => {
      this.#socket.onmessage = ({ data }) => {
        const [type, , event] = JSON.parse(String(data)) as [string, string, NostrEvent];
        if (type === "EOSE") resolve();
        if (type === "EVENT") void this.#answer(event);
      };
    });
  }

  address(): string {
    return `bunker://${getPublicKey(this.#own)}?relay=${encodeURIComponent(this.#relay)}&secret=once`;
  }

  /** Takes a `nostrconnect://` address, as a camera would. */
  take(invitation: string): void {
    const url = new URL(invitation);
    this.#send(url.host, { id: "taken", result: url.searchParams.get("secret") });
  }

  async #answer(event: NostrEvent): Promise<void> {
    const key = getConversationKey(this.#own, event.pubkey);
    const { id, method, params } = JSON.parse(decrypt(event.content, key)) as {
      id: string; method: string; params: string[];
    };
    try {
      this.#send(event.pubkey, { id, result: await this.#done(method, params) });
    } catch (error) {
      this.#send(event.pubkey, { id, error: String(error) });
    }
  }

  async #done(method: string, [first = "", second = ""]: string[]): Promise<string> {
    const signer = localSigner(this.user);
    switch (method) {
      case "connect": return second === "once" ? "ack" : Promise.reject(new Error("wrong secret"));
      case "get_public_key": return this.pubkey;
      case "sign_event":
        if (this.refuses) throw new Error("the person said no");
        return JSON.stringify(signedBy(this.user, JSON.parse(first) as EventTemplate));
      case "nip44_encrypt": return signer.encrypt(first, second);
      case "nip44_decrypt": return signer.decrypt(first, second);
      default:
        throw new Error("unknown method");
    }
  }

  #send(to: string, message: object): void {
    const content = encrypt(JSON.stringify(message), getConversationKey(this.#own, to));
    const template = { kind: 24133, created_at: Math.floor(Date.now() / 1000), tags: [["p", to]], content };
    this.#socket.send(JSON.stringify(["EVENT", signedBy(this.#own, template)]));
  }
}
