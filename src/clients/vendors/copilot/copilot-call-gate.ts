import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { SessionConfigBase as CopilotSessionConfig, PermissionRequestResult } from "@github/copilot-sdk";
import {
  messageOf,
  type PermissionDecision,
  PermissionGateMissingError,
  type PermissionRequest,
  recordOf,
  type SessionConfig,
  UngatedToolCallError,
} from "../../../contracts/index.ts";
import { evaluatePermission, isSecretName } from "../../policy/evaluate-permission.ts";
import { readingOfMoved } from "../../policy/moved-files.ts";
import type { PermissionGate } from "../../policy/permission-gate.ts";
import { withRealNames } from "../../policy/real-names.ts";
import type { AgentTurn } from "../../turn/agent-turn.ts";
import { type CopilotCall, excludeFiles, isQuietTool, toCallRequest } from "./copilot-call.ts";
import { AGENT_TYPE } from "./copilot-errors.ts";
import type { KnownTool, TranslationState } from "./copilot-events.ts";
import { toPermissionRequest } from "./copilot-permissions.ts";
import type { CopilotEvent } from "./copilot-wire.ts";

type ToolHook = NonNullable<NonNullable<CopilotSessionConfig["hooks"]>["onPreToolUse"]>;
type HookAnswer = Exclude<Awaited<ReturnType<ToolHook>>, void>;

/** What the decisions about the calls of a session depend on. */
export interface CopilotCallGateOptions {
  readonly sessionId: string;
  readonly config: SessionConfig;
  readonly workingDirectory: string;
  readonly gate: PermissionGate;
  /** The turn under way; nothing is allowed or asked without one. */
  readonly turn: () => AgentTurn | undefined;
  /** The calls the translator has heard of in this turn. */
  readonly known: () => Pick<TranslationState, "tools" | "runningTools">;
}

/** A call that a hook is about. */
export interface HookedCall extends Pick<Parameters<ToolHook>[0], "toolName" | "toolArgs"> {
  /** Whether it is no call of a sub-agent's. */
  readonly isOwn: boolean;
}

/** A call that was decided about, as it was then. */
type DecidedCall =
  | { readonly type: "allowed"; readonly request: PermissionRequest; readonly input: unknown; readonly isOwn: boolean }
  | { readonly type: "denied"; readonly reason: string }
  /** What it has left running in the background may go on speaking. */
  | { readonly type: "ended" };

/** How long the announcement of a call may follow the hook that asks about it, in milliseconds. */
const ANNOUNCEMENT_MS = 2_000;

/**
 * Decides about every call of every tool before it runs, those of sub-agents included.
 *
 * 1. The hook decides, by Atomic's own reading of the call; it must never throw, because Copilot then goes on.
 * 2. What the runtime asks besides is approved only for a call that the hook allowed, and only when it asks for nothing
 *    more than was allowed; else that is decided, too.
 * 3. A call that was not allowed and does something all the same ends its turn, and so does a runtime that calls no hook
 *    before the model is asked.
 * 4. The last call of a message is answered only once it is known that the model may be called again.
 */
export class CopilotCallGate {
  readonly #options: CopilotCallGateOptions;
  readonly #decided = new Map<string, DecidedCall>();
  /** The calls that a hook has asked about: it does not name them, and two can be alike. */
  readonly #claimed = new Set<string>();
  /** The calls that the hook allowed and that were denied when the runtime asked for more. */
  readonly #rejected = new Set<string>();
  readonly #waiting = new Set<() => void>();
  #hasHooks = false;
  /** Invariant 4: the session's own calls that have begun since the model was called, and no hook has ended yet. */
  #openCount = 0;

  constructor(options: CopilotCallGateOptions) {
    this.#options = options;
  }

  /** The runtime has called a hook: it takes notice of them. */
  noteHooks(): void {
    this.#hasHooks = true;
  }

  /** The hook before each call. Never rejects. */
  async beforeCall(hooked: HookedCall): Promise<HookAnswer> {
    const answer = await this.#answerHook(hooked);
    if (answer.permissionDecision === "deny") await this.afterCall(hooked);
    return answer;
  }

