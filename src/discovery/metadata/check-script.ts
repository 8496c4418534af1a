import type { Node, Program } from "acorn";
import { nearestName, SCRIPT_EFFORTS, SCRIPT_OPTIONS } from "../../contracts/index.ts";
import { checkFixedArguments, checkFixedOption, checkForPromise, type ScriptFault } from "./check-fixed-values.ts";
import { identifierOf, nodeIn, nodesIn, type PlacedNode, textOf, walkScript } from "./walk-script.ts";

/** A name that a script looks up in a run, where it is literal. */
export interface ScriptName {
  readonly name: string;
  readonly start: number;
}

/** What a script sets for an agent, where it is literal. */
export interface ScriptSettings {
  readonly model?: string;
  readonly effort?: string;
  readonly agentType?: string;
  readonly start: number;
}

/** What a script needs in a run, as far as its text says. */
export interface ScriptCheck {
  readonly faults: readonly ScriptFault[];
  readonly agentTypes: readonly ScriptName[];
  /** Of the agents with an effort or a model of their own. */
  readonly settings: readonly ScriptSettings[];
  readonly workflows: readonly ScriptName[];
  /** Where it asks for worktrees. */
  readonly worktrees: readonly { readonly start: number }[];
}

/** The functions and values of a script. */
const SCRIPT_GLOBALS = [
  ...["agent", "parallel", "pipeline", "phase", "log", "workflow", "args", "budget", "shell", "ask", "console"],
];

/** What JavaScript itself has in a script. */
const LANGUAGE_GLOBALS = (
  "Array ArrayBuffer AggregateError BigInt BigInt64Array BigUint64Array Boolean DataView Date Error EvalError " +
  "FinalizationRegistry Float32Array Float64Array Infinity Int16Array Int32Array Int8Array Intl Iterator JSON Map Math " +
  "NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String Symbol SyntaxError TypeError " +
  "URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet arguments decodeURI " +
  "decodeURIComponent encodeURI encodeURIComponent escape globalThis isFinite isNaN parseFloat parseInt undefined unescape"
).split(" ");

/** What to do instead of what a script does not have. */
const INSTEAD: Readonly<Record<string, string>> = {
  require: "A script cannot load modules: remove it.",
  process: "Pass values in with the run's input; the script finds them in args.",
  fetch: 'Let an agent look it up: agent("…").',
  setTimeout: "A script cannot wait for a time: remove it.",
  setInterval: "A script cannot wait for a time: remove it.",
  performance: "A resumed run has to come to the same steps: pass the time in with the run's input.",
  crypto: "A resumed run has to come to the same steps: number what has to differ.",
  Buffer: "Use texts.",
  Bun: "Let an agent do it, or shell().",
  eval: "Write the code down.",
  Function: "Write the code down.",
};

const OPTIONS: Readonly<Record<string, readonly string[]>> = SCRIPT_OPTIONS;

/** After this many faults, the rest of a script is not looked at. */
export const MAX_FAULTS = 20;

/** Checks a script without executing it. */
export function checkScript(program: Program): ScriptCheck {
  const placed = [...walkScript(program)];
  const declared = new Set(placed.filter(isDeclared).map(({ node }) => identifierOf(node)));
  const known = new Set([...SCRIPT_GLOBALS, ...LANGUAGE_GLOBALS]);
  const check = { faults: [], agentTypes: [], settings: [], workflows: [], worktrees: [] } as MutableCheck;
  const reported = new Set<string>();
  for (const one of placed) {
    // Each costs a search for the nearest name, and nobody reads more.
    if (check.faults.length >= MAX_FAULTS) break;
    const { node } = one;
    const name = identifierOf(node);
    if (name !== undefined && isReference(one) && !declared.has(name) && !known.has(name) && !reported.has(name)) {
      reported.add(name);
      check.faults.push(unknownName(node, name, [...known]));
    }
    if (node.type === "ImportDeclaration" || node.type === "ImportExpression") check.faults.push(noImport(node));
    if (node.type === "CallExpression") checkCall(one, declared, check);
    if (node.type === "NewExpression" && isPlainDate(node)) check.faults.push(unrepeatable(node, "new Date()"));
  }
  return check;
}

type MutableCheck = { -readonly [Key in keyof ScriptCheck]: ScriptCheck[Key][number][] };

function isPlainDate(node: Node): boolean {
  return identifierOf(nodeIn(node, "callee")) === "Date" && nodesIn(node, "arguments").length === 0;
}

const PATTERNS: ReadonlySet<string> = new Set(["ArrayPattern", "RestElement", "ObjectPattern"]);

/** Whether an identifier declares a name. A name counts in the whole script. */
function isDeclared({ node, around, field }: PlacedNode): boolean {
  if (identifierOf(node) === undefined || around === undefined) return false;
  const { type } = around.node;
  if (type === "VariableDeclarator" || type === "FunctionDeclaration" || type === "ClassDeclaration") {
    return field === "id" || field === "params";
  }
  if (type === "FunctionExpression" || type === "ClassExpression" || type === "ArrowFunctionExpression") {
    return field === "id" || field === "params";
  }
  if (type === "CatchClause") return field === "param";
  if (PATTERNS.has(type)) return true;
  if (type === "AssignmentPattern") return field === "left";
  return type === "Property" && field === "value" && around.around?.node.type === "ObjectPattern";
}

