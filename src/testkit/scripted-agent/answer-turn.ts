import { setImmediate as nextTask } from "node:timers/promises";
import { collectReply, startReply } from "../../clients/agent-kit.ts";
import { NO_USAGE, raceAbort, StructuredOutputError, type Usage } from "../../contracts/index.ts";
import { smallestSchemaValue } from "../../graph/run-kit.ts";
import { estimateTokens } from "../text/estimate-tokens.ts";
import { splitWords } from "../text/split-text.ts";
import { assertAction, assertReply } from "./check-reply.ts";
import { type ActionContext, performAction } from "./perform-action.ts";
import type { AgentScript, ScriptedReply, ScriptedTurn, ScriptedTurnTools } from "./scripted-turn.ts";
import type { SteeringInbox } from "./steering-inbox.ts";

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

/** A reply without its shorthand. */
type FullReply = Exclude<ScriptedReply, string>;

/** The result of a turn, besides its text and events. */
export interface TurnAnswer {
  /** The structured value, if the turn has an `outputSchema`. */
  readonly structured?: unknown;
}

/**
 * Lets the script answer a turn. Rejects with the script's error, or with the signal's reason when the turn is aborted, in
 * both cases after all its actions have ended.
 */
export async function answerTurn(turn: ScriptedTurn, services: TurnServices): Promise<TurnAnswer> {
  const actions = new Set<Promise<unknown>>();
  const progress: AnswerProgress = { actions, hasSpent: false };
  try {
    return await answerWith(createTools(turn, services, progress), { turn, services, progress });
  } finally {
    // On an abort, the script may still run, but its actions close their tool calls before the turn ends.
    await Promise.all(actions);
  }
}

/** The progress of a script. */
interface AnswerProgress {
  /** The ends of the actions. */
  readonly actions: Set<Promise<unknown>>;
  /** Whether the script has reported tokens by itself. */
  hasSpent: boolean;
}

/** What an answer is made of. */
interface AnswerParts {
  readonly turn: ScriptedTurn;
  readonly services: TurnServices;
  readonly progress: AnswerProgress;
}

async function answerWith(tools: ScriptedTurnTools, { turn, services, progress }: AnswerParts): Promise<TurnAnswer> {
  const { signal } = services;
  signal.throwIfAborted();
  const scripted = await raceAbort(callScript(turn, services.script, tools), signal);
  const reply: FullReply = typeof scripted === "string" ? { text: scripted } : scripted;
  if (reply.delayMs !== undefined && reply.delayMs > 0) await services.sleep(reply.delayMs, signal);
  await tools.think(reply.thinking ?? "");
  for (const action of reply.actions ?? []) await tools.perform(action);
  const { text, structured } = resolveAnswer(turn, reply);
  await tools.say(text);
  if (reply.error !== undefined) throw reply.error;
  const value = structured();
  if (!progress.hasSpent || reply.usage !== undefined) tools.spend(countUsage(reply, text, services.inputTokens));
  return turn.outputSchema === undefined ? {} : { structured: value };
}

/** Turns a synchronous error of the script into a rejection. @throws ScriptedReplyError */
async function callScript(turn: ScriptedTurn, script: AgentScript, tools: ScriptedTurnTools): Promise<ScriptedReply> {
  const reply: unknown = await script(turn, tools);
  assertReply(reply);
  return reply;
}

function createTools(turn: ScriptedTurn, services: TurnServices, progress: AnswerProgress): ScriptedTurnTools {
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
      assertAction(action);
      const toolId = createToolId();
      const runSubagent = (prompt: string, subagentId: string): Promise<string> =>
        answerAsSubagent({ ...turn, prompt, subagentId }, services);
      const performing = performAction(action, { ...services, toolId, runSubagent });
      const settle = (): void => undefined; // only the script needs the result
      progress.actions.add(performing.then(settle, settle));
      return performing;
    },
    say: (text) => speak("text-delta", text),
    think: async (text) => (showsThinking ? speak("thinking-delta", text) : undefined),
    spend: (usage) => {
      signal.throwIfAborted();
      progress.hasSpent = true;
      emit({ type: "usage", sessionId, usage: { ...NO_USAGE, ...usage } });
    },
    takeSteering: () => steering.takeAll(),
    nextSteering: () => steering.next(signal),
  };
}

/** A sub-agent's text and thinking are not published; its actions and usage are part of the turn. */
async function answerAsSubagent(
  { parts: _parts, outputSchema: _schema, ...turn }: ScriptedTurn,
  services: TurnServices,
): Promise<string> {
  let reply = startReply();
  await answerTurn(turn, {
    ...services,
    inputTokens: estimateTokens(turn.prompt),
    emit: (event) => {
      reply = collectReply(reply, event);
      if (event.type === "text-delta" || event.type === "thinking-delta") services.turn.touch();
      else services.emit(event);
    },
  });
  return reply.content;
}

/** The text of the answer, and a function for the structured value, to call after the text was sent. */
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

/** The JSON in a text. */
type JsonText = { readonly isJson: true; readonly value: unknown } | { readonly isJson: false };

/** Finds the JSON in an answer: the whole text, a fenced block, or the text between the outermost brackets. */
function parseJsonText(text: string): JsonText {
  const fenced = /```(?:json)?\s*\n([\s\S]*?)\n\s*```/.exec(text)?.[1];
  const bracketed = /[[{][\s\S]*[\]}]/.exec(text)?.[0];
  for (const candidate of [text, fenced, bracketed]) {
    if (candidate === undefined) continue;
    try {
      return { isJson: true, value: JSON.parse(candidate) };
    } catch {
      // the next candidate may fit
    }
  }
  return { isJson: false };
}

function countUsage(reply: FullReply, text: string, inputTokens: number): Usage {
  const outputTokens = estimateTokens(`${reply.thinking ?? ""}${text}`);
  return { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, ...reply.usage };
}
