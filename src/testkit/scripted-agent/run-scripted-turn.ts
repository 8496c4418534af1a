import { setImmediate as nextTask, setTimeout as sleep } from "node:timers/promises";
import {
  type AgentEvent,
  type AgentReply,
  AtomicError,
  type DeniedPermission,
  messageOf,
  StructuredOutputError,
  type TurnOutcome,
  TurnStalledError,
  type Usage,
} from "../../contracts/index.ts";
import { smallestSchemaValue } from "../../graph/index.ts";
import { estimateTokens } from "../estimate-tokens.ts";
import { splitWords } from "../split-text.ts";
import { parseJsonText } from "./parse-json-text.ts";
import { type ActionContext, performAction } from "./perform-action.ts";
import { raceAbort } from "./race-abort.ts";
import type {
  AgentScript,
  ScriptedAction,
  ScriptedActionResult,
  ScriptedReply,
  ScriptedTurn,
} from "./scripted-turn.ts";

/** How a turn ended. An error is passed on as it was thrown. */
export type TurnResult =
  | { readonly outcome: "completed"; readonly reply: AgentReply }
  | { readonly outcome: Exclude<TurnOutcome, "completed">; readonly error: unknown };

/** What a turn needs from its session. */
export interface TurnServices extends Omit<ActionContext, "toolId"> {
  readonly script: AgentScript;
  /** Whether the agent shows its thinking. */
  readonly showsThinking: boolean;
  /** Estimated tokens of the conversation so far, the prompt included. */
  readonly inputTokens: number;
  readonly createToolId: () => string;
}

/** A reply with its shorthand undone. */
type FullReply = Exclude<ScriptedReply, string>;

/** What piled up during a turn. */
interface Tally {
  text: string;
  toolUses: number;
  readonly denied: DeniedPermission[];
}

/** Runs one turn from `turn-start` to `turn-end`. Never rejects: how the turn went is in the result. */
export async function runScriptedTurn(turn: ScriptedTurn, services: TurnServices): Promise<TurnResult> {
  const { sessionId } = turn;
  const { signal, emit } = services;
  let result: TurnResult;
  emit({ type: "turn-start", sessionId });
  try {
    result = { outcome: "completed", reply: await answer(turn, services) };
  } catch (error) {
    // An abort wins over whatever error it caused; a stall is an abort of the watchdog's, and a failure.
    const cause = signal.aborted ? signal.reason : error;
    const isFailure = !signal.aborted || cause instanceof TurnStalledError;
    result = { outcome: isFailure ? "failed" : "aborted", error: cause };
    if (isFailure) emit({ type: "error", sessionId, message: messageOf(cause), code: codeOf(cause) });
  }
  services.watch.stop();
  emit({ type: "turn-end", sessionId, outcome: result.outcome });
  return result;
}

async function answer(turn: ScriptedTurn, services: TurnServices): Promise<AgentReply> {
  const { sessionId } = turn;
  const { signal, emit } = services;
  const tally: Tally = { text: "", toolUses: 0, denied: [] };
  const perform = (action: ScriptedAction) => performCounted(action, services, tally);
  signal.throwIfAborted();
  const scripted = await raceAbort(callScript(turn, services, perform), signal);
  const reply: FullReply = typeof scripted === "string" ? { text: scripted } : scripted;
  if (reply.delayMs !== undefined && reply.delayMs > 0) await sleep(reply.delayMs, undefined, { signal });
  for (const text of splitWords(services.showsThinking ? (reply.thinking ?? "") : "")) {
    await nextTask();
    signal.throwIfAborted();
    emit({ type: "thinking-delta", sessionId, text });
  }
  for (const action of reply.actions ?? []) await perform(action);
  const { text, structured } = resolveAnswer(turn, reply);
  for (const word of splitWords(text)) {
    await nextTask();
    signal.throwIfAborted();
    tally.text += word;
    emit({ type: "text-delta", sessionId, text: word });
  }
  if (reply.error !== undefined) throw reply.error;
  const value = structured();
  const usage = countUsage(reply, tally.text, services.inputTokens);
  emit({ type: "usage", sessionId, usage });
  return {
    type: "text",
    content: tally.text,
    usage,
    toolUses: tally.toolUses,
    deniedPermissions: tally.denied,
    ...(turn.outputSchema === undefined ? {} : { structured: value }),
  };
}

/** Turns what the script throws at once into a rejection. */
async function callScript(
  turn: ScriptedTurn,
  services: TurnServices,
  perform: (action: ScriptedAction) => Promise<ScriptedActionResult>,
): Promise<ScriptedReply> {
  return services.script(turn, { signal: services.signal, perform });
}

async function performCounted(
  action: ScriptedAction,
  services: TurnServices,
  tally: Tally,
): Promise<ScriptedActionResult> {
  const emit = (event: AgentEvent): void => {
    if (event.type === "permission-denied") tally.denied.push(event.denied);
    services.emit(event);
  };
  const result = await performAction(action, { ...services, emit, toolId: services.createToolId() });
  if (!result.isDenied) tally.toolUses++;
  return result;
}

/** The text of the answer and, to be read when the text is out, the value for the wanted shape. */
function resolveAnswer(
  { outputSchema }: ScriptedTurn,
  reply: FullReply,
): { readonly text: string; readonly structured: () => unknown } {
  if (reply.structured !== undefined) {
    return { text: reply.text ?? JSON.stringify(reply.structured) ?? "", structured: () => reply.structured };
  }
  const { text = "" } = reply;
  if (outputSchema === undefined) return { text, structured: () => undefined };
  if (reply.text === undefined && reply.error === undefined) {
    const value = smallestSchemaValue(outputSchema);
    return { text: JSON.stringify(value), structured: () => value };
  }
  return { text, structured: () => readStructured(text) };
}

function readStructured(text: string): unknown {
  const json = parseJsonText(text);
  if (json.isJson) return json.value;
  throw new StructuredOutputError("scripted", ["the answer is not JSON"], text);
}

function countUsage(reply: FullReply, text: string, inputTokens: number): Usage {
  const outputTokens = estimateTokens(`${reply.thinking ?? ""}${text}`);
  return { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, ...reply.usage };
}

function codeOf(error: unknown): string {
  return error instanceof AtomicError ? error.code : "AGENT_TURN_FAILED";
}
