import type { Node } from "acorn";
import { type DiscoveryProblem, SCRIPT_EFFORTS, SCRIPT_OPTIONS } from "../../contracts/index.ts";
import { identifierOf, nodeIn, nodesIn, textOf } from "./walk-script.ts";

/** A problem whose place is only an index: finding lines takes a while. */
export interface ScriptFault extends Pick<DiscoveryProblem, "message" | "remedy" | "severity"> {
  readonly start: number;
}

/** What the text of a script says about a value. */
interface FixedValue {
  readonly kind: "text" | "number" | "list" | "object" | "function" | "nothing" | "other";
  /** The value in a message. */
  readonly shown: string;
  /** Whether it is a text without any letter, or a list without elements. */
  readonly isEmpty?: boolean;
}

const FUNCTIONS: ReadonlySet<string> = new Set(["ArrowFunctionExpression", "FunctionExpression"]);

/** The value of an expression, as far as it is known before a run: at least of which kind it is. */
function fixedValueOf(node: Node): FixedValue | undefined {
  const text = textOf(node);
  if (text !== undefined) return { kind: "text", shown: JSON.stringify(text), isEmpty: text.trim() === "" };
  if (node.type === "ArrayExpression") {
    return { kind: "list", shown: "a list", isEmpty: nodesOf(node, "elements").length === 0 };
  }
  if (node.type === "TemplateLiteral") return { kind: "text", shown: "a text" };
  if (node.type === "ObjectExpression") return { kind: "object", shown: "an object" };
  if (FUNCTIONS.has(node.type)) return { kind: "function", shown: "a function" };
  if (identifierOf(node) === "undefined") return { kind: "nothing", shown: "undefined" };
  if (node.type === "UnaryExpression" && "operator" in node && node.operator === "-") {
    const inner = nodeIn(node, "argument");
    const value = inner === undefined ? undefined : fixedValueOf(inner);
    return value?.kind === "number" ? { kind: "number", shown: `-${value.shown}`, isEmpty: true } : undefined;
  }
  if (node.type !== "Literal" || !("value" in node)) return undefined;
  const { value } = node;
  if (value === null && !("regex" in node)) return { kind: "nothing", shown: "null" };
  if (typeof value === "number") return { kind: "number", shown: String(value), isEmpty: value === 0 };
  return { kind: "other", shown: "regex" in node ? "a regular expression" : String(value) };
}

/** The nodes of a list with holes. */
function nodesOf(node: Node, field: string): readonly unknown[] {
  // The cast is true: a node is an object with fields by name.
  const value = (node as unknown as Readonly<Record<string, unknown>>)[field];
  return Array.isArray(value) ? value : [];
}

const isSomeText = ({ kind, isEmpty }: FixedValue): boolean => kind === "text" && isEmpty !== true;

/** What has to be passed first, by function. */
const FIRST: Readonly<Record<string, string>> = {
  agent: "The prompt of agent()",
  shell: "The command of shell()",
  ask: "The question of ask()",
  workflow: "The name of workflow()",
  phase: "The name of phase()",
};

/** The functions of a script that return a promise. */
const ASYNCHRONOUS: ReadonlySet<string> = new Set(["agent", "shell", "ask", "workflow", "parallel", "pipeline"]);

/**
 * Finds what a script's function is given first and is still a promise, as in `parallel(agent("x"))`.
 *
 * @param declared the names that the script itself declares
 */
export function checkForPromise(
  call: Node,
  name: string,
  declared: ReadonlySet<string | undefined>,
): readonly ScriptFault[] {
  const [first] = nodesIn(call, "arguments");
  const callee = first?.type === "CallExpression" ? identifierOf(nodeIn(first, "callee")) : undefined;
  if (first === undefined || callee === undefined || !ASYNCHRONOUS.has(callee) || declared.has(callee)) return [];
  const { start } = first;
  if (name === "parallel") return [fault(start, "parallel() is given a promise.", PASS_FUNCTIONS)];
  const remedy = `Wait for it: ${name}(await ${callee}(…)).`;
  if (name === "pipeline") return [fault(start, "The items of pipeline() are a promise.", remedy)];
  const subject = Object.hasOwn(FIRST, name) ? FIRST[name] : undefined;
  return subject === undefined ? [] : [fault(start, `${subject} is a promise.`, remedy)];
}

const PASS_FUNCTIONS = 'Pass a list: parallel([() => agent("…")]).';

/** A test of an option's fixed value, and what to pass instead. */
type OptionRule = readonly [accepts: (value: FixedValue) => boolean, remedy: string];

const SOME_TEXT: OptionRule = [isSomeText, "Pass a text that is not empty."];

