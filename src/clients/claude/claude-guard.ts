import type { CanUseTool, HookCallback, PermissionResult } from "@anthropic-ai/claude-agent-sdk";
import {
  type AgentQuestionAnswer,
  isRecord,
  messageOf,
  recordOf,
  recordsOf,
  type SessionConfig,
  stringOf,
  type UnknownRecord,
} from "../../contracts/index.ts";
import { PermissionGate } from "../policy/permission-gate.ts";
import type { AgentTurn } from "../turn/agent-turn.ts";
import { askQuestion } from "../turn/ask-question.ts";
import { toPermissionRequest } from "./claude-permissions.ts";
import { displayedToolName, isQuietTool, QUESTION_TOOL, STRUCTURED_OUTPUT_TOOL, toolKindOf } from "./claude-tools.ts";

/** What the decisions of a session depend on. */
export interface ClaudeGuardOptions {
  readonly config: SessionConfig;
  readonly sessionId: string;
  /** The absolute folder that the policy's relative globs start from. */
  readonly workingDirectory: string;
  /** The turn under way. */
  readonly turn: () => AgentTurn | undefined;
}

/** A tool call as Claude Code's hook describes it. */
interface HookedCall {
  readonly vendorName: string;
  readonly toolId: string;
  readonly input: unknown;
}

type HookDecision =
  | { readonly permissionDecision: "allow" | "ask"; readonly updatedInput?: Record<string, unknown> }
  | { readonly permissionDecision: "deny"; readonly permissionDecisionReason: string };

const NO_TURN = "No turn is under way in which this could be asked for.";

/**
 * Decides about everything Claude Code wants to do, sub-agents included.
 *
 * 1. The hook comes first: it shows the call to `beforeTool`, and turns whatever the user's settings of Claude Code say
 *    (`permissions.allow`, `bypassPermissions`) into a question to Atomic. What those settings deny stays denied.
 * 2. The question is answered by the policy of the session. It sees the call as it will run, with what the user's own
 *    hooks have changed.
 * 3. Whatever fails on the way is a denial.
 */
export class ClaudeGuard {
  readonly #options: ClaudeGuardOptions;
  readonly #gate: PermissionGate;

  constructor(options: ClaudeGuardOptions) {
    this.#options = options;
    this.#gate = new PermissionGate(options);
  }

  /** Invariant 1: the hook `PreToolUse`. */
  readonly beforeTool: HookCallback = async (hookInput, toolUseId, { signal }) => {
    const { tool_name: vendorName, tool_input: input } = recordOf(hookInput);
    const call = { vendorName: stringOf(vendorName), toolId: toolUseId ?? "", input };
    const decision = await this.#intercept(call, signal).catch(
      (error: unknown): HookDecision => deny(`The hook before this tool failed: ${messageOf(error)}`),
    );
    return { hookSpecificOutput: { hookEventName: "PreToolUse", ...decision } };
  };

  /** Invariant 2. */
  readonly canUseTool: CanUseTool = async (vendorName, input, { signal, toolUseID, blockedPath }) => {
    const turn = this.#options.turn();
    if (turn === undefined) return { behavior: "deny", message: NO_TURN };
    try {
      if (vendorName === QUESTION_TOOL) return await this.#putQuestions(input, { turn, toolId: toolUseID });
      if (isQuietTool(vendorName)) return { behavior: "allow", updatedInput: input };
      const { sessionId, workingDirectory } = this.#options;
      const place = { id: toolUseID, sessionId, workingDirectory };
      const request = toPermissionRequest(vendorName, input, {
        ...place,
        ...(blockedPath === undefined ? {} : { blockedPath }),
      });
      const decision = await this.#gate.decide(request, { turn, callId: toolUseID, until: signal });
      signal.throwIfAborted();
      if (decision.type === "allow") return { behavior: "allow", updatedInput: input };
      return { behavior: "deny", message: decision.reason };
    } catch (error) {
      return { behavior: "deny", message: `Not allowed: ${messageOf(error)}` };
    }
  };

  async #intercept({ vendorName, toolId, input }: HookedCall, signal: AbortSignal): Promise<HookDecision> {
    const permissionDecision = isQuietTool(vendorName) ? "allow" : "ask";
    const { config, sessionId, turn } = this.#options;
    // The tool that carries a structured answer is none of the agent's.
    if (config.beforeTool === undefined || vendorName === STRUCTURED_OUTPUT_TOOL) return { permissionDecision };
    const running = turn();
    if (running === undefined) return deny(NO_TURN);
    const { beforeTool } = config;
    const call = { sessionId, toolId, toolName: displayedToolName(vendorName), kind: toolKindOf(vendorName), input };
    // The hook may ask a person, so its silence is no stall.
    const verdict = await running.waitForPerson((stopped) => beforeTool(call, { signal: stopped }), { until: signal });
    if (verdict.type === "block") return deny(verdict.reason);
    if (verdict.input === undefined) return { permissionDecision };
    if (!isRecord(verdict.input)) return deny("The hook before this tool gave an input that is no object.");
    return { permissionDecision, updatedInput: { ...verdict.input } };
  }

  async #putQuestions(
    input: UnknownRecord,
    { turn, toolId }: { readonly turn: AgentTurn; readonly toolId: string },
  ): Promise<PermissionResult> {
    const { config, sessionId } = this.#options;
    const answers: Record<string, string> = {};
    for (const [index, raw] of recordsOf(input.questions).entries()) {
      const question = toQuestion(raw, { id: `${toolId}#${index}`, sessionId });
      const answer = await askQuestion(question, { turn, handler: config.onQuestion });
      if (answer.type === "decline") return { behavior: "deny", message: answer.reason };
      answers[question.question] = textOf(answer);
    }
    return { behavior: "allow", updatedInput: { ...input, answers } };
  }
}

function deny(permissionDecisionReason: string): HookDecision {
  return { permissionDecision: "deny", permissionDecisionReason };
}

function toQuestion(raw: UnknownRecord, { id, sessionId }: { readonly id: string; readonly sessionId: string }) {
  const header = stringOf(raw.header);
  return {
    id,
    sessionId,
    question: stringOf(raw.question),
    ...(header === "" ? {} : { header }),
    options: recordsOf(raw.options).map((option) => {
      const description = stringOf(option.description);
      return { label: stringOf(option.label), ...(description === "" ? {} : { description }) };
    }),
    isMultiple: raw.multiSelect === true,
  };
}

function textOf(answer: Extract<AgentQuestionAnswer, { readonly type: "answer" }>): string {
  return answer.values.join(", ");
}