  /** The hook after each call that has run, also one that failed. Never rejects. Invariant 4. */
  async afterCall({ isOwn }: Pick<HookedCall, "isOwn">): Promise<void> {
    if (!isOwn) return;
    this.#openCount -= 1;
    const turn = this.#options.turn();
    if (turn === undefined || this.#openCount > 0) return;
    turn.noteModelCallAhead();
    // The runtime must hear of the stop before it hears that it may go on, which the stop waits for.
    await setImmediate();
  }

  async #answerHook({ toolName, toolArgs, isOwn }: HookedCall): Promise<HookAnswer> {
    try {
      const turn = this.#options.turn();
      if (turn === undefined) return deny("No turn is under way that this call belongs to.");
      const known = await this.#findCall(toolName, toolArgs ?? {});
      if (known === undefined) return deny("Copilot has not announced this call.");
      return await this.#decideCall({ ...known, toolName, input: toolArgs ?? {} }, { turn, isOwn });
    } catch (error) {
      return deny(`Looking at the call failed: ${messageOf(error)}`);
    }
  }

  /** Answers what the runtime itself asks. Never rejects. */
  async answerPermission(raw: unknown): Promise<PermissionRequestResult> {
    const { sessionId, workingDirectory, gate, known } = this.#options;
    const turn = this.#options.turn();
    if (turn === undefined) return reject("No turn is under way that this call belongs to.");
    const toolOf = (callId: string): KnownTool | undefined => known().tools.get(callId);
    const request = toPermissionRequest(raw, { sessionId, workingDirectory, toolOf });
    const decided = this.#decided.get(request.id);
    if (request.id !== "" && decided === undefined) {
      void turn.giveUp(new UngatedToolCallError(AGENT_TYPE, request.toolName));
      return reject("Atomic has not seen this call.");
    }
    if (decided?.type === "denied") return reject(decided.reason);
    if (decided?.type === "allowed" && isCovered(request, { raw, decided })) return { kind: "approve-once" };
    try {
      const decision = await gate.decide(request, { turn, ...(request.id === "" ? {} : { callId: request.id }) });
      if (decision.type === "allow") return { kind: "approve-once" };
      if (decided?.type === "allowed") await this.#noteRejection(request.id, decided);
      return reject(decision.reason);
    } catch {
      // The turn is being stopped, and the runtime gives the call up by itself.
      return { kind: "no-result" };
    }
  }

  /** Invariant 4: Copilot calls no hook after a call that was rejected. It may ask several times; the call ends once. */
  async #noteRejection(callId: string, call: Pick<HookedCall, "isOwn">): Promise<void> {
    if (this.#rejected.has(callId)) return;
    this.#rejected.add(callId);
    await this.afterCall(call);
  }

  /** Whether a tool of Atomic's may be run with this input. */
  allowsCall(callId: string, input: unknown): boolean {
    const decided = this.#decided.get(callId);
    return decided?.type === "allowed" && isDeepStrictEqual(decided.input, input);
  }

  /** Looks at an event of the vendor's: whether a call that was not allowed has done something. */
  watch({ type, data, agentId }: CopilotEvent, turn: AgentTurn): void {
    if (agentId === undefined && type === "assistant.turn_start") this.#openCount = 0;
    if (agentId === undefined && type === "tool.execution_start") this.#openCount += 1;
    if (type === "assistant.turn_start" && !this.#hasHooks) {
      const detail = "the program has not called the hook that comes before each turn";
      void turn.giveUp(new PermissionGateMissingError(AGENT_TYPE, detail));
    }
    if (type === "tool.execution_start") return this.#wake();
    const isEnd = type === "tool.execution_complete";
    if (!isEnd && type !== "tool.execution_partial_result") return;
    const callId = String(data.toolCallId);
    const decided = this.#decided.get(callId);
    const isAllowed = decided !== undefined && decided.type !== "denied";
    if (isEnd && isAllowed) this.#decided.set(callId, { type: "ended" });
    // A call that is refused, or does not even fit its tool, ends with an error.
    if (isAllowed || (isEnd && data.success !== true) || turn.signal.aborted) return;
    const toolName = this.#options.known().tools.get(callId)?.name ?? String(data.toolName ?? "unknown");
    void turn.giveUp(new UngatedToolCallError(AGENT_TYPE, toolName));
  }

