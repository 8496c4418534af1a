import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { SessionConfigBase as CopilotSessionConfig, PermissionRequestResult } from "@github/copilot-sdk";
import {
  isSecretName,
  messageOf,
  type PermissionDecision,
  PermissionGateMissingError,
  type PermissionRequest,
  recordOf,
  type SessionConfig,
  UngatedToolCallError,
  withResolvers,
} from "../../../contracts/index.ts";
import { withRealNames } from "../../policy/files/real-names.ts";
import { readingOfMoved } from "../../policy/moved-files.ts";
import type { PermissionGate } from "../../policy/permission-gate.ts";
import { evaluatePermission } from "../../policy/rules/evaluate-permission.ts";
import type { AgentTurn } from "../../turn/agent-turn.ts";
import { publishDenial } from "../../turn/publish-denial.ts";
import { type CopilotCall, excludeFiles, isQuietTool, toCallRequest } from "./copilot-call.ts";
import type { KnownTool, TranslationState } from "./copilot-events.ts";
import { toPermissionRequest } from "./copilot-permissions.ts";
import type { CopilotEvent } from "./copilot-wire.ts";
import { AGENT_TYPE } from "./runtime/copilot-errors.ts";

type ToolHook = NonNullable<NonNullable<CopilotSessionConfig["hooks"]>["onPreToolUse"]>;
type HookAnswer = Exclude<Awaited<ReturnType<ToolHook>>, void>;

/** Settings of {@link CopilotCallGate}. */
export interface CopilotCallGateOptions {
  readonly sessionId: string;
  readonly config: SessionConfig;
  readonly workingDirectory: string;
  readonly gate: PermissionGate;
  /** The turn in progress; without one, every call is denied. */
  readonly turn: () => AgentTurn | undefined;
  /** The calls of this turn that the translator knows. */
  readonly known: () => Pick<TranslationState, "tools" | "runningTools">;
}

/** A call as a hook describes it. */
export interface HookedCall extends Pick<Parameters<ToolHook>[0], "toolName" | "toolArgs"> {
  /** Whether the session itself, not a sub-agent, makes the call. */
  readonly isOwn: boolean;
}

/** A decided call, as it was at the decision. */
type DecidedCall =
  | { readonly type: "allowed"; readonly request: PermissionRequest; readonly input: unknown; readonly isOwn: boolean }
  | { readonly type: "denied"; readonly reason: string }
  /** It may still write output from the background. */
  | { readonly type: "ended" };

/** How long after its hook a call may be announced, in milliseconds. */
const ANNOUNCEMENT_MS = 2_000;

/**
 * Decides about every tool call before it runs, including those of sub-agents.
 *
 * 1. The hook decides, by Atomic's own reading of the call. It must never throw, because Copilot would then run the call.
 * 2. A permission that the runtime asks for is approved without a new decision only if the hook allowed the call and the
 *    permission covers nothing more.
 * 3. A call that runs without being allowed ends its turn, and so does a runtime that calls no hook before the model.
 * 4. The last call of a message is answered only once it is known that the model may be called again.
 */
export class CopilotCallGate {
  readonly #options: CopilotCallGateOptions;
  readonly #decided = new Map<string, DecidedCall>();
  /** The calls matched to a hook, which gets no call id: two calls can be identical. */
  readonly #claimed = new Set<string>();
  /** The calls that the hook allowed and that were denied when the runtime asked for more. */
  readonly #rejected = new Set<string>();
  readonly #waiting = new Set<() => void>();
  #hasHooks = false;
  /** Invariant 4: how many of the session's own calls have started since the model was called and not ended. */
  #openCount = 0;

  constructor(options: CopilotCallGateOptions) {
    this.#options = options;
  }

  /** The runtime has called a hook, so it supports hooks. */
  noteHooks(): void {
    this.#hasHooks = true;
  }

  /** The hook before each call. Never rejects. */
  async beforeCall(hooked: HookedCall): Promise<HookAnswer> {
    const answer = await this.#answerHook(hooked);
    if (answer.permissionDecision === "deny") await this.afterCall(hooked);
    return answer;
  }

