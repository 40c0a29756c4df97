// A relay of a different make: @nostr-relay/core, keeping notes in memory. It takes an event id that
// it has seen for a copy for ten minutes, and passes no copy on.
//
// Usage: node relay.mjs HOST PORT. It forgets everything when it stops.

import { EventRepository, EventUtils } from "@nostr-relay/common";
import { NostrRelay } from "@nostr-relay/core";
import { WebSocketServer } from "ws";

class Notes extends EventRepository {
  #events = new Map();

  isSearchSupported() {
    return false;
  }

  async upsert(event) {
    const isDuplicate = this.#events.has(event.id);
    this.#events.set(event.id, event);
    return { isDuplicate };
  }

  async find(filter) {
    return [...this.#events.values()].filter((event) => EventUtils.isMatchingFilter(event, filter));
  }

  async destroy() {}
}

const hasTags = (event, filter) => Object.entries(filter)
  .filter(([key]) => key.startsWith("#"))
  .every(([key, values]) => event.tags.some(([name, value]) => `#${name}` === key && values.includes(value)));

/** The socket as the library sees it, which looks at no tags of what it passes on. */
class Client {
  #socket;
  #filters = new Map();

  constructor(socket) {
    this.#socket = socket;
  }

  get readyState() {
    return this.#socket.readyState;
  }

  send(text) {
    const [verb, name, event] = JSON.parse(text);
    const filters = verb === "EVENT" ? this.#filters.get(name) : undefined;
    if (!filters || filters.some((filter) => hasTags(event, filter))) this.#socket.send(text);
  }

  read(data) {
    const message = JSON.parse(data.toString());
    if (message[0] === "REQ") this.#filters.set(message[1], message.slice(2));
    return message;
  }
}

const [host, port] = process.argv.slice(2);
const relay = new NostrRelay(new Notes());
new WebSocketServer({ host, port: Number(port) }).on("connection", (socket) => {
  const client = new Client(socket);
  relay.handleConnection(client);
  socket.on("message", (data) => relay.handleMessage(client, client.read(data)));
  socket.on("close", () => relay.handleDisconnect(client));
  socket.on("error", () => {});
});
