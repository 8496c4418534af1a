import type {
  SessionConfigBase as CopilotSessionConfig,
  Tool as CopilotTool,
  ToolResultObject,
} from "@github/copilot-sdk";
import { messageOf, type SessionConfig, type ToolDefinition } from "../../../contracts/index.ts";
import { runTool, type ToolOutcome } from "../../tools/run-tool.ts";
import type { AgentTurn } from "../../turn/agent-turn.ts";
import { askQuestion } from "../../turn/ask-question.ts";
import type { CopilotCallGate, HookedCall } from "./copilot-call-gate.ts";
import { AGENT_TYPE } from "./runtime/copilot-errors.ts";

type UserInputHandler = NonNullable<CopilotSessionConfig["onUserInputRequest"]>;

/** What the handlers of a session need. */
export interface HandlerContext {
  readonly sessionId: string;
  readonly config: SessionConfig;
  readonly workingDirectory: string;
  readonly calls: CopilotCallGate;
  readonly tools: readonly ToolDefinition[];
  /** The turn in progress; without one, every request is denied. */
  readonly turn: () => AgentTurn | undefined;
}

/** The runtime's callbacks. None of them rejects, because the SDK would print the error. */
export type CopilotHandlers = Pick<
  CopilotSessionConfig,
  "onPermissionRequest" | "onUserInputRequest" | "hooks" | "tools"
>;

/** Makes the handlers of a session. */
export function createHandlers(context: HandlerContext): CopilotHandlers {
  const { calls, tools, config } = context;
  const afterCall = (call: HookInput, session: HookSession) => calls.afterCall(toHookedCall(call, session));
  return {
    onPermissionRequest: (request) => calls.answerPermission(request),
    onUserInputRequest: (request) => answerQuestion(request, context),
    hooks: {
      onPreToolUse: (call, session) => calls.beforeCall(toHookedCall(call, session)),
      onUserPromptSubmitted: () => calls.noteHooks(),
      ...(config.maxTurns === undefined ? {} : { onPostToolUse: afterCall, onPostToolUseFailure: afterCall }),
    },
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => toCopilotTool(tool, context)) }),
  };
}

type HookInput = HookSession & Pick<HookedCall, "toolName" | "toolArgs">;

interface HookSession {
  readonly sessionId: string;
}

/** A sub-agent has a session id of its own. */
function toHookedCall({ sessionId, toolName, toolArgs }: HookInput, session: HookSession): HookedCall {
  return { toolName, toolArgs, isOwn: sessionId === session.sessionId };
}

async function answerQuestion(
  { question, choices = [] }: Parameters<UserInputHandler>[0],
  context: HandlerContext,
): Promise<{ answer: string; wasFreeform: boolean }> {
  const { sessionId, config } = context;
  const turn = context.turn();
  if (turn === undefined) return { answer: "Nobody is there to answer.", wasFreeform: true };
  const asked = {
    id: crypto.randomUUID(),
    sessionId,
    question,
    options: choices.map((label) => ({ label })),
    isMultiple: false,
  };
  try {
    const answer = await askQuestion(asked, { turn, handler: config.onQuestion });
    const text = answer.type === "answer" ? answer.values.join(", ") : answer.reason;
    return { answer: text, wasFreeform: answer.type === "decline" || !choices.includes(text) };
  } catch (error) {
    return { answer: messageOf(error), wasFreeform: true };
  }
}

/** The tool runs only with the input that the hook allowed, so none of the user's Copilot settings can change it later. */
function toCopilotTool(tool: ToolDefinition, context: HandlerContext): CopilotTool {
  return {
    name: tool.name,
    description: tool.description,
    parameters: { ...tool.inputSchema },
    defer: "never",
    skipPermission: true,
    handler: async (input, { toolCallId }) => {
      const turn = context.turn();
      if (turn === undefined) return toToolResult({ isError: true, text: "The turn is over." });
      try {
        return toToolResult(await callTool(tool, { input, toolCallId, turn, context }));
      } catch (error) {
        return toToolResult({ isError: true, text: messageOf(error) });
      }
    },
  };
}

async function callTool(
  tool: ToolDefinition,
  call: {
    readonly input: unknown;
    readonly toolCallId: string;
    readonly turn: AgentTurn;
    readonly context: HandlerContext;
  },
): Promise<ToolOutcome> {
  const { input, toolCallId, turn, context } = call;
  const { sessionId, workingDirectory, calls } = context;
  if (!calls.allowsCall(toolCallId, input)) return { isError: true, text: "Atomic has not allowed this call." };
  return runTool(tool, input, {
    sessionID: sessionId,
    messageID: toolCallId,
    agent: AGENT_TYPE,
    directory: workingDirectory,
    abort: turn.signal,
  });
}

function toToolResult({ isError, text }: ToolOutcome): ToolResultObject {
  return isError
    ? { resultType: "failure", textResultForLlm: text, error: text }
    : { resultType: "success", textResultForLlm: text };
}