  /** The hook after each call that ran, also one that failed. Never rejects. Invariant 4. */
  async afterCall({ isOwn }: Pick<HookedCall, "isOwn">): Promise<void> {
    if (!isOwn) return;
    this.#openCount -= 1;
    const turn = this.#options.turn();
    if (turn === undefined || this.#openCount > 0) return;
    turn.noteModelCallAhead();
    // The runtime must receive the stop before the answer that lets it continue.
    await setImmediate();
  }

  async #answerHook({ toolName, toolArgs, isOwn }: HookedCall): Promise<HookAnswer> {
    try {
      const turn = this.#options.turn();
      if (turn === undefined) return deny("This call belongs to no turn in progress.");
      const known = await this.#findCall(toolName, toolArgs ?? {});
      if (known === undefined) return deny("Copilot has not announced this call.");
      return await this.#decideCall({ ...known, toolName, input: toolArgs ?? {} }, { turn, isOwn });
    } catch (error) {
      return deny(`Looking at the call failed: ${messageOf(error)}`);
    }
  }

  /** Answers a permission request of the runtime. Never rejects. */
  async answerPermission(raw: unknown): Promise<PermissionRequestResult> {
    const { sessionId, workingDirectory, gate, known } = this.#options;
    const turn = this.#options.turn();
    if (turn === undefined) return reject("This call belongs to no turn in progress.");
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
      // The turn is being stopped, and the runtime drops the call by itself.
      return { kind: "no-result" };
    }
  }

  /** Invariant 4: Copilot calls no hook after a call that was rejected. It may ask several times; the call ends once. */
  async #noteRejection(callId: string, call: Pick<HookedCall, "isOwn">): Promise<void> {
    if (this.#rejected.has(callId)) return;
    this.#rejected.add(callId);
    await this.afterCall(call);
  }

  /** Whether one of Atomic's own tools may run with this input. */
  allowsCall(callId: string, input: unknown): boolean {
    const decided = this.#decided.get(callId);
    return decided?.type === "allowed" && isDeepStrictEqual(decided.input, input);
  }

  /** Invariant 3: checks each event for a call that ran without being allowed. */
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
    // A call that was denied, or does not fit its tool, ends with an error.
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
    const original = toCallRequest(call, place);
    const seen = { sessionId, toolId, toolName, kind: original.kind, input: call.input };
    // The hook may wait for a person, so its silence is not a stall, and an abort does not wait for it.
    const verdict = beforeTool && (await turn.waitForPerson(async (signal) => beforeTool(seen, { signal })));
    if (verdict?.type === "block") {
      publishDenial(turn, original, verdict);
      return this.#deny(call, verdict.reason);
    }
    const changed: CopilotCall = verdict?.input === undefined ? call : { ...call, input: verdict.input };
    const request = toCallRequest(changed, place);
    const decision = await this.#decide(request, { call: changed, turn });
    if (decision.type === "deny") return this.#deny(call, decision.reason);
    const isNarrowed = decision.exclude !== undefined && decision.exclude.length > 0;
    const input = isNarrowed ? excludeFiles(changed.input, decision.exclude) : changed.input;
    // The links' targets are resolved now, so Copilot's requests for those files are compared with them, too.
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
    // The model sees the changed input, so it must not contain names that the model could not have guessed.
    if (decision.type === "deny" || (decision.exclude ?? []).every(isSecretName)) return decision;
    return gate.decide({ ...request, search: { ...request.search, canExclude: false } }, origin);
  }

  #deny({ id }: CopilotCall, reason: string): HookAnswer {
    this.#decided.set(id, { type: "denied", reason });
    return deny(reason);
  }

  /** The call of a hook: the first running one with this tool and input that is not matched to a hook yet. */
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
    const { promise, resolve } = withResolvers<void>();
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

/** Whether the runtime asks for no more than was allowed. */
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

/** Copilot drops a `cd` to the folder that it is already in. */
function isSameCommand(asked: string | undefined, allowed: string | undefined): boolean {
  if (asked === undefined || allowed === undefined) return false;
  if (asked.trim() === allowed.trim()) return true;
  return /^\s*cd\s[^;&|<>$`()]*(?:&&|;)\s*$/.test(allowed.slice(0, -asked.length)) && allowed.endsWith(asked);
}