/** Whether an identifier reads a variable. */
function isReference({ node, around, field }: PlacedNode): boolean {
  if (around === undefined) return false;
  const { type } = around.node;
  const isComputed = "computed" in around.node && around.node.computed === true;
  if (type === "MemberExpression") return field === "object" || isComputed;
  if (type === "Property" || type === "PropertyDefinition" || type === "MethodDefinition") {
    return field === "value" || isComputed;
  }
  if (type === "LabeledStatement" || type === "BreakStatement" || type === "ContinueStatement") return false;
  if (type === "MetaProperty" || type.startsWith("Export") || type.startsWith("Import")) return false;
  // A script may ask what there is.
  if (type === "UnaryExpression" && "operator" in around.node && around.node.operator === "typeof") return false;
  return !isDeclared({ node, around, field });
}

function unknownName({ start }: Node, name: string, known: readonly string[]): ScriptFault {
  const nearest = nearestName(name, known);
  const remedy = Object.hasOwn(INSTEAD, name) ? INSTEAD[name] : nearest && `Did you mean "${nearest}"?`;
  return {
    start,
    message: `A script has no "${name}".`,
    remedy: remedy ?? `Declare it, or remove it. A script has: ${SCRIPT_GLOBALS.join(", ")}.`,
    severity: "error",
  };
}

function noImport({ start }: Node): ScriptFault {
  const remedy = "Remove the import: a script has only the functions that its runtime provides.";
  return { start, message: "A script cannot import anything.", remedy, severity: "error" };
}

function unrepeatable({ start }: Node, call: string): ScriptFault {
  const remedy = "Take the value from args: a resumed run has to come to the same steps.";
  return { start, message: `${call} throws in a script.`, remedy, severity: "error" };
}

function checkCall({ node, around }: PlacedNode, declared: ReadonlySet<string | undefined>, check: MutableCheck): void {
  const callee = nodeIn(node, "callee");
  const [first, second] = nodesIn(node, "arguments");
  if (callee?.type === "MemberExpression") {
    const call = `${identifierOf(nodeIn(callee, "object"))}.${identifierOf(nodeIn(callee, "property"))}`;
    if (call === "Date.now" || call === "Math.random") check.faults.push(unrepeatable(node, `${call}()`));
    return;
  }
  const name = identifierOf(callee);
  // The script's own function of that name.
  if (name === undefined || declared.has(name)) return;
  if (name === "Date") check.faults.push(unrepeatable(node, "Date()"));
  if (name === "workflow") {
    const workflow = textOf(first);
    if (workflow !== undefined) check.workflows.push({ name: workflow, start: node.start });
  }
  check.faults.push(...checkFixedArguments(node, name), ...checkForPromise(node, name, declared));
  if (Object.hasOwn(OPTIONS, name)) checkOptions(name, second, check);
  if (name === "parallel" && first?.type === "ArrayExpression") {
    const started = nodesIn(first, "elements").find(
      (element) => element.type === "CallExpression" && identifierOf(nodeIn(element, "callee")) === "agent",
    );
    if (started !== undefined) check.faults.push(startedTooEarly(started));
  }
  if (name === "agent" && around?.node.type === "ExpressionStatement") check.faults.push(notAwaited(node));
}

function startedTooEarly({ start }: Node): ScriptFault {
  const message = "parallel() is given an agent that has started already.";
  return { start, message, remedy: 'Pass a function: () => agent("…").', severity: "error" };
}

function notAwaited({ start }: Node): ScriptFault {
  const message = "Nothing waits for this agent, so the script continues at once; the run waits at its end.";
  return { start, message, remedy: 'Write: await agent("…").', severity: "warning" };
}

function checkOptions(call: string, options: Node | undefined, check: MutableCheck): void {
  if (options?.type !== "ObjectExpression") return;
  const known = OPTIONS[call] ?? [];
  const literal: Record<string, string> = {};
  for (const property of nodesIn(options, "properties")) {
    const key = nodeIn(property, "key");
    const name = identifierOf(key) ?? textOf(key);
    if (property.type !== "Property" || name === undefined || ("computed" in property && property.computed)) continue;
    const { start } = property;
    if (!known.includes(name)) {
      const nearest = nearestName(name, known);
      const remedy = nearest === undefined ? `Its options: ${known.join(", ")}.` : `Did you mean "${nearest}"?`;
      check.faults.push({ start, message: `${call}() has no option "${name}".`, remedy, severity: "error" });
    } else check.faults.push(...checkFixedOption(call, { name, value: nodeIn(property, "value"), start }));
    const value = textOf(nodeIn(property, "value"));
    if (value !== undefined) literal[name] = value;
    if (name === "effort" && value !== undefined && !(SCRIPT_EFFORTS as readonly string[]).includes(value)) {
      const remedy = `Write one of: ${SCRIPT_EFFORTS.join(", ")}.`;
      check.faults.push({ start, message: `agent() knows no effort "${value}".`, remedy, severity: "error" });
    }
    if (name === "agentType" && value !== undefined) check.agentTypes.push({ name: value, start });
    if (name === "isolation" && value === "worktree") check.worktrees.push({ start });
  }
  const { model, effort, agentType } = literal;
  if (model === undefined && effort === undefined) return;
  check.settings.push({
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    ...(agentType === undefined ? {} : { agentType }),
    start: options.start,
  });
}
