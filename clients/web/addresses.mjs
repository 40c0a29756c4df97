/** `import address from "url:stockfish/bin/….wasm"`: the file as it is, a stylesheet minified, under a hashed name. */

import { readFile } from "node:fs/promises";
import * as esbuild from "esbuild";

export const addresses = {
  name: "url",
  setup(build) {
    build.onResolve({ filter: /^url:/ }, async ({ path: name, resolveDir }) => {
      const found = await build.resolve(name.slice(4), { kind: "require-resolve", resolveDir });
      return { path: found.path, namespace: "url", errors: found.errors };
    });
    build.onLoad({ filter: /./, namespace: "url" }, async ({ path: name }) => {
      const contents = await readFile(name);
      const isStyle = name.endsWith(".css");
      const minified = isStyle && (await esbuild.transform(contents, { loader: "css", minify: true }));
      return { contents: isStyle ? minified.code : contents, loader: "file" };
    });
  },
};
