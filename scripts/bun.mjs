// Runs Bun with the given arguments: `node scripts/bun.mjs script.ts …`. It is the one script that Node itself runs, so
// that a machine with only Node and npm can run all the others. The npm package `bun` keeps its program in a package per
// platform until its install script moves it to `bun/bin/bun.exe`, which is a small placeholder before that. So both
// places are tried, and it works after `npm ci --ignore-scripts` too. An older Node must be able to parse it, and to say
// that it is too old.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");

const PLACEHOLDER_MAX_BYTES = 1_000_000;

/** The path of the Bun program below a folder `node_modules`. Undefined when there is none. */
function findBun(modules) {
  const processor = process.arch === "arm64" ? "aarch64" : process.arch;
  const system = process.platform === "win32" ? "windows" : process.platform;
  const name = system === "android" ? `bun-linux-${processor}-android` : `bun-${system}-${processor}`;
  const isMusl = process.platform === "linux" && existsSync("/etc/alpine-release");
  const names = isMusl ? [`${name}-musl`, name] : [name, `${name}-musl`];
  const program = system === "windows" ? "bun.exe" : "bun";
  const paths = [
    ...names.map((item) => join(modules, "@oven", item, "bin", program)),
    join(modules, "bun/bin/bun.exe"),
  ];
  return paths.find((path) => existsSync(path) && statSync(path).size > PLACEHOLDER_MAX_BYTES);
}

/** Whether a version such as `20.15.1` is below another one. */
function isBelow(version, least) {
  const [numbers, leastNumbers] = [version, least].map((text) => text.split(".").map(Number));
  const different = leastNumbers.findIndex((number, index) => (numbers[index] ?? 0) !== number);
  return different !== -1 && (numbers[different] ?? 0) < leastNumbers[different];
}

const { engines } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const leastNode = engines.node.replace(">=", "");
if (isBelow(process.versions.node, leastNode)) {
  console.error(
    `The scripts of this repository need Node ${leastNode} or newer, and this is Node ${process.versions.node}.`,
  );
  process.exit(1);
}

const bun = findBun(join(ROOT, "node_modules"));
if (bun === undefined) {
  console.error("Bun was not found in node_modules.");
  console.error("The scripts of this repository run on the Bun that npm installs with the other dependencies.");
  console.error("Run npm ci first.");
  process.exit(1);
}

const child = spawn(bun, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`Bun did not start: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
