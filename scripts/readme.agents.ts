import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseConfig } from "../src/cli/config/config.ts";
import { type AtomicSandbox, createAtomicSandbox } from "./atomic-sandbox.ts";
import { type ConsoleStep, parseConsole, parseMarkedFences, shortenLike } from "./marked-fences.ts";

const REPOSITORY = join(import.meta.dirname, "..");

/** An identifier of a run. */
const RUN_ID = /\b\d[0-9a-z]{11}\b/g;

/** Values that differ from run to run, and how they are compared. */
const VARIABLE_TEXTS: readonly (readonly [RegExp, string])[] = [
  [RUN_ID, "RUN"],
  [/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, "DATE"],
  [/\b\d{13}\b/g, "TIMESTAMP"],
  [/\b\d+(?:\.\d+)?(?:ms|s|m)\b/g, "DURATION"],
  [/\b\d+(?:\.\d+)?[kM]? tokens/g, "N tokens"],
  [/atomic-demo-\w+/g, "atomic-demo-XXXXXX"],
  [/^ {2}[0-9a-f]{7} /g, "  COMMIT "],
  // Columns are as wide as their widest cell.
  [/(?<=\S) {2,}/g, "  "],
];

async function readDocument(path: string): Promise<string> {
  return await readFile(join(REPOSITORY, path), "utf8");
}

function normalize(line: string): string {
  return VARIABLE_TEXTS.reduce((text, [pattern, name]) => text.replace(pattern, name), line).trimEnd();
}

/** A reader who follows a document from start to end, in one project. */
class Reader {
  readonly #sandbox: AtomicSandbox;
  /** The runs of the document, and those that they are here. */
  readonly #runs = new Map<string, string>();
  #exitCode = 0;

  constructor(sandbox: AtomicSandbox) {
    this.#sandbox = sandbox;
  }

  /** Runs a command. Returns its output in the document's words. */
  async carryOut({ command, output: documented }: ConsoleStep): Promise<readonly string[]> {
    const { home } = this.#sandbox;
    // The repository's folder may have the name of a run.
    const real = command
      .replace(RUN_ID, (run) => this.#runs.get(run) ?? `unknown-run-${run}`)
      .replaceAll("/path/to/atomic", REPOSITORY);
    const { code, output: printed } = await this.#sandbox.run(`(exit ${this.#exitCode})\n${real}`);
    const output = printed.replaceAll(REPOSITORY, "/path/to/atomic");
    this.#exitCode = code;
    this.#noteRuns(documented.join("\n"), output);
    const told = output.replaceAll(home, "/home/you").replaceAll(join(home, "../tmp"), "/tmp").trimEnd();
    return told === "" ? [] : told.split("\n").map(normalize);
  }

  #noteRuns(documented: string, output: string): void {
    const here = [...new Set(output.match(RUN_ID))];
    for (const [index, run] of [...new Set(documented.match(RUN_ID))].entries()) {
      const found = here[index];
      if (found !== undefined && !this.#runs.has(run)) this.#runs.set(run, found);
    }
  }
}

test("the README's commands, run in order, do what it says", async () => {
  await using sandbox = await createAtomicSandbox();
  const reader = new Reader(sandbox);
  let commands = 0;
  for (const { marker, text } of parseMarkedFences(await readDocument("README.md"))) {
    const path = /^file: (\S+)$/.exec(marker)?.[1];
    if (path !== undefined) {
      await mkdir(dirname(join(sandbox.project, path)), { recursive: true });
      await writeFile(join(sandbox.project, path), text);
    }
    if (marker !== "run") continue;
    for (const step of parseConsole(text)) {
      const documented = step.output.map(normalize);
      const output = shortenLike(documented, await reader.carryOut(step));
      expect({ command: step.command, output }).toEqual({ command: step.command, output: documented });
      commands++;
    }
  }
  expect(commands).toBeGreaterThanOrEqual(9);
}, 120_000);

test("the README's settings are valid", async () => {
  const settings = parseMarkedFences(await readDocument("README.md")).filter(({ marker }) => marker === "settings");
  expect(settings).not.toEqual([]);
  for (const { text } of settings) expect<unknown>(await parseConfig(text, "README.md")).toEqual(Bun.JSONC.parse(text));
});

test.each(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "AGENTS.md", "CHANGELOG.md"])(
  "every file of this repository that %s names exists",
  async (document) => {
    const text = (await readDocument(document)).replace(/^```[\s\S]*?^```$/gm, "");
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = ""]) => path);
    const quoted = [...text.matchAll(/`((?:src|scripts|bin|bench|examples)\/[\w./-]+|[\w-]+\/[\w./-]+\.tsx?)`/g)];
    const missing = [...links, ...quoted.map(([, path = ""]) => path)].filter(
      (path) => !existsSync(join(REPOSITORY, path)) && !existsSync(join(REPOSITORY, "src", path)),
    );
    expect(missing).toEqual([]);
  },
);
