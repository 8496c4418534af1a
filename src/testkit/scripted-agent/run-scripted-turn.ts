import { setImmediate as nextTask, setTimeout as sleep } from "node:timers/promises";
import {
  type AgentReply,
  AtomicError,
  isLimitError,
  messageOf,
  NO_USAGE,
  raceAbort,
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
import type { AgentScript, ScriptedReply, ScriptedTurn, ScriptedTurnTools } from "./scripted-turn.ts";
import type { SteeringInbox } from "./steering-inbox.ts";
import { TurnTally } from "./turn-tally.ts";

/** How a turn ended. An error is passed on as it was thrown. */
export type TurnResult =
  | { readonly outcome: "completed"; readonly reply: AgentReply }
  | { readonly outcome: Exclude<TurnOutcome, "completed">; readonly error: unknown };

/** What a turn needs from its session. */
export interface TurnServices extends Omit<ActionContext, "toolId" | "runSubagent"> {
  readonly script: AgentScript;
  /** Whether the agent shows its thinking. */
  readonly showsThinking: boolean;
  /** Estimated tokens of the conversation so far, the prompt included. */
  readonly inputTokens: number;
  readonly createToolId: () => string;
  readonly steering: SteeringInbox;
}

/** A reply with its shorthand undone. */
type FullReply = Exclude<ScriptedReply, string>;

/** Runs one turn from `turn-start` to `turn-end`. How it went is in the result; it rejects only with what a listener throws. */
export async function runScriptedTurn(turn: ScriptedTurn, services: TurnServices): Promise<TurnResult> {
  const { sessionId } = turn;
  const { signal, emit } = services;
  let result: TurnResult;
  emit({ type: "turn-start", sessionId });
  try {
    result = { outcome: "completed", reply: await answer(turn, services) };
  } catch (error) {
    // An abort wins over whatever error it caused; that of the watchdog, and of a limit, is a failure.
    const cause = signal.aborted ? signal.reason : error;
    const isFailure = !signal.aborted || cause instanceof TurnStalledError || isLimitError(cause);
    result = { outcome: isFailure ? "failed" : "aborted", error: cause };
    if (isFailure) emit({ type: "error", sessionId, message: messageOf(cause), code: codeOf(cause) });
  }
  services.watch.stop();
  emit({ type: "turn-end", sessionId, outcome: result.outcome });
  return result;
}

async function answer(turn: ScriptedTurn, outer: TurnServices): Promise<AgentReply> {
  const tally = new TurnTally();
  const services: TurnServices = {
    ...outer,
    emit: (event) => {
      tally.hear(event);
      outer.emit(event);
    },
  };
  const actions = new Set<Promise<unknown>>();
  try {
    return await answerWith(createTools(turn, { services, tally, actions }), { turn, services, tally });
  } finally {
    // An abort overtakes the script; the actions that it stopped close their tool calls before the turn ends.
    await Promise.all(actions);
  }
}

async function answerWith(
  tools: ScriptedTurnTools,
  {
    turn,
    services,
    tally,
  }: { readonly turn: ScriptedTurn; readonly services: TurnServices; readonly tally: TurnTally },
): Promise<AgentReply> {
  const { signal } = services;
  signal.throwIfAborted();
  const scripted = await raceAbort(callScript(turn, services.script, tools), signal);
  const reply: FullReply = typeof scripted === "string" ? { text: scripted } : scripted;
  if (reply.delayMs !== undefined && reply.delayMs > 0) await sleep(reply.delayMs, undefined, { signal });
  await tools.think(reply.thinking ?? "");
  for (const action of reply.actions ?? []) await tools.perform(action);
  const { text, structured } = resolveAnswer(turn, reply);
  await tools.say(text);
  if (reply.error !== undefined) throw reply.error;
  const value = structured();
  if (!tally.hasSpent || reply.usage !== undefined) tools.spend(countUsage(reply, text, services.inputTokens));
  return {
    type: "text",
    content: tally.content,
    usage: tally.usage,
    toolUses: tally.toolUses,
    deniedPermissions: tally.denied,
    ...(turn.outputSchema === undefined ? {} : { structured: value }),
  };
}

/** Turns what the script throws at once into a rejection. */
async function callScript(turn: ScriptedTurn, script: AgentScript, tools: ScriptedTurnTools): Promise<ScriptedReply> {
  return script(turn, tools);
}

/** What the tools of a script work with. */
interface ToolsContext {
  readonly services: TurnServices;
  readonly tally: TurnTally;
  /** The ends of the actions. */
  readonly actions: Set<Promise<unknown>>;
}

function createTools(turn: ScriptedTurn, { services, tally, actions }: ToolsContext): ScriptedTurnTools {
  const { sessionId } = turn;
  const { signal, emit, steering, createToolId, showsThinking } = services;
  const speak = async (type: "text-delta" | "thinking-delta", text: string): Promise<void> => {
    for (const word of splitWords(text)) {
      await nextTask();
      signal.throwIfAborted();
      emit({ type, sessionId, text: word });
    }
  };
  return {
    signal,
    perform: (action) => {
      const toolId = createToolId();
      const runSubagent = (prompt: string, subagentId: string): Promise<string> =>
        answerAsSubagent({ ...turn, prompt, subagentId }, services);
      const performing = performAction(action, { ...services, toolId, runSubagent });
      const settle = (): void => undefined; // how it went is for the script to know
      actions.add(performing.then(settle, settle));
      return performing;
    },
    say: (text) => speak("text-delta", text),
    think: async (text) => (showsThinking ? speak("thinking-delta", text) : undefined),
    spend: (usage) => {
      signal.throwIfAborted();
      tally.hasSpent = true;
      emit({ type: "usage", sessionId, usage: { ...NO_USAGE, ...usage } });
    },
    takeSteering: () => steering.takeAll(),
    nextSteering: () => steering.next(signal),
  };
}

/** What a sub-agent says and thinks is heard by nobody; what it does and spends is part of the turn. */
async function answerAsSubagent(
  { parts: _parts, outputSchema: _schema, ...turn }: ScriptedTurn,
  services: TurnServices,
): Promise<string> {
  const { content } = await answer(turn, {
    ...services,
    inputTokens: estimateTokens(turn.prompt),
    emit: (event) => {
      if (event.type !== "text-delta" && event.type !== "thinking-delta") services.emit(event);
      else services.watch.touch();
    },
  });
  return content;
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
