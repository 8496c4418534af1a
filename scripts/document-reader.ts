import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { AtomicSandbox } from "./atomic-sandbox.ts";
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

/** The text of a document of this repository. */
export async function readDocument(path: string): Promise<string> {
  return await readFile(join(REPOSITORY, path), "utf8");
}

function normalize(line: string): string {
  return VARIABLE_TEXTS.reduce((text, [pattern, name]) => text.replace(pattern, name), line).trimEnd();
}

/** A reader who follows a document from start to end, in one project. */
export class DocumentReader {
  readonly #sandbox: Pick<AtomicSandbox, "home" | "run">;
  readonly #repository: string;
  /** The runs of the document, and those that they are here. */
  readonly #runs = new Map<string, string>();
  #exitCode = 0;

  /** @param repository the folder of the checkout */
  constructor(sandbox: Pick<AtomicSandbox, "home" | "run">, repository = REPOSITORY) {
    this.#sandbox = sandbox;
    this.#repository = repository;
  }

  /** Runs a command. Returns its output in the document's words. */
  async carryOut({ command, output: documented }: ConsoleStep): Promise<readonly string[]> {
    const { home } = this.#sandbox;
    // The repository's folder may have the name of a run.
    const real = command
      .replace(RUN_ID, (run) => this.#runs.get(run) ?? `unknown-run-${run}`)
      .replaceAll("/path/to/atomic", this.#repository);
    const { code, output: printed } = await this.#sandbox.run(`(exit ${this.#exitCode})\n${real}`);
    const output = printed.replaceAll(this.#repository, "/path/to/atomic");
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

/** A command of a document, with what it documents and what it printed. */
export interface CarriedOutStep {
  readonly command: string;
  readonly documented: readonly string[];
  readonly output: readonly string[];
}

/** Follows a document from start to end: writes its files, and runs its commands in order. */
export async function* followDocument(sandbox: AtomicSandbox, text: string): AsyncGenerator<CarriedOutStep, void> {
  const reader = new DocumentReader(sandbox);
  for (const { marker, text: block } of parseMarkedFences(text)) {
    const path = /^file: (\S+)$/.exec(marker)?.[1];
    if (path !== undefined) {
      await mkdir(dirname(join(sandbox.project, path)), { recursive: true });
      await writeFile(join(sandbox.project, path), block);
    }
    if (marker !== "run") continue;
    for (const step of parseConsole(block)) {
      const documented = step.output.map(normalize);
      yield { command: step.command, documented, output: shortenLike(documented, await reader.carryOut(step)) };
    }
  }
}