  async #decideCall(
    call: CopilotCall,
    { turn, isOwn }: { readonly turn: AgentTurn; readonly isOwn: boolean },
  ): Promise<HookAnswer> {
    const { config, sessionId, workingDirectory } = this.#options;
    const { beforeTool } = config;
    const place = { sessionId, workingDirectory };
    const { id: toolId, toolName } = call;
    const kind = toCallRequest(call, place).kind;
    const seen = { sessionId, toolId, toolName, kind, input: call.input };
    // The hook may ask a person, so its silence is no stall, and an abort does not wait for it.
    const verdict = beforeTool && (await turn.waitForPerson(async (signal) => beforeTool(seen, { signal })));
    if (verdict?.type === "block") return this.#deny(call, verdict.reason);
    const changed: CopilotCall = verdict?.input === undefined ? call : { ...call, input: verdict.input };
    const request = toCallRequest(changed, place);
    const decision = await this.#decide(request, { call: changed, turn });
    if (decision.type === "deny") return this.#deny(call, decision.reason);
    const isNarrowed = decision.exclude !== undefined && decision.exclude.length > 0;
    const input = isNarrowed ? excludeFiles(changed.input, decision.exclude) : changed.input;
    // Links lead where the gate saw them lead, so what Copilot asks about the files behind them is decided, too.
    const named = await withRealNames(request, { workingDirectory });
    this.#decided.set(call.id, { type: "allowed", request: named, input, isOwn });
    return isNarrowed || changed !== call ? { modifiedArgs: input } : {};
  }

  async #decide(
    request: PermissionRequest,
    { call, turn }: { readonly call: CopilotCall; readonly turn: AgentTurn },
  ): Promise<PermissionDecision> {
    const { config, workingDirectory, gate } = this.#options;
    if (isQuietTool(call)) {
      const { rule } = evaluatePermission(config.permissions ?? { rules: [] }, request, { workingDirectory });
      if (rule === undefined || rule.effect === "allow") return { type: "allow" };
    }
    const origin = { turn, callId: call.id };
    const reading = readingOfMoved(request, { input: call.input, workingDirectory });
    const read = reading && (await gate.decide(reading, origin));
    if (read?.type === "deny") return read;
    const decision = await gate.decide(request, origin);
    // The model is shown the changed input, so names that it could not have guessed must not be in there.
    if (decision.type === "deny" || (decision.exclude ?? []).every(isSecretName)) return decision;
    return gate.decide({ ...request, search: { ...request.search, canExclude: false } }, origin);
  }

  #deny({ id }: CopilotCall, reason: string): HookAnswer {
    this.#decided.set(id, { type: "denied", reason });
    return deny(reason);
  }

  /** The call that a hook asks about: the first running one with this tool and this input that no hook has asked about. */
  async #findCall(toolName: string, input: unknown): Promise<Pick<CopilotCall, "id" | "isForeign"> | undefined> {
    const deadline = Date.now() + ANNOUNCEMENT_MS;
    for (;;) {
      const found = [...this.#options.known().runningTools].find(
        ([id, tool]) => tool.name === toolName && !this.#claimed.has(id) && isDeepStrictEqual(tool.input, input),
      );
      if (found !== undefined) {
        const [id, { kind }] = found;
        this.#claimed.add(id);
        return { id, isForeign: kind === "mcp" };
      }
      const leftMs = deadline - Date.now();
      if (leftMs <= 0) return undefined;
      await this.#nextAnnouncement(leftMs);
    }
  }

  async #nextAnnouncement(timeoutMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeoutMs);
    this.#waiting.add(resolve);
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(resolve);
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
  }
}

function deny(reason: string): HookAnswer {
  return { permissionDecision: "deny", permissionDecisionReason: reason };
}

function reject(feedback: string): PermissionRequestResult {
  return { kind: "reject", feedback };
}

/** Whether the runtime asks for no more than what was allowed. */
function isCovered(
  asked: PermissionRequest,
  { raw, decided }: { readonly raw: unknown; readonly decided: Extract<DecidedCall, { readonly type: "allowed" }> },
): boolean {
  const { request, input } = decided;
  if (asked.kind !== request.kind) return false;
  const { args, toolArgs, kind } = recordOf(raw);
  if (kind === "hook") return isDeepStrictEqual(toolArgs, input);
  switch (asked.kind) {
    case "shell":
      return isSameCommand(asked.command, request.command);
    case "read":
    case "edit":
      return asked.paths.length > 0 && asked.paths.every((file) => request.paths.includes(file));
    case "fetch":
      return asked.title === request.title;
    case "mcp":
      return isDeepStrictEqual(args ?? {}, input ?? {});
    default:
      return false;
  }
}

/** Copilot leaves out a `cd` to where it is already. */
function isSameCommand(asked: string | undefined, allowed: string | undefined): boolean {
  if (asked === undefined || allowed === undefined) return false;
  if (asked.trim() === allowed.trim()) return true;
  return /^\s*cd\s[^;&|<>$`()]*(?:&&|;)\s*$/.test(allowed.slice(0, -asked.length)) && allowed.endsWith(asked);
}
