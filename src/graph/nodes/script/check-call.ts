import { type Json, type JsonObject, nearestName, SCRIPT_EFFORTS, SCRIPT_OPTIONS } from "../../../contracts/index.ts";
import { showValue } from "../../options/show-value.ts";
import { shorten } from "../shared/shorten.ts";
import type { CallSpec, ScriptEffort } from "./call-spec.ts";
import type { ScriptAnswer } from "./script-api.ts";
import { ScriptUsageError } from "./script-errors.ts";

/** The options of a call as a record. @throws ScriptUsageError for what is no object, and for unknown options */
function optionsOf(name: keyof typeof SCRIPT_OPTIONS, given: unknown): Readonly<Record<string, unknown>> {
  if (given === undefined || given === null) return {};
  if (typeof given !== "object" || Array.isArray(given)) {
    throw new ScriptUsageError(`The options of ${name}() are ${showValue(given)}. Pass an object.`);
  }
  const known = SCRIPT_OPTIONS[name];
  for (const option of Object.keys(given)) {
    if ((known as readonly string[]).includes(option)) continue;
    const nearest = nearestName(option, known);
    const hint = nearest === undefined ? `Its options: ${known.join(", ")}.` : `Did you mean "${nearest}"?`;
    throw new ScriptUsageError(`${name}() has no option "${option}". ${hint}`);
  }
  // The cast is true: an object has fields by name.
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== null));
}

/** @throws ScriptUsageError */
function textOf(value: unknown, what: string): string {
  if (typeof value === "string" && value.trim() !== "") return value;
  throw new ScriptUsageError(`${what} is ${showValue(value)}. Pass a text that is not empty.`);
}

/** What `phase()` was called with. @throws ScriptUsageError */
export function phaseName(name: unknown): string {
  return textOf(name, "The name of phase()");
}

function textOption(options: Readonly<Record<string, unknown>>, name: string, call: string): string | undefined {
  const value = options[name];
  return value === undefined ? undefined : textOf(value, `The option "${name}" of ${call}()`);
}

/** A value as JSON. @param what names it in an error @throws ScriptUsageError */
export function jsonOf(value: unknown, what: string): Json {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    throw new ScriptUsageError(`${what} cannot be kept as JSON: ${error instanceof Error ? error.message : error}`);
  }
  return text === undefined ? null : JSON.parse(text);
}

/** The id of a call's node: its label, as far as an id may have those characters. */
function idOf(label: string, fallback: string): string {
  const id = label
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-+|-+$/g, "");
  return id === "" ? fallback : id;
}

/** What `agent()` was called with. @throws ScriptUsageError */
export function agentCall(prompt: unknown, given: unknown, currentPhase: string | undefined): CallSpec {
  const task = textOf(prompt, "The prompt of agent()");
  const options = optionsOf("agent", given);
  const { schema, effort, isolation } = options;
  const label = textOption(options, "label", "agent");
  const phase = textOption(options, "phase", "agent") ?? currentPhase;
  const model = textOption(options, "model", "agent");
  const agentType = textOption(options, "agentType", "agent");
  if (isolation !== undefined && isolation !== "worktree") {
    throw new ScriptUsageError(`The option "isolation" of agent() is ${showValue(isolation)}. Write "worktree".`);
  }
  if (effort !== undefined && (typeof effort !== "string" || !(SCRIPT_EFFORTS as readonly string[]).includes(effort))) {
    const known = SCRIPT_EFFORTS.join(", ");
    throw new ScriptUsageError(`The option "effort" of agent() is ${showValue(effort)}. Write one of: ${known}.`);
  }
  if (schema !== undefined && (typeof schema !== "object" || Array.isArray(schema))) {
    throw new ScriptUsageError(`The option "schema" of agent() is ${showValue(schema)}. Pass a JSON Schema.`);
  }
  const shown = shorten(label ?? task);
  return {
    kind: "agent",
    id: idOf(label ?? agentType ?? "agent", "agent"),
    title: phase === undefined ? shown : shorten(`${phase}: ${shown}`),
    prompt: task,
    ...(agentType === undefined ? {} : { agentType }),
    ...(model === undefined ? {} : { model }),
    // The cast is true: it is one of the levels.
    ...(effort === undefined ? {} : { effort: (effort === "xhigh" ? "max" : effort) as ScriptEffort }),
    // The cast is true: it is an object that JSON can keep.
    ...(schema === undefined ? {} : { schema: jsonOf(schema, 'The option "schema" of agent()') as JsonObject }),
    ...(isolation === undefined ? {} : { isolation }),
  };
}

