/** A real arbiter, real relays, and players on them, for tests that play. */

import { spawn, execFileSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { Client } from "../src/arbiter/client.ts";
import type { ArbiterInfo, ClientState, Color, GameId, GameView, Terms } from "../src/arbiter/model.ts";
import { Identity, type KeyValues } from "../src/identity/identity.ts";
import { browser } from "../src/net/browser.ts";
import { discover } from "../src/net/discovery.ts";
import type { SocketLike } from "../src/net/relay.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const PYTHON = process.env["ARBITER_PYTHON"] ?? join(ROOT, ".venv/bin/python");
const ENVIRONMENT = { ...process.env, PYTHONPATH: `${ROOT}:${join(ROOT, "layers/arbiter/python")}` };
const PATIENCE_MS = 30_000;

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** A process that listens at a port. */
export class Service {
  readonly port: number;
  readonly #command: readonly string[];
  readonly #environment: NodeJS.ProcessEnv;
  #process: ChildProcess | null = null;

  constructor(command: readonly string[], port: number, environment: NodeJS.ProcessEnv) {
    this.#command = command;
    this.port = port;
    this.#environment = environment;
  }

  async start(): Promise<void> {
    const [program, ...words] = this.#command;
    let said = "";
    const child = spawn(program!, words, { cwd: ROOT, env: this.#environment, stdio: ["ignore", "ignore", "pipe"] });
    child.stderr!.on("data", (text: Buffer) => (said = (said + text.toString()).slice(-4_000)));
    this.#process = child;
    const untilMs = Date.now() + PATIENCE_MS;
    while (!(await answers(this.port))) {
      if (child.exitCode !== null || Date.now() > untilMs) throw new Error(`${program} did not start: ${said}`);
      await pause(50);
    }
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (!child || child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    const force = setTimeout(() => child.kill("SIGKILL"), 15_000);
    await ended;
    clearTimeout(force);
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve((socket.destroy(), true)));
    socket.once("error", () => resolve(false));
  });
}

/** The relay of `make run`, on its own. */
export async function relay(): Promise<Service> {
  const port = await freePort();
  const script = `
import json, os
from local.relay import relay_part
from local.settings import settings_from
part = relay_part(settings_from({"RUN_DIR": ${JSON.stringify(folder())}, "PORT_BASE": "${port}"}))
print(json.dumps([part.command, dict(part.environment)]))`;
  const told = execFileSync(PYTHON, ["-c", script], { cwd: ROOT, env: ENVIRONMENT, encoding: "utf8" });
  const [command, environment] = JSON.parse(told) as [string[], NodeJS.ProcessEnv];
  return new Service(command, port, environment);
}

/** `arbiter serve`, on these relays and its own gateway. */
export async function arbiter(relays: readonly string[], settings: NodeJS.ProcessEnv = {}): Promise<Service> {
  const port = await freePort();
  const words = ["-m", "server", "serve", "--data", folder(), "--listen", `127.0.0.1:${port}`, "--log-level", "ERROR"];
  if (relays.length > 0) words.push("--relays", relays.join(","));
  return new Service([PYTHON, ...words], port, { ...ENVIRONMENT, ...settings });
}

const folder = (): string => mkdtempSync(join(tmpdir(), "arbiter-web-"));

/** localStorage of one browser. */
export function storage(): KeyValues {
  const values = new Map<string, string>();
  return {
    getItem: (name) => values.get(name) ?? null,
    setItem: (name, value) => void values.set(name, value),
    removeItem: (name) => void values.delete(name),
  };
}

/** A browser: its storage, its network, and the client in its tab. */
export class Player {
  readonly kept: KeyValues;
  readonly info: ArbiterInfo;
  client!: Client;
  /** Messages for which it returns true wait until `release`. */
  holds: (message: readonly unknown[]) => boolean = () => false;
  isOffline = false;
  #held: (() => void)[] = [];
  readonly #sockets = new Set<WebSocket>();

  constructor(info: ArbiterInfo, kept: KeyValues = storage()) {
    this.info = info;
    this.kept = kept;
  }

  /** Loads the page: at the first time, or again. */
  async load(skewMs = 0): Promise<this> {
    this.client?.close();
    this.client = new Client({
      info: this.info,
      signer: await new Identity(this.kept).open(),
      around: { ...browser, nowMs: () => Date.now() + skewMs, open: (url) => this.#open(url) },
      fetched: fetch,
      kept: this.kept,
    });
    return this;
  }

  get state(): ClientState {
    return this.client.state();
  }

  get pubkey(): string {
    return this.state.me!;
  }

  release(): void {
    this.holds = () => false;
    const held = this.#held;
    this.#held = [];
    for (const hear of held) hear();
  }

  loseNetwork(): void {
    this.isOffline = true;
    for (const socket of this.#sockets) socket.close();
  }

  close(): void {
    this.client.close();
  }

  #open(url: string): SocketLike {
    const socket = new WebSocket(this.isOffline ? "ws://127.0.0.1:9" : url);
    this.#sockets.add(socket);
    const wrapped: SocketLike = {
      onopen: null, onmessage: null, onclose: null, onerror: null,
      send: (text) => socket.send(text),
      close: () => socket.close(),
    };
    socket.onopen = (event) => wrapped.onopen?.(event as never);
    socket.onclose = (event) => (this.#sockets.delete(socket), wrapped.onclose?.(event as never));
    socket.onerror = () => {};
    socket.onmessage = (event) => {
      const hear = (): void => wrapped.onmessage?.(event as never);
      if (this.holds(JSON.parse(event.data as string) as unknown[])) this.#held.push(hear);
      else hear();
    };
    return wrapped;
  }

  /** The first value that is neither null nor false, of this state or a later one. */
  until<T>(what: string, found: (state: ClientState) => T | null | undefined | false): Promise<T> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        end();
        const { games, notices, waiting, relays } = this.state;
        const views = [...games.values()].map(({ confirmed, ...view }) => ({ ...view, confirmed, chat: view.chat.length }));
        reject(new Error(`${what}: ${JSON.stringify({ views, notices, waiting, relays }, null, 1)}`));
      }, PATIENCE_MS);
      const look = (): void => {
        const value = found(this.state);
        if (value === null || value === undefined || value === false) return;
        clearTimeout(late);
        end();
        resolve(value);
      };
      const end = this.client.subscribe(look);
      look();
    });
  }

  /** The game that this player plays now, other than `not`, once its state is here. */
  game(not: GameId | null = null): Promise<GameView> {
    return this.until("a game", ({ playing, games }) => {
      const view = playing !== null && playing !== not ? games.get(playing) : undefined;
      return view?.confirmed ? view : null;
    });
  }

  /** The view of a game that has so many plies. */
  at(game: GameId, ply: number): Promise<GameView> {
    return this.until(`ply ${ply}`, ({ games }) => {
      const view = games.get(game);
      return view?.confirmed?.ply === ply ? view : null;
    });
  }

  /** The view of a game that has ended. */
  end(game: GameId): Promise<GameView> {
    return this.until("the end", ({ games }) => {
      const view = games.get(game);
      return view?.confirmed?.result ? view : null;
    });
  }
}

