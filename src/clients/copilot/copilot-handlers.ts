import { isDeepStrictEqual } from "node:util";
import type {
  SessionConfigBase as CopilotSessionConfig,
  Tool as CopilotTool,
  PermissionRequestResult,
  ToolResultObject,
} from "@github/copilot-sdk";
import { messageOf, type PermissionRequest, type SessionConfig, type ToolDefinition } from "../../contracts/index.ts";
import type { PermissionGate } from "../policy/permission-gate.ts";
import { runTool, type ToolOutcome } from "../tools/run-tool.ts";
import type { AgentTurn } from "../turn/agent-turn.ts";
import { askQuestion } from "../turn/ask-question.ts";
import { AGENT_TYPE } from "./copilot-errors.ts";
import type { KnownTool, TranslationState } from "./copilot-events.ts";
import { toPermissionRequest } from "./copilot-permissions.ts";
import { toolKindOf } from "./copilot-tools.ts";

type PreToolUseHandler = NonNullable<NonNullable<CopilotSessionConfig["hooks"]>["onPreToolUse"]>;
type UserInputHandler = NonNullable<CopilotSessionConfig["onUserInputRequest"]>;

/** What the handlers of a session need of it. */
export interface HandlerContext {
  readonly sessionId: string;
  readonly config: SessionConfig;
  readonly workingDirectory: string;
  readonly gate: PermissionGate;
  readonly tools: readonly ToolDefinition[];
  /** The turn under way; nothing is allowed or asked without one. */
  readonly turn: () => AgentTurn | undefined;
  /** Whether hooks of the user's run in Copilot, which can allow calls there. */
  readonly hasUserHooks: boolean;
  /** The calls the translator has heard of in this turn. */
  readonly knownTools: () => TranslationState["tools"];
}

/** What the runtime calls back for. None of them rejects, because the SDK would print that. */
export type CopilotHandlers = Pick<
  CopilotSessionConfig,
  "onPermissionRequest" | "onUserInputRequest" | "hooks" | "tools"
>;

/** Makes the handlers of a session. */
export function createHandlers(context: HandlerContext): CopilotHandlers {
  // Each hook costs the runtime about 50 ms, so there is none without need.
  const needsHook = context.config.beforeTool !== undefined || context.hasUserHooks;
  return {
    onPermissionRequest: (request) => answerPermission(request, context),
    onUserInputRequest: (request) => answerQuestion(request, context),
    ...(needsHook ? { hooks: { onPreToolUse: createToolHook(context) } } : {}),
    ...(context.tools.length === 0 ? {} : { tools: context.tools.map((tool) => toCopilotTool(tool, context)) }),
  };
}

const NO_TURN: PermissionRequestResult = {
  kind: "reject",
  feedback: "No turn is under way that this call belongs to.",
};

async function answerPermission(raw: unknown, context: HandlerContext): Promise<PermissionRequestResult> {
  const { sessionId, workingDirectory, gate, knownTools } = context;
  const turn = context.turn();
  if (turn === undefined) return NO_TURN;
  const toolOf = (callId: string): KnownTool | undefined => knownTools()[callId];
  const request = toPermissionRequest(raw, { sessionId, workingDirectory, toolOf });
  try {
    const decision = await gate.decide(request, { turn, ...(request.id === "" ? {} : { callId: request.id }) });
    return decision.type === "allow" ? { kind: "approve-once" } : { kind: "reject", feedback: decision.reason };
  } catch {
    // The turn is being stopped, and the runtime gives the call up by itself.
    return { kind: "no-result" };
  }
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

/**
 * The runtime asks for leave after the hook, so `continue` says nothing about that; but for tools of MCP servers a hook of
 * the user's could give it.
 */
function createToolHook(context: HandlerContext): PreToolUseHandler {
  const seen = new Set<string>();
  return async ({ toolName, toolArgs }) => {
    const { beforeTool } = context.config;
    const turn = context.turn();
    if (turn === undefined) return deny("No turn is under way that this call belongs to.");
    const toolId = findCall(context.knownTools(), { toolName, toolArgs, seen });
    const isCustom = context.tools.some(({ name }) => name === toolName);
    const kind = context.knownTools()[toolId]?.kind ?? (isCustom ? "mcp" : toolKindOf(toolName));
    seen.add(toolId);
    try {
      const call = { sessionId: context.sessionId, toolId, toolName, kind, input: toolArgs };
      // The hook may ask a person, so its silence is no stall, and an abort does not wait for it.
      const verdict = beforeTool && (await turn.waitForPerson(async (signal) => beforeTool(call, { signal })));
      if (verdict?.type === "block") return deny(verdict.reason);
      return {
        ...(verdict?.input === undefined ? {} : { modifiedArgs: verdict.input }),
        // For a tool of Atomic's the leave is asked for when it is called.
        ...(kind === "mcp" && !isCustom && context.hasUserHooks ? { permissionDecision: "ask" } : {}),
      };
    } catch (error) {
      return deny(`Looking at the call failed: ${messageOf(error)}`);
    }
  };
}

function deny(reason: string): { permissionDecision: "deny"; permissionDecisionReason: string } {
  return { permissionDecision: "deny", permissionDecisionReason: reason };
}

/** The hook does not name its call: it is the first of the running ones with this tool and these arguments. */
function findCall(
  tools: TranslationState["tools"],
  call: { readonly toolName: string; readonly toolArgs: unknown; readonly seen: ReadonlySet<string> },
): string {
  const isIt = ([id, tool]: readonly [string, KnownTool]): boolean =>
    tool.status === "running" &&
    tool.name === call.toolName &&
    !call.seen.has(id) &&
    isDeepStrictEqual(tool.input, call.toolArgs);
  return Object.entries(tools).find(isIt)?.[0] ?? "";
}

/** The leave is asked for here, so that nothing the user has set up with Copilot can give it in Atomic's place. */
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
  const { sessionId, workingDirectory, gate } = context;
  const request: PermissionRequest = {
    id: toolCallId,
    sessionId,
    kind: "mcp",
    toolName: tool.name,
    title: `${tool.name}: ${JSON.stringify(input)}`,
    paths: [],
  };
  const decision = await gate.decide(request, { turn, callId: toolCallId });
  if (decision.type === "deny") return { isError: true, text: decision.reason };
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
