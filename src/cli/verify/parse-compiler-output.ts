import type { DiscoveryProblem } from "../../contracts/index.ts";

/** What TypeScript says without `--pretty`. */
export interface CompilerOutput {
  /** Errors with a place, their paths as TypeScript writes them. */
  readonly errors: readonly DiscoveryProblem[];
  /** Errors of the settings or of the compiler itself, and other output. */
  readonly general: readonly string[];
}

/** Atomic runs on Bun, which has these modules and names whether or not the project has installed their types. */
const PROVIDED = [
  /^TS2307: .*'(?:node:[\w/]+|bun(?::\w+)?)'/,
  /^TS(?:2580|2591|2867|2868|2584): /,
  /^TS(?:2688|7016): .*'(?:node|bun)'/,
];

/** Parses the output of `tsc --pretty false`. */
export function parseCompilerOutput(output: string): CompilerOutput {
  const errors: { path: string; line: number; column: number; text: string }[] = [];
  const general: string[] = [];
  for (const line of output.split(/\r?\n/)) {
    const match = /^(.+)\((\d+),(\d+)\): error (TS\d+: .*)$/.exec(line);
    const [, path, row, column, text] = match ?? [];
    const last = errors.at(-1);
    if (path !== undefined && text !== undefined)
      errors.push({ path, line: Number(row), column: Number(column), text });
    // Details of an error are indented.
    else if (line.startsWith(" ") && last !== undefined) last.text += ` ${line.trim()}`;
    else if (line.trim() !== "") general.push(line.trim());
  }
  return {
    errors: errors
      .filter(({ text }) => !PROVIDED.some((pattern) => pattern.test(text)))
      .map(({ text, ...place }) => ({ ...place, ...splitAdvice(text), severity: "error" })),
    general,
  };
}

/** TypeScript's own suggestion is the remedy. */
function splitAdvice(text: string): { readonly message: string; readonly remedy: string } {
  const match = /^(.*?)\.? (Did you mean [^?]*\?)$/.exec(text);
  const [, message = text, remedy = "Correct the type."] = match ?? [];
  return { message, remedy };
}