export const TERMS: Terms = {
  time: { kind: "live", base: 300, increment: 3 }, rated: false, variant: "standard",
  color: "random", rating: null, start: null, bots: false,
};

export async function infoOf(service: Service): Promise<ArbiterInfo> {
  const start = { origin: `http://127.0.0.1:${service.port}`, arbiter: null, relays: null };
  const found = await discover(start, fetch, browser);
  if (typeof found === "string") throw new Error("no arbiter found");
  return found.info;
}

export interface Match {
  readonly game: GameId;
  readonly white: Player;
  readonly black: Player;
}

/** Two who ask for a game, and play each other. */
export async function paired(one: Player, other: Player, terms: Terms = TERMS): Promise<Match> {
  one.client.play(terms);
  await one.until("queued", ({ waiting, playing }) => waiting[0]?.confirmed || playing);
  other.client.play(terms);
  return seated(one, other);
}

export async function seated(one: Player, other: Player, not: GameId | null = null): Promise<Match> {
  const [view, opposite] = await Promise.all([one.game(not), other.game(not)]);
  if (view.game !== opposite.game) throw new Error("they play different games");
  return view.me === "white"
    ? { game: view.game, white: one, black: other }
    : { game: view.game, white: other, black: one };
}

/** Plays these moves in turn from this ply on; both have seen the last one. */
export async function played({ game, white, black }: Match, moves: readonly string[], from = 0): Promise<void> {
  for (const [index, uci] of moves.entries()) {
    const ply = from + index;
    const player = ply % 2 === 0 ? white : black;
    await player.at(game, ply);
    player.client.move(game, uci);
    await Promise.all([white.at(game, ply + 1), black.at(game, ply + 1)]);
  }
}

export const opposite = (color: Color): Color => (color === "white" ? "black" : "white");
