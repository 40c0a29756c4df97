/**
 * Builds the page: index.html, service-worker.js and assets/ with hashed names, each also as .br
 * and .gz. Prints what each part weighs and fails if the first move costs more than LIMIT.
 *
 * Source maps are written to maps/, which is not served.
 */
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import * as esbuild from "esbuild";
import { addresses } from "./addresses.mjs";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const TO = path.resolve(HERE, "../../layers/arbiter/python/arbiter/web/static");
const DRAFT = `${TO}.new`;
const MAPS = path.join(HERE, "maps");

/** Gzipped bytes of all that a player loads before their first move. */
const LIMIT = 105_000;

/** Files that are loaded only on demand. All else counts. */
const LATER = ["src/shell/closed.ts", "src/arbiter/chat.ts", "src/analysis/", "src/pages/analysis.tsx", "src/shared/qr_code.tsx", "src/themes.ts", "src/friend.ts", "src/proof/", "src/pages/later.ts", "src/texts/", "src/tournaments/"];

const TEXT = /\.(html|js|css|svg|webmanifest|wasm)$/;

const common = {
  absWorkingDir: HERE,
  bundle: true,
  minify: true,
  format: "esm",
  target: ["es2022"],
  legalComments: "none",
  metafile: true,
  write: false,
  logLevel: "warning",
};

/** Parts of chessground that are never called: our board has arrows and premoves of its own. */
const NOT_CALLED = {
  svg: `const element = (name) => document.createElementNS("http://www.w3.org/2000/svg", name);
    export const createElement = element, createDefs = () => element("defs");
    export const setAttributes = (of) => of, renderSvg = () => {};`,
  draw: `const nothing = () => {};
    export { nothing as start, nothing as move, nothing as end, nothing as cancel, nothing as clear };`,
  premove: "export const premove = () => [];",
  autoPieces: "const nothing = () => {}; export { nothing as render, nothing as renderResized };",
  drop: "export const drop = () => {};",
  explosion: "export const explosion = () => {};",
};
const withoutArrows = {
  name: "without-arrows",
  setup(build) {
    build.onResolve({ filter: /^\.\/anim\.js$/ }, () => ({ path: path.join(HERE, "src/board/slide.ts") }));
    build.onLoad({ filter: /chessground\/dist\/(svg|draw|premove|autoPieces|drop|explosion)\.js$/ }, ({ path: name }) => ({
      contents: NOT_CALLED[path.parse(name).name],
    }));
  },
};

const files = new Map();

/** Built apart: they share code with the page that it would otherwise load whole, such as ECDSA; proof.ts has a page of its own. */
const apart = await build(["src/identity/bunker.ts", "src/proof/proof.ts", "nostr-tools/nip44", "nostr-tools/nip49"], []);
const builtApart = new Map(
  Object.entries(apart.metafile.outputs)
    .filter(([, { entryPoint }]) => entryPoint)
    .map(([name, { entryPoint }]) => [path.resolve(HERE, entryPoint), `./${path.basename(name)}`]),
);
const page = await build(["src/main.tsx"], [
  {
    name: "apart",
    setup(build) {
      build.onResolve({ filter: /\/(bunker\.ts|nip44|nip49)$/ }, async ({ path: name, kind, resolveDir, pluginData }) => {
        if (kind !== "dynamic-import" || pluginData === "apart") return null;
        const found = await build.resolve(name, { kind, resolveDir, pluginData: "apart" });
        return { path: builtApart.get(found.path), external: true };
      });
    },
  },
]);

function build(entryPoints, plugins) {
  return esbuild.build({
    ...common,
    plugins: [addresses, withoutArrows, ...plugins],
    entryPoints,
    outdir: "assets",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    splitting: true,
    sourcemap: "external",
    jsx: "automatic",
    jsxImportSource: "preact",
    loader: { ".svg": "file", ".png": "file", ".css": "empty", ".tsv": "text" },
  });
}

// One stylesheet for all pages: those of libraries, style.css, those that pages import but by address.
const sheets = Object.keys(page.metafile.inputs).filter((name) => /^(?!url:).*\.css$/.test(name));
sheets.sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
const style = await esbuild.build({
  ...common,
  stdin: {
    contents: sheets.map((name) => `@import ${JSON.stringify(`./${name}`)};`).join("\n"),
    loader: "css",
    resolveDir: HERE,
  },
  outfile: "assets/style.css",
});

/** Libraries first: our own rules override theirs. */
function rank(name) {
  return name.startsWith("node_modules") ? 0 : name === "src/style.css" ? 1 : 2;
}

await rm(MAPS, { recursive: true, force: true });
await mkdir(MAPS, { recursive: true });
for (const { path: name, contents } of [...apart.outputFiles, ...page.outputFiles]) {
  const kept = path.relative(HERE, name);
  if (kept.endsWith(".map")) await writeFile(path.join(MAPS, path.basename(kept)), contents);
  else files.set(kept, Buffer.from(contents));
}

