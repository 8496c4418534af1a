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
import { publishDenial } from "../../turn/publish-denial.ts";
import { dependsOnProcess, excludeFromSearch } from "./claude-paths.ts";
import { toPermissionRequest } from "./claude-permissions.ts";
import { EXIT_PLAN_TOOL, whyNotInPlanMode } from "./claude-plan-mode.ts";
import { displayedToolName, isQuietTool, QUESTION_TOOL, STRUCTURED_OUTPUT_TOOL, toolKindOf } from "./claude-tools.ts";

/** Settings of {@link ClaudeGuard}. */
export interface ClaudeGuardOptions {
  /** The agent's name in errors. */
  readonly agentType: string;
  readonly config: SessionConfig;
  readonly sessionId: string;
  /** The absolute folder that the policy's relative globs start from. */
  readonly workingDirectory: string;
  /** What `~` means to Claude Code. */
  readonly homeFolder: string;
  /** The turn in progress. */
  readonly turn: () => AgentTurn | undefined;
}

/** The answer to a permission request. */
export type ToolPermission =
  | { readonly behavior: "allow"; readonly updatedInput: Record<string, unknown> }
  | { readonly behavior: "deny"; readonly message: string };

/** What comes with a permission request. */
interface ToolQuestion {
  readonly signal: AbortSignal;
  readonly toolUseID: string;
  readonly blockedPath?: string;
}

type HookOptions = Pick<ToolQuestion, "signal">;

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
  /** The decision about the call as the user's hooks changed it. */
  changed?: Promise<PermissionDecision>;
}

type HookDecision =
  | { readonly permissionDecision: "allow" | "ask"; readonly updatedInput?: Record<string, unknown> }
  | { readonly permissionDecision: "deny"; readonly permissionDecisionReason: string };

const NO_TURN = "No turn is in progress in which this could be approved.";
const UNSEEN = "Atomic was not asked about this call before.";
const UNCERTAIN = "This path leads each process elsewhere. Name the file, or the folder, by its own path.";
const CHANGED =
  "A hook in the settings of Claude Code has changed this call after it was allowed. Make the call as the hook changes it, so that it can be approved.";

/**
 * Decides about every action of Claude Code, sub-agents included.
 *
 * 1. The hook before a tool comes first: it shows the call to `beforeTool` and decides by the session's policy. Nothing
 *    in Claude Code can allow what it denies. What it allows becomes a permission request to Atomic, whatever the user's
 *    settings say (`permissions.allow`, `bypassPermissions`); what those deny stays denied.
 * 2. The permission request shows the call as it will run. If the user's own hooks changed it, the policy decides again,
 *    without a person: other hooks of the user could answer faster.
 * 3. The user's hooks answer permission requests as well, and the first answer counts. Atomic therefore has a hook there,
 *    too, which answers as fast as one message.
 * 4. Any failure on the way counts as a denial.
 * 5. A call that the hook before a tool never saw is denied; if it ran, the turn is aborted.
 * 6. A turn does not continue in a process whose hooks have not reported in: some modes of Claude Code run no hooks.
 * 7. In plan mode no worktree is created, whatever requests one, and the agent never learns that its plan was approved.
 */
export class ClaudeGuard {
  readonly #options: ClaudeGuardOptions;
  readonly #gate: PermissionGate;
  /** By turn and call id. */
  readonly #allowed = new WeakMap<AgentTurn, Map<string, AllowedCall>>();
  /** Invariant 5: the tool of each call that the hook before a tool has seen, by the call's id. */
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

  /** Whether this call was allowed in this turn and has not run yet. */
  takeToolCall(call: NamedToolCall): boolean {
    return this.#toolCalls.take(this.#options.turn(), call);
  }

  /** A new process was started; its hooks have not reported in yet. */
  startProcess(): void {
    this.#isInPlace = false;
  }

  /** Whether the hooks of the process have reported in. */
  get isInPlace(): boolean {
    return this.#isInPlace;
  }

  /** The tool of a call that the hook before a tool has seen. */
  toolOf(toolId: string): string | undefined {
    return this.#seen.get(toolId);
  }

