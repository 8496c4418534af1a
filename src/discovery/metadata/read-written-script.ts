import type { Node } from "acorn";
import type { DiscoveryProblem } from "../../contracts/index.ts";
import { isScript } from "../is-script-file.ts";
import { positionAt } from "../source-text.ts";
import { MAX_SCRIPT_BYTES, type ParsedClaudeScript, parseClaudeScript } from "./claude-scripts.ts";
import { identifierOf, nodesIn, textOf, walkScript } from "./walk-script.ts";

/** A script that an agent wrote, and what it would do besides calling agents. */
export interface WrittenScript extends ParsedClaudeScript {
  /** The commands that it runs. */
  readonly commands: readonly string[];
  /** The workflows that it runs. */
  readonly calledWorkflows: readonly string[];
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

/** Calls whose first argument must be a text that a person can read before the script runs. */
const READABLE_CALLS = ["shell", "workflow"] as const;

/** How many problems are reported. */
const MAX_PROBLEMS = 20;

/**
 * Reads and checks a script that an agent wrote, without executing it. Besides the rules for every script it must not
 * contain what leads out of its context, and its commands and workflows must be texts.
 *
 * @param path names the script in problems
 */
export async function readWrittenScript(path: string, text: string): Promise<WrittenScript> {
  const parsed = await parseClaudeScript(path, text);
  if (parsed.body === undefined) {
    const problems = parsed.problems.length > 0 ? parsed.problems : [withoutMeta(path)];
    return { ...parsed, problems, commands: [], calledWorkflows: [] };
  }
  const { parse } = await import("acorn");
  const program = parse(text, { ecmaVersion: "latest", sourceType: "module", allowReturnOutsideFunction: true });
  const found = { problems: [] as DiscoveryProblem[], shell: new Set<string>(), workflow: new Set<string>() };
  const report = ({ start }: Node, message: string, remedy: string): void => {
    found.problems.push({ path, ...positionAt(text, start), message, remedy, severity: "error" });
  };
  if (!isScript(program)) {
    report(
      program,
      "It exports more than its meta.",
      'Remove every other "export", and declare nothing beside meta there.',
    );
  }
  if (Buffer.byteLength(text) > MAX_SCRIPT_BYTES) {
    report(program, `It has more than ${MAX_SCRIPT_BYTES} bytes.`, "Write a shorter one.");
  }
  for (const { node, around, field } of walkScript(program)) {
    if (found.problems.length >= MAX_PROBLEMS) break;
    const name = identifierOf(node) ?? textOf(node);
    if (name !== undefined && FORBIDDEN.has(name) && !isProse(around?.node, field, node)) {
      report(
        node,
        `"${name}" is not allowed in a script that an agent wrote.`,
        "Write it with plain values and calls.",
      );
    }
    if (node.type === "ThisExpression") {
      report(node, '"this" is not allowed in a script that an agent wrote.', "Use the names of functions and values.");
    }
    const readable = READABLE_CALLS.find((call) => identifierOf(node) === call);
    if (readable === undefined || isName(around?.node, field)) continue;
    const isCalled = around?.node.type === "CallExpression" && field === "callee";
    const first = isCalled ? textOf(nodesIn(around.node, "arguments")[0]) : undefined;
    if (first === undefined) {
      const remedy = `Call it directly, with a text in quotes that has no values in it: ${readable}("…").`;
      report(node, `What ${readable}() is called with cannot be read before the script runs.`, remedy);
    } else {
      found[readable].add(first);
    }
  }
  const problems = [...parsed.problems, ...found.problems];
  return { ...parsed, problems, commands: [...found.shell], calledWorkflows: [...found.workflow] };
}

/** Whether a text is a value and not the name of a property. */
function isProse(around: Node | undefined, field: string, node: Node): boolean {
  if (node.type === "Identifier") return false;
  if (around?.type === "MemberExpression") return field !== "property";
  return !(around?.type === "Property" && field === "key");
}

/** Whether an identifier is only the name of a property. That of `{ shell }` is also its value, which counts. */
function isName(around: Node | undefined, field: string): boolean {
  if (around !== undefined && "computed" in around && around.computed === true) return false;
  return (
    (around?.type === "MemberExpression" && field === "property") || (around?.type === "Property" && field === "key")
  );
}

function withoutMeta(path: string): DiscoveryProblem {
  const message = 'Its first statement is not the export "meta".';
  const remedy = 'Begin it with export const meta = { name: "…", description: "…" }.';
  return { path, message, remedy, severity: "error" };
}
