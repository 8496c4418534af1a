import { isDeepStrictEqual } from "node:util";
import {
  type AgentQuestionAnswer,
  isRecord,
  messageOf,
  type PermissionDecision,
  PermissionGateMissingError,
  type PermissionRequest,
  recordOf,
  recordsOf,
  type SessionConfig,
  stringOf,
  UngatedToolCallError,
  type UnknownRecord,
} from "../../../contracts/index.ts";
import { PLAN_MODE_DENIAL } from "../../policy/describe-denial.ts";
import { PermissionGate } from "../../policy/permission-gate.ts";
import { AllowedToolCalls, type NamedToolCall } from "../../tools/allowed-tool-calls.ts";
import type { AgentTurn } from "../../turn/agent-turn.ts";
import { askQuestion } from "../../turn/ask-question.ts";
import { dependsOnProcess, excludeFromSearch } from "./claude-paths.ts";
import { toPermissionRequest } from "./claude-permissions.ts";
import { EXIT_PLAN_TOOL, whyNotInPlanMode } from "./claude-plan-mode.ts";
import { displayedToolName, isQuietTool, QUESTION_TOOL, STRUCTURED_OUTPUT_TOOL, toolKindOf } from "./claude-tools.ts";

/** What the decisions of a session depend on. */
export interface ClaudeGuardOptions {
  /** The agent's name in errors. */
  readonly agentType: string;
  readonly config: SessionConfig;
  readonly sessionId: string;
  /** The absolute folder that the policy's relative globs start from. */
  readonly workingDirectory: string;
  /** What Claude Code takes `~` for. */
  readonly homeFolder: string;
  /** The turn under way. */
  readonly turn: () => AgentTurn | undefined;
}

/** The answer to the question whether a tool may be used. */
export type ToolPermission =
  | { readonly behavior: "allow"; readonly updatedInput: Record<string, unknown> }
  | { readonly behavior: "deny"; readonly message: string };

/** What comes with that question. */
interface ToolQuestion {
  readonly signal: AbortSignal;
  readonly toolUseID: string;
  readonly blockedPath?: string;
}

interface HookOptions {
  readonly signal: AbortSignal;
}

/** A tool call as Claude Code's hooks describe it. */
interface HookedCall {
  readonly vendorName: string;
  readonly toolId: string;
  readonly input: unknown;
  /** The folder that Claude Code works in; absent where it does not say. */
  readonly folder?: string;
}

/** A call that the session's policy has allowed. */
interface AllowedCall {
  readonly input: unknown;
  readonly request: PermissionRequest;
  readonly folder?: string;
  /** The decision about what the user's hooks have made of it. */
  changed?: Promise<PermissionDecision>;
}

type HookDecision =
  | { readonly permissionDecision: "allow" | "ask"; readonly updatedInput?: Record<string, unknown> }
  | { readonly permissionDecision: "deny"; readonly permissionDecisionReason: string };

const NO_TURN = "No turn is under way in which this could be asked for.";
const UNSEEN = "Atomic was not asked about this call before.";
const UNCERTAIN = "This path leads each process elsewhere. Name the file, or the folder, by its own path.";
const CHANGED =
  "A hook in the settings of Claude Code has changed this call after it was allowed. Make the call as the hook changes it, so that it can be asked for.";

/**
 * Decides about everything Claude Code wants to do, sub-agents included.
 *
 * 1. The hook before a tool comes first: it shows the call to `beforeTool` and decides by the policy of the session.
 *    What it denies nothing in Claude Code can allow. What it allows becomes a question to Atomic, whatever the user's
 *    settings say (`permissions.allow`, `bypassPermissions`); what those deny stays denied.
 * 2. The question is about the call as it will run. Where the user's own hooks have changed it, the policy decides again,
 *    and nobody is asked: other hooks of the user's could answer faster than a person.
 * 3. Such hooks answer the question beside Atomic, and the first answer counts. So Atomic has a hook there, too, which
 *    takes no longer than a message.
 * 4. Whatever fails on the way is a denial.
 * 5. A call that the hook before a tool never saw is denied, and one that has run aborts the turn.
 * 6. No turn goes on in a process whose hooks have not reported in: some modes of Claude Code run none.
 * 7. In plan mode no worktree is made, whatever asks for one, and the agent is not told that its plan was approved.
 */
