/** Serves tests/look.tsx under the page's own policy: `node tests/look.mjs 8124`. */

import { createServer } from "node:http";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { addresses } from "../addresses.mjs";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const ROOT = path.dirname(HERE);
const TYPES = { js: "text/javascript", css: "text/css", wasm: "application/wasm", svg: "image/svg+xml" };

const built = await esbuild.build({
  absWorkingDir: ROOT,
  entryPoints: ["tests/look.tsx"],
  bundle: true,
  minify: true,
  format: "esm",
  splitting: true,
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  outdir: "assets",
  entryNames: "[name]",
  write: false,
  plugins: [addresses],
});
const files = new Map(built.outputFiles.map((file) => [`/${path.relative(ROOT, file.path)}`, file.contents]));
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: https:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'";
const page = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Look</title><link rel="stylesheet" href="assets/look.css"><script type="module" src="assets/look.js"></script><div id="app"></div>`;

const port = Number(process.argv[2] ?? 8124);
createServer((request, response) => {
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  const file = files.get(pathname);
  const type = file ? (TYPES[pathname.split(".").pop()] ?? "application/octet-stream") : "text/html";
  response.writeHead(200, { "content-type": type, "content-security-policy": policy });
  response.end(file ?? page);
}).listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${port}/?scene=middle`));