/** The options of the functions whose names {@link SCRIPT_OPTIONS} lists. A text as `effort` is checked with its name. */
const OPTION_RULES: Readonly<Record<string, OptionRule>> = {
  label: SOME_TEXT,
  phase: SOME_TEXT,
  model: SOME_TEXT,
  agentType: SOME_TEXT,
  workingDirectory: SOME_TEXT,
  header: SOME_TEXT,
  effort: [({ kind }) => kind === "text", `Write one of: ${SCRIPT_EFFORTS.join(", ")}.`],
  schema: [({ kind }) => kind === "object", "Pass a JSON Schema."],
  isolation: [({ shown }) => shown === '"worktree"' || shown === "a text", 'Write "worktree".'],
  timeoutMs: [({ kind, isEmpty }) => kind === "number" && isEmpty !== true, "Pass a number above 0."],
  options: [({ kind, isEmpty }) => kind === "list" && isEmpty !== true, "Pass a list of answers."],
};

/** Finds fixed arguments of a script's function that a run would reject. */
export function checkFixedArguments(call: Node, name: string): readonly ScriptFault[] {
  const given = nodesIn(call, "arguments");
  // Nobody knows what a spread list contains.
  if (given.some(({ type }) => type === "SpreadElement")) return [];
  const [first, second] = given;
  if (name === "parallel" || name === "pipeline") return listFaults(name, call, given);
  const subject = Object.hasOwn(FIRST, name) ? FIRST[name] : undefined;
  if (subject === undefined) return [];
  const value = first === undefined ? { shown: "undefined" } : fixedValueOf(first);
  const isFit = value === undefined || ("kind" in value && isSomeText(value));
  const { start } = first ?? call;
  const faults = isFit ? [] : [fault(start, `${subject} is ${value.shown}.`, "Pass a text that is not empty.")];
  return [
    ...faults,
    ...(second === undefined || !Object.hasOwn(SCRIPT_OPTIONS, name) ? [] : secondFaults(name, second)),
  ];
}

function secondFaults(name: string, options: Node): readonly ScriptFault[] {
  const { start } = options;
  const value = fixedValueOf(options);
  if (value === undefined || value.kind === "nothing" || value.kind === "object") return [];
  if (name !== "ask") {
    return [fault(start, `The options of ${name}() are ${value.shown}.`, "Pass an object.")];
  }
  const remedy = 'Pass a list: ask("…", ["yes", "no"]).';
  if (value.kind !== "list") return [fault(start, `The answers of ask() are ${value.shown}.`, remedy)];
  const empty = "Pass at least one, or leave it out for any text.";
  return value.isEmpty === true ? [fault(start, "The list of answers of ask() is empty.", empty)] : [];
}

/** The problem of an option's value, if that is fixed. */
export function checkFixedOption(
  call: string,
  { name, value: node, start }: { readonly name: string; readonly value: Node | undefined; readonly start: number },
): readonly ScriptFault[] {
  const rule = Object.hasOwn(OPTION_RULES, name) ? OPTION_RULES[name] : undefined;
  const value = node === undefined ? undefined : fixedValueOf(node);
  if (rule === undefined || value === undefined || value.kind === "nothing") return [];
  const [accepts, remedy] = rule;
  if (accepts(value)) return [];
  const shown = value.kind === "list" && value.isEmpty === true ? "an empty list" : value.shown;
  return [fault(start, `The option "${name}" of ${call}() is ${shown}.`, remedy)];
}

/** The faults of what runs functions: `parallel([f, g])`, and `pipeline(items, f, g)`. */
function listFaults(name: "parallel" | "pipeline", call: Node, given: readonly Node[]): readonly ScriptFault[] {
  const [list, ...stages] = given;
  const value = list === undefined ? { kind: "nothing", shown: "undefined" } : fixedValueOf(list);
  const { start } = list ?? call;
  const isList = value === undefined || value.kind === "list";
  if (name === "pipeline") {
    const items = isList ? [] : [fault(start, `The items of pipeline() are ${value.shown}.`, "Pass a list.")];
    return [...items, ...functionFaults(stages, (index) => `Stage ${index + 1} of pipeline()`, "Pass a function.")];
  }
  if (!isList) {
    return [fault(start, `parallel() is given ${value.shown}.`, PASS_FUNCTIONS)];
  }
  const elements = list?.type === "ArrayExpression" ? nodesIn(list, "elements") : [];
  return functionFaults(elements, (index) => `Element ${index} of parallel()`, 'Pass functions: () => agent("…").');
}

function functionFaults(
  nodes: readonly Node[],
  subjectOf: (index: number) => string,
  remedy: string,
): readonly ScriptFault[] {
  return nodes.flatMap((node, index) => {
    const value = fixedValueOf(node);
    if (value === undefined || value.kind === "function") return [];
    return [fault(node.start, `${subjectOf(index)} is ${value.shown}.`, remedy)];
  });
}

function fault(start: number, message: string, remedy: string): ScriptFault {
  return { start, message, remedy, severity: "error" };
}