const outputs = page.metafile.outputs;
const [main] = Object.entries(outputs).find(([, it]) => it.entryPoint === "src/main.tsx");

/** Everything that this output loads at once, and what the first move needs after that. */
function loaded(names, isWanted, found = new Set()) {
  for (const name of names) {
    if (found.has(name) || !outputs[name]) continue;
    found.add(name);
    const { imports } = outputs[name];
    loaded(imports.filter(isWanted).map((one) => one.path), isWanted, found);
  }
  return found;
}

const isLater = (output) => {
  const entry = outputs[output]?.entryPoint ?? "";
  return LATER.some((beginning) => entry.startsWith(beginning));
};
const atOnce = loaded([main], ({ kind }) => kind === "import-statement");
const beforeMove = loaded([main], ({ path: name, kind }) => kind !== "dynamic-import" || !isLater(name));
const styleName = hashed("style.css", Buffer.from(style.outputFiles[0].contents));
beforeMove.add(styleName);

// Icons and manifest, by hashed names too.
const icons = {};
const manifest = JSON.parse(await readFile(path.join(HERE, "manifest.json"), "utf8"));
for (const icon of manifest.icons) {
  const content = await readFile(path.join(HERE, icon.src));
  icons[icon.src] = hashed(icon.src, content);
  icon.src = path.basename(icons[icon.src]);
}
const manifestName = hashed("arbiter.webmanifest", Buffer.from(JSON.stringify(manifest)));

function hashed(name, content) {
  const { name: stem, ext } = path.parse(name);
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 8);
  const kept = `assets/${stem}-${hash}${ext}`;
  files.set(kept, content);
  return kept;
}

const isScript = (name) => name.endsWith(".js") && name !== main;
const scripts = [...atOnce].filter(isScript);
const soon = [...beforeMove].filter((name) => isScript(name) && !atOnce.has(name));
const html = fill(await readFile(path.join(HERE, "index.html"), "utf8"), {
  ...icons,
  manifest: manifestName,
  style: styleName,
  scripts: [
    `<script type="module" src="${main}"></script>`,
    ...scripts.map((name) => `<link rel="modulepreload" href="${name}">`),
    ...soon.map((name) => `<link rel="modulepreload" fetchpriority="low" href="${name}">`),
  ].join("\n"),
});
files.set("index.html", Buffer.from(html));

function fill(text, values) {
  return text.replace(/\{\{(.+?)\}\}/g, (_, name) => {
    if (!(name in values)) throw new Error(`index.html asks for ${name}`);
    return values[name];
  });
}

// The worker changes whenever the shell does, which is how browsers notice.
const shell = [...beforeMove, manifestName, icons["icons/icon.svg"]].sort();
const release = createHash("sha256").update(html).update(shell.join()).digest("hex").slice(0, 12);
const worker = await esbuild.build({
  ...common,
  entryPoints: ["src/service-worker.ts"],
  outfile: "service-worker.js",
  define: { SHELL: JSON.stringify(shell), RELEASE: JSON.stringify(release) },
});
files.set("service-worker.js", Buffer.from(worker.outputFiles[0].contents));

await rm(DRAFT, { recursive: true, force: true });
await mkdir(path.join(DRAFT, "assets"), { recursive: true });
const weights = new Map();
for (const [name, content] of files) {
  await writeFile(path.join(DRAFT, name), content);
  const gzip = gzipSync(content, { level: 9 });
  weights.set(name, { raw: content.length, gzip: TEXT.test(name) ? gzip.length : content.length });
  if (!TEXT.test(name)) continue;
  const brotli = brotliCompressSync(content, {
    params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
  });
  await writeFile(path.join(DRAFT, `${name}.gz`), gzip);
  await writeFile(path.join(DRAFT, `${name}.br`), brotli);
}

const first = ["index.html", ...beforeMove];
const total = first.reduce((sum, name) => sum + weights.get(name).gzip, 0);
print();
if (total > LIMIT) {
  console.error(`Before the first move ${total} bytes are loaded, gzipped; the limit is ${LIMIT}.`);
  process.exit(1);
}
await rm(TO, { recursive: true, force: true });
await rename(DRAFT, TO);

function print() {
  const row = (name, raw, gzip) =>
    console.log(name.padEnd(34), String(raw).padStart(9), String(gzip).padStart(9));
  const bySize = ([, one], [, other]) => other.gzip - one.gzip;
  row("before the first move", "bytes", "gzipped");
  for (const [name, { raw, gzip }] of [...weights].filter(([name]) => first.includes(name)).sort(bySize))
    row(`  ${name}`, raw, gzip);
  row("  together", "", total);
  console.log("later");
  for (const [name, { raw, gzip }] of [...weights].filter(([name]) => !first.includes(name)).sort(bySize))
    row(`  ${name}`, raw, gzip);
}
