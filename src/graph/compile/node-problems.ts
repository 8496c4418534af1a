import { type NodeDefinition, retry } from "../model/node-definition.ts";
import {
  findOptionProblems,
  listOf,
  type OptionAdvice,
  type OptionTable,
  shape,
} from "../options/find-option-problems.ts";
import {
  aFunction,
  anything,
  isObject,
  oneOf,
  someText,
  strategy,
  text,
  timeLimit,
  yesOrNo,
} from "../options/option-checks.ts";
import { showValue } from "../options/show-value.ts";
import { isGraphCode } from "./graph-code.ts";

const JOIN_OPTIONS: OptionTable<NonNullable<NodeDefinition["join"]>> = { strategy, merge: aFunction };

/** The options that are checked in a node written without a factory. */
const NODE_OPTIONS: OptionTable<Partial<NodeDefinition>> = {
  id: anything,
  type: oneOf(["agent", "tool", "decision", "wait", "ask_user", "sleep", "subgraph", "parallel", "script"]),
  name: text,
  description: text,
  remark: text,
  title: aFunction,
  model: text,
  retry,
  timeoutMs: timeLimit,
  subgraph: anything,
  join: shape(JOIN_OPTIONS),
  parts: anything,
  problems: anything,
  targets: listOf(someText, "a list of ids"),
  leavesByRoute: yesOrNo,
  actsThroughServices: yesOrNo,
  uses: anything,
  calls: anything,
  keepsReply: yesOrNo,
  stateFields: anything,
  execute: anything,
  applyAnswer: aFunction,
  answerSchema: anything,
};

const RETRY_ADVICE = ["write retry: { maxAttempts: 3 }", "retry"] as const;

const NODE_ADVICE: OptionAdvice = {
  retries: RETRY_ADVICE,
  maxRetries: RETRY_ADVICE,
  maxAttempts: RETRY_ADVICE,
  outputMapper: ["return { stateUpdate } from execute, or make the node with toolNode()"],
};

/** Whether a value can be a node of a graph at all. */
export function isNamedNode(value: unknown): value is NodeDefinition {
  return isObject(value) && "id" in value && someText.accepts(value.id) && isExecutable(value);
}

/** The problems of a node, as whole sentences: those that its factory found, or else those found here. */
export function describeNodeProblems(value: unknown): readonly string[] {
  const problems = isObject(value) && "problems" in value ? value.problems : undefined;
  // The cast is safe: only factories set this field, and other lists are of no use.
  const found = Array.isArray(problems) ? (problems as readonly string[]) : undefined;
  if (isNamedNode(value)) {
    // A node may have other fields, but not misspellings of known ones.
    const options = { advice: NODE_ADVICE, isOpen: true };
    const all = found ?? findOptionProblems(NODE_OPTIONS, value, options).map((problem) => problem.text);
    return all.map((problem) => `"${value.id}" ${problem}`);
  }
  if (found !== undefined && isObject(value) && "name" in value) return found.map((text) => `${value.name} ${text}`);
  return [explainNoNode(value)];
}

function isExecutable(value: object): boolean {
  return "execute" in value && typeof value.execute === "function";
}

function explainNoNode(value: unknown): string {
  const isGraph = isObject(value) && "code" in value && isGraphCode(value.code);
  if (isGraph) return "a step is a compiled graph; make a node of it with subgraphNode({ id, subgraph })";
  if (value instanceof Promise) return "a step is a Promise; await the node first";
  if (typeof value === "function") return "a step is a function; make a node of it with toolNode({ id, execute })";
  return `a step is not a node: ${showValue(value)} (a node has an id and an execute function)`;
}