  /** Aborts the turn in progress, because nobody decides about its calls. */
  giveUpTurn(): void {
    const missing = new PermissionGateMissingError(this.#options.agentType, "Claude Code does not run its hooks");
    void this.#options.turn()?.giveUp(missing);
  }

  /** Invariant 6: handles a message of Claude Code. `isCommand`: the turn began with one of Claude Code's own commands. */
  noteMessage(raw: unknown, { isCommand }: { readonly isCommand: boolean }): void {
    const { type, event, parent_tool_use_id: parent } = recordOf(raw);
    const turn = this.#options.turn();
    if (this.#isInPlace || turn === undefined || type !== "stream_event" || typeof parent === "string") return;
    // A command that works by itself, such as compacting, does not call the model.
    const { type: eventType, content_block: block } = recordOf(event);
    if (isCommand ? recordOf(block).type !== "tool_use" : eventType !== "message_start") return;
    this.giveUpTurn();
  }

  /** Invariant 5: handles the end of a tool call. */
  noteToolEnd({ toolId, toolName, isError }: { toolId: string; toolName: string; isError: boolean }): void {
    const turn = this.#options.turn();
    // The error may be that there is no such tool.
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
    if (decision.permissionDecision === "deny") return decision;
    const unlisted = this.#denyUnlisted({ ...call, input: decision.updatedInput ?? call.input });
    if (unlisted !== undefined) return deny(unlisted);
    if (vendorName === QUESTION_TOOL) return decision;
    const refusal = this.#refuseInPlanMode({ ...call, input: decision.updatedInput ?? call.input });
    if (refusal !== undefined) return deny(refusal);
    if (decision.permissionDecision === "allow") return decision;
    const turn = this.#options.turn();
    if (turn === undefined) return deny(NO_TURN);
    const wanted = decision.updatedInput ?? call.input;
    const asked = this.#requestOf({ ...call, input: wanted });
    if (asked.paths.some(dependsOnProcess)) {
      publishDenial(turn, asked, { reason: UNCERTAIN });
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

  /** Invariant 2: undefined if the hook before a tool did not allow the call. */
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
    // It is too late to exclude files from this search.
    const { search, ...rest } = request;
    const final = search === undefined ? request : { ...rest, search: { ...search, canExclude: false } };
    allowed.changed ??= this.#gate.decide(final, { turn, unaskedBecause: CHANGED });
    return allowed.changed;
  }

  /** Why a call that the gate does not see otherwise is denied: its tool is not on the list of the session. */
  #denyUnlisted(call: HookedCall): string | undefined {
    const { vendorName } = call;
    const turn = this.#options.turn();
    if (turn === undefined || !(isQuietTool(vendorName) || vendorName === QUESTION_TOOL)) return undefined;
    return this.#gate.denyUnlisted(this.#requestOf(call), { turn });
  }

  /** Invariant 7: why plan mode denies a call that the policy does not cover. */
  #refuseInPlanMode(call: HookedCall): string | undefined {
    if (this.#options.config.permissionMode !== "plan") return undefined;
    const reason = whyNotInPlanMode(call.vendorName, call.input);
    const turn = this.#options.turn();
    // The agent's plan itself is not listed as a denial.
    if (reason !== undefined && turn !== undefined && call.vendorName !== EXIT_PLAN_TOOL) {
      publishDenial(turn, this.#requestOf(call), { reason });
    }
    return reason;
  }

  /** A hook called over HTTP gets no call id, so the call must match one that was allowed. */
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

  async #intercept(hooked: HookedCall, signal: AbortSignal): Promise<HookDecision> {
    const { vendorName, toolId, input } = hooked;
    const permissionDecision = isQuietTool(vendorName) ? "allow" : "ask";
    const { config, sessionId, turn } = this.#options;
    const { beforeTool } = config;
    // The tool that carries a structured answer is not one of the agent's.
    if (beforeTool === undefined || vendorName === STRUCTURED_OUTPUT_TOOL) return { permissionDecision };
    const running = turn();
    if (running === undefined) return deny(NO_TURN);
    const call = { sessionId, toolId, toolName: displayedToolName(vendorName), kind: toolKindOf(vendorName), input };
    // The hook may wait for a person, so its silence is not a stall.
    const verdict = await running.waitForPerson((stopped) => beforeTool(call, { signal: stopped }), { until: signal });
    if (verdict.type === "block") {
      publishDenial(running, this.#requestOf(hooked), verdict);
      return deny(verdict.reason);
    }
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

/** Claude Code spells the same input, a path for example, in several ways. So the command or the files are compared. */
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
