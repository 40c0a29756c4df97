/** Stockfish in a worker. It is loaded when an engine is started, and not before. */

import script from "url:stockfish/bin/stockfish-19-lite-single.js";
import program from "url:stockfish/bin/stockfish-19-lite-single.wasm";

import { turnOf } from "../shared/fen.ts";
import { infoIn, type Evaluation } from "./score.ts";

export interface Engine {
  /** Looks at a position for so long; `seen` hears each depth. The next call ends this one. */
  readonly look: (fen: string, milliseconds: number, seen: (evaluation: Evaluation) => void) => Promise<void>;
  readonly close: () => void;
}

/** Throws if the worker cannot be started. */
export async function startEngine(isChess960: boolean): Promise<Engine> {
  const wasm = new URL(program, import.meta.url).href;
  const worker = new Worker(`${new URL(script, import.meta.url).href}#${encodeURIComponent(wasm)}`);
  let hear: (line: string) => void = () => undefined;
  let last = Promise.resolve();

  function until(isEnd: (line: string) => boolean, also: (line: string) => void = () => undefined): Promise<void> {
    return new Promise((resolve) => {
      hear = (line) => {
        also(line);
        if (isEnd(line)) resolve();
      };
    });
  }

  const failed = new Promise<never>((_, reject) => {
    worker.onerror = () => reject(new Error("the engine did not start"));
  });
  worker.onmessage = ({ data }) => hear(String(data));
  const ready = until((line) => line === "uciok");
  worker.postMessage("uci");
  await Promise.race([ready, failed]);
  worker.postMessage(`setoption name UCI_Chess960 value ${isChess960}`);
  worker.postMessage("setoption name Hash value 16");

  return {
    look(fen, milliseconds, seen) {
      worker.postMessage("stop");
      const turn = turnOf(fen);
      last = last.then(() => {
        const done = until(
          (line) => line.startsWith("bestmove"),
          (line) => {
            const evaluation = infoIn(line, turn);
            if (evaluation) seen(evaluation);
          },
        );
        worker.postMessage(`position fen ${fen}`);
        worker.postMessage(`go movetime ${milliseconds}`);
        return done;
      });
      return last;
    },
    close: () => worker.terminate(),
  };
}