/** What `shell()` was called with. @throws ScriptUsageError */
export function shellCall(command: unknown, given: unknown): CallSpec {
  const line = textOf(command, "The command of shell()");
  const options = optionsOf("shell", given);
  const label = textOption(options, "label", "shell");
  const workingDirectory = textOption(options, "workingDirectory", "shell");
  const { timeoutMs } = options;
  if (timeoutMs !== undefined && (typeof timeoutMs !== "number" || !(timeoutMs > 0))) {
    throw new ScriptUsageError(`The option "timeoutMs" of shell() is ${showValue(timeoutMs)}. Pass a number above 0.`);
  }
  return {
    kind: "shell",
    id: idOf(label ?? "shell", "shell"),
    title: shorten(label ?? line),
    command: line,
    ...(workingDirectory === undefined ? {} : { workingDirectory }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

/** What `ask()` was called with. @throws ScriptUsageError */
export function askCall(question: unknown, given: unknown): CallSpec {
  const asked = textOf(question, "The question of ask()");
  if (given !== undefined && given !== null && typeof given !== "object") {
    throw new ScriptUsageError(`The answers of ask() are ${showValue(given)}. Pass a list: ask("…", ["yes", "no"]).`);
  }
  // A list of answers alone is common.
  const options = optionsOf("ask", Array.isArray(given) ? { options: given } : given);
  const header = textOption(options, "header", "ask");
  const answers = options.options;
  if (answers !== undefined && !Array.isArray(answers)) {
    throw new ScriptUsageError(`The option "options" of ask() is ${showValue(answers)}. Pass a list of answers.`);
  }
  if (answers?.length === 0) {
    throw new ScriptUsageError(
      "The list of answers of ask() is empty. Pass at least one, or leave it out for any text.",
    );
  }
  return {
    kind: "ask",
    id: idOf(header ?? "ask", "ask"),
    title: shorten(asked),
    question: asked,
    ...(header === undefined ? {} : { header }),
    // The cast is checked below.
    ...(answers === undefined ? {} : { options: (answers as readonly ScriptAnswer[]).map(answerOf) }),
  };
}

function answerOf(given: unknown): { readonly label: string; readonly description?: string } {
  if (typeof given !== "object" || given === null) return { label: textOf(given, "An answer of ask()") };
  const { label, description } = given as { readonly label?: unknown; readonly description?: unknown };
  return {
    label: textOf(label, "The label of an answer of ask()"),
    ...(typeof description === "string" ? { description } : {}),
  };
}

/** What `workflow()` was called with. @throws ScriptUsageError */
export function workflowCall(name: unknown, args: unknown): CallSpec {
  const workflow = textOf(name, "The name of workflow()");
  const input = inputOf(jsonOf(args, `The args of workflow("${workflow}")`));
  return { kind: "workflow", id: idOf(workflow, "workflow"), title: shorten(workflow), workflow, input };
}

/** The input of a run whose script gets these args: the opposite of {@link argsOf}. */
function inputOf(args: Json): JsonObject {
  if (args === null) return {};
  if (typeof args === "string") return { prompt: args };
  // The cast is true: it is neither a list nor a plain value.
  return typeof args === "object" && !Array.isArray(args) ? (args as JsonObject) : { args };
}

/** Fields of a state that are not its input. */
const OTHER_FIELDS: ReadonlySet<string> = new Set(["outputs", "executionId", "lastUpdated", "agentSessions"]);

/**
 * The args of a script, from the input of its run: the input `args` alone, or the prompt alone, or else an object of all
 * inputs.
 */
export function argsOf(state: object): unknown {
  const input = Object.entries(state).filter(([name, value]) => !OTHER_FIELDS.has(name) && value !== undefined);
  const [only] = input;
  if (only === undefined) return undefined;
  const isAlone = input.length === 1 && (only[0] === "args" || only[0] === "prompt");
  return jsonOf(isAlone ? only[1] : Object.fromEntries(input), "The args of the script");
}
