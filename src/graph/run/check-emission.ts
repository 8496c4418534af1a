import { AtomicError, type NodeEmission, type Usage } from "../../contracts/index.ts";
import {
  type AnyOptionTable,
  findOptionProblems,
  listOf,
  type OptionTable,
  shape,
} from "../options/find-option-problems.ts";
import { amount, isObject, object, oneOf, required, text, yesOrNo } from "../options/option-checks.ts";
import { showValue } from "../options/show-value.ts";

/** A node emitted something that is no event of a node. */
export class InvalidEmissionError extends AtomicError {
  /** Another attempt would emit the same. */
  readonly isRetryable = false;

  constructor(
    readonly nodeId: string,
    problem: string,
  ) {
    super("EVENT_INVALID", `emit() of the node "${nodeId}" ${problem}.`);
  }
}

type EmissionOf<Type extends NodeEmission["type"]> = Omit<Extract<NodeEmission, { type: Type }>, "type">;

const number = { expected: "a number", accepts: (value: unknown) => typeof value === "number" };

const USAGE_OPTIONS: OptionTable<Usage> = {
  inputTokens: required(amount),
  outputTokens: required(amount),
  cacheReadTokens: required(amount),
  cacheWriteTokens: required(amount),
  costUsd: amount,
};

/** The fields of each event; typed so that it lists every event that a node may emit. */
const EMISSIONS: { readonly [Type in NodeEmission["type"]]: OptionTable<EmissionOf<Type>> } = {
  agent: { event: required(object), agentType: text },
  "agent-prompt": { message: required(text), systemPrompt: text, sessionId: text, agentType: text },
  "agent-session": { agentType: required(text), sessionId: required(text), isResumed: required(yesOrNo) },
  usage: { usage: required(shape(USAGE_OPTIONS)), agentType: text },
  "command-start": { command: required(text) },
  "command-end": {
    command: required(text),
    exitCode: required(number),
    durationMs: required(number),
    output: text,
  },
  "context-window": {
    session: text,
    fraction: number,
    action: required(oneOf(["summarize", "recreate", "warn", "none"])),
  },
  "debug-report": { report: required(object) },
  log: { message: required(text) },
  tasks: { tasks: required(listOf(object, "a list of tasks")) },
  warning: { message: required(text) },
};

const TYPES = Object.keys(EMISSIONS);

/** Checks at run time what the compiler would: files that are run directly are not type-checked. @throws InvalidEmissionError */
export function assertEmission(nodeId: string, event: unknown): asserts event is NodeEmission {
  if (!isObject(event)) {
    const remedy = 'give it an event, for example { type: "log", message: "…" }';
    throw new InvalidEmissionError(nodeId, `was given ${showValue(event)}; ${remedy}`);
  }
  const { type, ...fields } = event as { readonly type?: unknown };
  const tables: Readonly<Record<string, AnyOptionTable>> = EMISSIONS;
  const table = typeof type === "string" && Object.hasOwn(tables, type) ? tables[type] : undefined;
  if (table === undefined) {
    throw new InvalidEmissionError(
      nodeId,
      `was given the type ${showValue(type)}; a node emits ${oneOf(TYPES).expected}`,
    );
  }
  const problems = findOptionProblems(table, fields, { isOpen: true });
  if (problems.length > 0) throw new InvalidEmissionError(nodeId, problems.map(({ text }) => text).join("; "));
}
