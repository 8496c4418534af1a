import type { Node, Program } from "acorn";
import { countCalls, findListLengths } from "./count-calls.ts";
import { identifierOf, isPropertyName, nodeIn, nodesIn, type PlacedNode, textOf, walkScript } from "./walk-script.ts";

/** A call of `agent()` in a script's text. */
export interface OutlinedAgent {
  /** Its label, else the beginning of its prompt, as far as they are literal. */
  readonly label: string;
  readonly line: number;
  readonly phase: string | undefined;
  /** Whether it is called at most once. */
  readonly isSingle: boolean;
}

/** What a script would do, as far as its text says. */
export interface ScriptOutline {
  readonly phases: readonly string[];
  readonly agents: readonly OutlinedAgent[];
  /** How many agents it calls at most; undefined where that depends on the run. */
  readonly maxAgents: number | undefined;
  /** The fields of `args` that it reads by name; undefined where it reads no `args`. */
  readonly args: readonly string[] | undefined;
}

/** The longest label, in characters. */
const MAX_LABEL_LENGTH = 60;

/** Outlines a script without executing it. */
export function outlineScript(
  program: Program,
  phases: readonly string[],
  lineOf: (index: number) => number,
): ScriptOutline {
  const agents: OutlinedAgent[] = [];
  const named: string[] = [...phases];
  let phase: string | undefined;
  // What a text says of calls counts only where these names mean what they say.
  let isReadable = true;
  let args: Set<string> | undefined;
  let count: number | undefined = 0;
  const all = [...walkScript(program)];
  const lists = findListLengths(all);
  for (const placed of all) {
    const { node } = placed;
    if (isNamed(placed, "args")) args = new Set([...(args ?? []), ...fieldsRead(placed)]);
    isReadable &&= !isHidden(placed);
    if (node.type !== "CallExpression") continue;
    const name = identifierOf(nodeIn(node, "callee"));
    const [first, options] = nodesIn(node, "arguments");
    if (name === "phase") {
      phase = textOf(first) ?? phase;
      if (phase !== undefined && !named.includes(phase)) named.push(phase);
    }
    if (name !== "agent") continue;
    const label = optionOf(options, "label") ?? beginningOf(first) ?? "an agent";
    const ownPhase = optionOf(options, "phase") ?? phase;
    const calls = countCalls(placed, lists);
    count = count === undefined || calls === undefined ? undefined : count + calls;
    agents.push({ label: shorten(label), line: lineOf(node.start), phase: ownPhase, isSingle: (calls ?? 2) <= 1 });
  }
  return { phases: named, agents, maxAgents: isReadable ? count : undefined, args: args && [...args] };
}

/** By these, a script reaches its functions without their names, or changes what lists do. */
const DETOURS: ReadonlySet<string> = new Set(["globalThis", "arguments", "prototype", "__proto__", "constructor"]);

/** Whether agents may be called here in a way that the text does not show: by another name, or by a workflow. */
function isHidden(placed: PlacedNode): boolean {
  const { node } = placed;
  if (node.type === "ThisExpression" || DETOURS.has(identifierOf(node) ?? textOf(node) ?? "")) return true;
  if (isNamed(placed, "workflow")) return true;
  if (!["agent", "parallel", "pipeline"].some((name) => isNamed(placed, name))) return false;
  return placed.around?.node.type !== "CallExpression" || placed.field !== "callee";
}

function isNamed(placed: PlacedNode, name: string): boolean {
  return identifierOf(placed.node) === name && !isPropertyName(placed);
}

/** The fields that are read of `args` at this place: of a member, or of a pattern that takes it apart. */
function fieldsRead(args: PlacedNode): readonly string[] {
  let read = args;
  // In `args ?? {}`.
  while (read.field === "left" && read.around?.node.type === "LogicalExpression") read = read.around;
  const { around, field } = read;
  if (around?.node.type === "MemberExpression" && field === "object") {
    const name = nameOf(around.node, "property");
    // Of a list or a text.
    const isMethod = around.around?.node.type === "CallExpression" && around.field === "callee";
    return name === undefined || name === "length" || isMethod ? [] : [name];
  }
  const pattern = nodeIn(around?.node ?? args.node, "id");
  if (pattern?.type !== "ObjectPattern" || field !== "init") return [];
  return nodesIn(pattern, "properties")
    .map((property) => nameOf(property, "key"))
    .filter((name) => name !== undefined);
}

/** A field's name where it is literal. */
function nameOf(node: Node, field: "property" | "key"): string | undefined {
  const isComputed = "computed" in node && node.computed === true;
  const key = nodeIn(node, field);
  return textOf(key) ?? (isComputed ? undefined : identifierOf(key));
}

function optionOf(options: Node | undefined, name: string): string | undefined {
  if (options?.type !== "ObjectExpression") return undefined;
  const property = nodesIn(options, "properties").find((one) => identifierOf(nodeIn(one, "key")) === name);
  return property && beginningOf(nodeIn(property, "value"));
}

/** A text, or what is literal at the start of a template. */
function beginningOf(node: Node | undefined): string | undefined {
  const text = textOf(node);
  if (text !== undefined || node?.type !== "TemplateLiteral") return text;
  const [first] = nodesIn(node, "quasis");
  const { value } = first as unknown as { readonly value?: { readonly cooked?: string } };
  return `${value?.cooked ?? ""}…`;
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > MAX_LABEL_LENGTH ? `${line.slice(0, MAX_LABEL_LENGTH - 1)}…` : line;
}