export class ClaudeGuard {
  readonly #options: ClaudeGuardOptions;
  readonly #gate: PermissionGate;
  /** By turn, and by the identifier of the call. */
  readonly #allowed = new WeakMap<AgentTurn, Map<string, AllowedCall>>();
  /** Invariant 5: the tools of all calls that the hook before a tool was asked about, by their identifiers. */
  readonly #seen = new Map<string, string>();
  readonly #toolCalls = new AllowedToolCalls();
  #isInPlace = false;

  constructor(options: ClaudeGuardOptions) {
    this.#options = options;
    this.#gate = new PermissionGate(options);
  }

  /** Invariant 1: the hook `PreToolUse`. */
  readonly beforeTool = async (hookInput: unknown, toolUseId: string | undefined, { signal }: HookOptions) => {
    const call = toCall(hookInput, toolUseId);
    this.#seen.set(call.toolId, call.vendorName);
    const decision = await this.#decideFirst(call, signal).catch(
      (error: unknown): HookDecision => deny(`Not allowed: ${messageOf(error)}`),
    );
    return { hookSpecificOutput: { hookEventName: "PreToolUse" as const, ...decision } };
  };

  /** Invariant 3: the hook `PermissionRequest`. */
  readonly beforeQuestion = async (hookInput: unknown, toolUseId: string | undefined) => {
    const decision = await this.#decideAgain(toCall(hookInput, toolUseId)).catch(
      (error: unknown): PermissionDecision => ({ type: "deny", reason: `Not allowed: ${messageOf(error)}` }),
    );
    if (decision === undefined) return {};
    return {
      hookSpecificOutput: {
        hookEventName: "PermissionRequest" as const,
        decision:
          decision.type === "allow"
            ? { behavior: "allow" as const }
            : { behavior: "deny" as const, message: decision.reason },
      },
    };
  };

  /** Invariant 2. */
  readonly canUseTool = async (
    vendorName: string,
    input: Record<string, unknown>,
    { signal, toolUseID: toolId, blockedPath }: ToolQuestion,
  ): Promise<ToolPermission> => {
    const turn = this.#options.turn();
    if (turn === undefined) return { behavior: "deny", message: NO_TURN };
    if (!this.#seen.has(toolId)) {
      this.#giveUp(turn, vendorName);
      return { behavior: "deny", message: UNSEEN };
    }
    try {
      if (vendorName === QUESTION_TOOL) return await this.#putQuestions(input, { turn, toolId });
      if (isQuietTool(vendorName)) return { behavior: "allow", updatedInput: input };
      const decision =
        (await this.#decideAgain({ vendorName, toolId, input })) ??
        (await this.#gate.decide(this.#requestOf({ vendorName, toolId, input }, blockedPath), {
          turn,
          callId: toolId,
          until: signal,
        }));
      signal.throwIfAborted();
      if (decision.type === "allow") return { behavior: "allow", updatedInput: input };
      return { behavior: "deny", message: decision.reason };
    } catch (error) {
      return { behavior: "deny", message: `Not allowed: ${messageOf(error)}` };
    }
  };

  /** Invariant 6: the hook `UserPromptSubmit`, which comes before the model is called. */
  readonly beforePrompt = async () => {
    this.#isInPlace = true;
    return {};
  };

  /** Invariant 7: the hook `WorktreeCreate` of a session in plan mode. An agent's own settings can ask for a worktree. */
  readonly beforeWorktree = async (): Promise<never> => {
    throw new Error(PLAN_MODE_DENIAL);
  };

  /** Whether this call of a tool was allowed in this turn, and has not been made yet. */
  takeToolCall(call: NamedToolCall): boolean {
    return this.#toolCalls.take(this.#options.turn(), call);
  }

  /** A process has been started whose hooks have not reported in yet. */
  startProcess(): void {
    this.#isInPlace = false;
  }

  /** Whether the hooks of the process have reported in. */
  get isInPlace(): boolean {
    return this.#isInPlace;
  }

  /** The tool of a call that the hook before a tool was asked about. */
  toolOf(toolId: string): string | undefined {
    return this.#seen.get(toolId);
  }

  /** Aborts the turn under way: nobody decides about what the agent does in it. */
  giveUpTurn(): void {
    const missing = new PermissionGateMissingError(this.#options.agentType, "Claude Code does not run its hooks");
    void this.#options.turn()?.giveUp(missing);
  }

  /** Invariant 6: takes a message of Claude Code's. `isCommand`: the turn began with a command of Claude Code's own. */
  noteMessage(raw: unknown, { isCommand }: { readonly isCommand: boolean }): void {
    const { type, event, parent_tool_use_id: parent } = recordOf(raw);
    const turn = this.#options.turn();
    if (this.#isInPlace || turn === undefined || type !== "stream_event" || typeof parent === "string") return;
    // What a command does by itself, such as compacting, is no work of the model's.
    const { type: eventType, content_block: block } = recordOf(event);
    if (isCommand ? recordOf(block).type !== "tool_use" : eventType !== "message_start") return;
    this.giveUpTurn();
  }

  /** Invariant 5: takes the event of a tool that has ended. */
  noteToolEnd({ toolId, toolName, isError }: { toolId: string; toolName: string; isError: boolean }): void {
    const turn = this.#options.turn();
    // An error may say that there is no such tool.
    if (turn !== undefined && !isError && !this.#seen.has(toolId)) this.#giveUp(turn, toolName);
  }

  #giveUp(turn: AgentTurn, vendorName: string): void {
    void turn.giveUp(new UngatedToolCallError(this.#options.agentType, displayedToolName(vendorName)));
  }

  async #decideFirst(call: HookedCall, signal: AbortSignal): Promise<HookDecision> {
    const { vendorName, toolId } = call;
    const decision = await this.#intercept(call, signal).catch(
      (error: unknown): HookDecision => deny(`The hook before this tool failed: ${messageOf(error)}`),
    );
    if (decision.permissionDecision === "deny" || vendorName === QUESTION_TOOL) return decision;
    const refusal = this.#refuseInPlanMode({ ...call, input: decision.updatedInput ?? call.input });
    if (refusal !== undefined) return deny(refusal);
    if (decision.permissionDecision === "allow") return decision;
    const turn = this.#options.turn();
    if (turn === undefined) return deny(NO_TURN);
    const wanted = decision.updatedInput ?? call.input;
    const asked = this.#requestOf({ ...call, input: wanted });
    if (asked.paths.some(dependsOnProcess)) {
      const { sessionId, kind, toolName, title } = asked;
      turn.publish({ type: "permission-denied", sessionId, denied: { toolName, kind, title, reason: UNCERTAIN } });
      return deny(UNCERTAIN);
    }
    const answer = await this.#gate.decide(asked, { turn, callId: toolId, until: signal });
    if (answer.type === "deny") return deny(answer.reason);
    const changed =
      answer.exclude === undefined ? decision.updatedInput : excludeFromSearch(recordOf(wanted), answer.exclude);
    const input = changed ?? call.input;
    const request = this.#requestOf({ ...call, input });
    const allowed = this.#allowed.get(turn) ?? new Map<string, AllowedCall>();
    const { folder } = call;
    this.#toolCalls.allow(turn, { name: vendorName, input });
    this.#allowed.set(turn, allowed.set(toolId, { input, request, ...(folder === undefined ? {} : { folder }) }));
    return changed === undefined ? { permissionDecision: "ask" } : { permissionDecision: "ask", updatedInput: changed };
  }

  /** Invariant 2: undefined about a call that the hook before tools has not allowed. */
  async #decideAgain(call: HookedCall): Promise<PermissionDecision | undefined> {
    const turn = this.#options.turn();
    if (turn === undefined) return undefined;
    const refusal = this.#refuseInPlanMode(call);
    if (refusal !== undefined) return { type: "deny", reason: refusal };
    const calls = this.#allowed.get(turn);
    if (call.toolId === "" && call.vendorName !== QUESTION_TOOL) return this.#decideUnnamed(call, turn);
    const allowed = calls?.get(call.toolId);
    if (allowed === undefined) return undefined;
    const { folder } = allowed;
    const request = this.#requestOf({ ...call, ...(folder === undefined ? {} : { folder }) });
    if (isSameCall(allowed, { ...call, request })) return { type: "allow" };
    if (request.paths.some(dependsOnProcess)) return { type: "deny", reason: UNCERTAIN };
    // Nothing can be kept out of this search any more.
    const { search, ...rest } = request;
    const final = search === undefined ? request : { ...rest, search: { ...search, canExclude: false } };
    allowed.changed ??= this.#gate.decide(final, { turn, unaskedBecause: CHANGED });
    return allowed.changed;
  }

  /** Invariant 7: why a call is denied that the policy knows nothing of. */
  #refuseInPlanMode(call: HookedCall): string | undefined {
    const { config, turn } = this.#options;
    if (config.permissionMode !== "plan") return undefined;
    const reason = whyNotInPlanMode(call.vendorName, call.input);
    // That the agent has a plan is nothing to list.
    if (reason !== undefined && call.vendorName !== EXIT_PLAN_TOOL) {
      const { sessionId, kind, toolName, title } = this.#requestOf(call);
      turn()?.publish({ type: "permission-denied", sessionId, denied: { toolName, kind, title, reason } });
    }
    return reason;
  }

  /** A hook that is called by HTTP is not told which call it is about: it must be like one that was allowed. */
  async #decideUnnamed(call: HookedCall, turn: AgentTurn): Promise<PermissionDecision> {
    if (isQuietTool(call.vendorName)) return { type: "allow" };
    for (const [toolId, allowed] of this.#allowed.get(turn) ?? []) {
      const { folder } = allowed;
      const request = this.#requestOf({ ...call, toolId, ...(folder === undefined ? {} : { folder }) });
      const isSameTool = this.#seen.get(toolId) === call.vendorName;
      if (isSameTool && isSameCall(allowed, { ...call, request })) return { type: "allow" };
    }
    return this.#gate.decide(this.#requestOf(call), { turn, unaskedBecause: CHANGED });
  }

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

  #requestOf({ vendorName, toolId, input, folder }: HookedCall, blockedPath?: string): PermissionRequest {
    const { sessionId, workingDirectory, homeFolder } = this.#options;
    const place = { id: toolId, sessionId, workingDirectory, homeFolder, ...(folder === undefined ? {} : { folder }) };
    return toPermissionRequest(vendorName, input, {
      ...place,
      ...(blockedPath === undefined ? {} : { blockedPath }),
    });
  }

  async #putQuestions(
    input: UnknownRecord,
    { turn, toolId }: { readonly turn: AgentTurn; readonly toolId: string },
  ): Promise<ToolPermission> {
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

function toCall(hookInput: unknown, toolUseId: string | undefined): HookedCall {
  const { tool_name: vendorName, tool_input: input, cwd } = recordOf(hookInput);
  const folder = stringOf(cwd);
  return { vendorName: stringOf(vendorName), toolId: toolUseId ?? "", input, ...(folder === "" ? {} : { folder }) };
}

/** Claude Code spells the same input in several ways, a path for example; what was allowed is the command or the files. */
function isSameCall(
  allowed: AllowedCall,
  { input, request }: { readonly input: unknown; readonly request: PermissionRequest },
): boolean {
  if (isDeepStrictEqual(allowed.input, input)) return true;
  const hasSubject = request.command !== undefined || request.paths.length > 0;
  const { details: _allowed, ...known } = allowed.request;
  const { details: _now, ...asked } = request;
  return hasSubject && isDeepStrictEqual(known, asked);
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
