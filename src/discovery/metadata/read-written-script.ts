import type { Node } from "acorn";
import type { DiscoveryProblem } from "../../contracts/index.ts";
import { isScript } from "../is-script-file.ts";
import { positionAt } from "../source-text.ts";
import { MAX_SCRIPT_BYTES, type ParsedClaudeScript, parseClaudeScript } from "./claude-scripts.ts";
import { parseJavaScript } from "./read-literal-exports.ts";
import { identifierOf, isPropertyName, nodesIn, type PlacedNode, textOf, walkScript } from "./walk-script.ts";

/** A script that an agent wrote, and what it would do besides calling agents. */
export interface WrittenScript extends ParsedClaudeScript {
  /** The commands that it runs. */
  readonly commands: readonly string[];
}

/**
 * What a script needs only to reach something that it was not given. A script that a person wrote may use them; one that an
 * agent wrote runs before anybody has read all of it.
 */
const FORBIDDEN: ReadonlySet<string> = new Set([
  ...[
    "constructor",
    "__proto__",
    "prototype",
    "globalThis",
    "Reflect",
    "Proxy",
    "Function",
    "eval",
    "caller",
    "callee",
  ],
  ...["__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "getPrototypeOf"],
  ...["setPrototypeOf", "defineProperty", "defineProperties", "prepareStackTrace", "captureStackTrace"],
  ...["WeakRef", "FinalizationRegistry", "WebAssembly", "ShadowRealm", "SharedArrayBuffer", "Atomics"],
]);

/** Characters that a person does not see, or that end a line only for JavaScript. */
const INVISIBLE = /[^\n\t\P{C}]|[\u2028\u2029]/u;

/** How many problems are reported. */
const MAX_PROBLEMS = 20;

/**
 * Reads and checks a script that an agent wrote, without executing it. Besides the rules for every script it must not
 * contain what leads out of its context, calls no workflows, and its commands must be texts.
 *
 * @param path names the script in problems
 */
export async function readWrittenScript(path: string, text: string): Promise<WrittenScript> {
  const parsed = await parseClaudeScript(path, text);
  if (parsed.body === undefined) {
    const problems = parsed.problems.length > 0 ? parsed.problems : [withoutMeta(path)];
    return { ...parsed, problems, commands: [] };
  }
  const program = await parseJavaScript(text);
  const found: DiscoveryProblem[] = [];
  const commands = new Set<string>();
  const report = (start: number, message: string, remedy: string): void => {
    found.push({ path, ...positionAt(text, start), message, remedy, severity: "error" });
  };
  if (!isScript(program)) {
    report(0, "It exports more than its meta.", 'Remove every other "export", and declare nothing beside meta there.');
  }
  if (Buffer.byteLength(text) > MAX_SCRIPT_BYTES) {
    report(0, `It has more than ${MAX_SCRIPT_BYTES} bytes.`, "Write a shorter one.");
  }
  const invisible = text.search(INVISIBLE);
  if (invisible >= 0) {
    report(
      invisible,
      "It has a character that nobody sees.",
      "Remove it, or write it in a text as \\u and its number.",
    );
  }
  for (const placed of walkScript(program)) {
    if (found.length >= MAX_PROBLEMS) break;
    const { node, around, field } = placed;
    const { start } = node;
    const name = identifierOf(node) ?? textOf(node);
    if (name !== undefined && FORBIDDEN.has(name) && !isProse(around?.node, field, node)) {
      report(
        start,
        `"${name}" is not allowed in a script that an agent wrote.`,
        "Write it with plain values and calls.",
      );
    }
    if (node.type === "ThisExpression") {
      report(start, '"this" is not allowed in a script that an agent wrote.', "Use the names of functions and values.");
    }
    if (/[^ -~]/.test(identifierOf(node) ?? "")) {
      report(
        start,
        "It has a name with letters beyond a to z.",
        "Names of two alphabets can look the same: use English ones.",
      );
    }
    if (name === "workingDirectory" && around?.node.type === "Property" && field === "key") {
      report(
        start,
        "A script that an agent wrote names no folder of a command.",
        "Leave it out: commands run in the project.",
      );
    }
    if (isPropertyName(placed)) continue;
    if (identifierOf(node) === "workflow") {
      report(
        start,
        "A script that an agent wrote calls no workflows.",
        "Their inputs can be commands: let agents do the work.",
      );
    }
    if (identifierOf(node) === "shell") {
      const command = commandAt(placed);
      if (command === undefined) report(start, UNREADABLE_COMMAND, COMMAND_REMEDY);
      else commands.add(command);
    }
  }
  return { ...parsed, problems: [...parsed.problems, ...found], commands: [...commands] };
}

const UNREADABLE_COMMAND = "What shell() is called with cannot be read before the script runs.";
const COMMAND_REMEDY =
  'Call it directly, with a text in quotes that has no values in it, in one line with single spaces: shell("…").';

/** The command of a call of `shell`, where a person can read it. */
function commandAt({ around, field }: PlacedNode): string | undefined {
  if (around?.node.type !== "CallExpression" || field !== "callee") return undefined;
  const command = textOf(nodesIn(around.node, "arguments")[0]);
  return command === undefined || /\s{2}|[^\S ]/.test(command) ? undefined : command;
}

/** Whether a text is a value and not the name of a property. */
function isProse(around: Node | undefined, field: string, node: Node): boolean {
  if (node.type === "Identifier") return false;
  if (around?.type === "MemberExpression") return field !== "property";
  return !(around?.type === "Property" && field === "key");
}

function withoutMeta(path: string): DiscoveryProblem {
  const message = 'Its first statement is not the export "meta".';
  const remedy = 'Begin it with export const meta = { name: "…", description: "…" }.';
  return { path, message, remedy, severity: "error" };
}
