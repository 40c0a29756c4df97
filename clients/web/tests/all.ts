/** Every test in one process: to start one for each file takes longer than most of them. */

import { readdirSync } from "node:fs";

for (const name of readdirSync(import.meta.dirname).filter((it) => it.endsWith(".test.ts")))
  await import(`./${name}`);
