import { lstat, stat } from "node:fs/promises";
import path from "node:path";
import {
  messageOf,
  type PermissionRequest,
  type ToolInterceptor,
  type ToolVerdict,
  UngatedToolCallError,
} from "../../../contracts/index.ts";
import { readingOfMoved } from "../../policy/moved-files.ts";
import type { PermissionGate } from "../../policy/permission-gate.ts";
import { AllowedToolCalls, type NamedToolCall } from "../../tools/allowed-tool-calls.ts";
import type { AgentTurn } from "../../turn/agent-turn.ts";
import { publishDenial } from "../../turn/publish-denial.ts";
import { kindOfCall, type OpenCodeCall, toCallRequest, withoutFiles } from "./opencode-call.ts";
import { OPENCODE_TOOLS, STRUCTURED_OUTPUT_TOOL } from "./opencode-tools.ts";

/** Settings of {@link OpenCodeCallGate}. */
export interface OpenCodeCallGateOptions {
  readonly agentType: string;
  /** The session that subscribers know; its sub-agents' calls are decided here as well. */
  readonly sessionId: string;
  readonly gate: PermissionGate;
  /** Sees each call before the policy does. @default none */
  readonly beforeTool?: ToolInterceptor | undefined;
  /** The tool's name for subscribers. @default OpenCode's name */
  readonly nameOf?: (tool: string) => string;
  /** The turn in progress: between turns nothing is allowed. */
  readonly turn: () => AgentTurn | undefined;
}

/** A call that was seen. */
interface DecidedCall {
  readonly isAllowed: boolean;
  /** The request that was decided; absent for a call that needs no approval. */
  readonly request?: PermissionRequest;
  /** The command as the tool receives it, without its folder. */
  readonly command?: unknown;
}

/** How to answer a permission that OpenCode asks for. */
export type AskedPermission =
  /** Its call was allowed, and it asks for nothing more. */
  | { readonly type: "decided" }
  | { readonly type: "open"; readonly request: PermissionRequest }
  /** Nobody decided about its call. */
  | { readonly type: "ungated"; readonly error: UngatedToolCallError };

/** Identifies a call. */
export interface CallPlace {
  /** OpenCode's session, which may be that of a sub-agent. */
  readonly sessionId: string;
  readonly callId: string;
}

/** How many calls are remembered; the oldest are forgotten first. */
const MAX_REMEMBERED_CALLS = 5_000;

/**
 * Decides about every tool call of one conversation before it runs, whatever OpenCode's own permissions say.
 *
 * 1. A call without a decision does not run: the plugin waits for the answer and blocks the call if there is none.
 * 2. A permission that OpenCode asks for is allowed as far as the decision about its call covers it. Anything more is
 *    decided separately, and a request for an unknown call ends the turn.
 * 3. An unknown call that ran ends the turn.
 */
export class OpenCodeCallGate {
  readonly #options: OpenCodeCallGateOptions;
  readonly #calls = new Map<string, DecidedCall>();
  readonly #toolCalls = new AllowedToolCalls();

  constructor(options: OpenCodeCallGateOptions) {
    this.#options = options;
  }

  /** Decides whether a call runs, and with which arguments. Never rejects. */
  async decide(call: OpenCodeCall): Promise<ToolVerdict> {
    const turn = this.#options.turn();
    if (turn === undefined) return { type: "block", reason: "No turn runs in which this could be called." };
    turn.touch();
    try {
      const verdict = await this.#intercept(call, turn);
      if (verdict.type === "block") {
        this.#remember(call, { isAllowed: false });
        const { sessionId } = this.#options;
        publishDenial(turn, toCallRequest(call, { sessionId, toolName: this.#nameOf(call.tool) }), verdict);
        return verdict;
      }
      return await this.#authorize(call, { turn, verdict });
    } catch (error) {
      this.#remember(call, { isAllowed: false });
      return { type: "block", reason: `The call could not be checked: ${messageOf(error)}` };
    }
  }

  /** Invariant 2: how to answer a permission that OpenCode asks for, given the decision about its call. */
  judgeAsked(asked: PermissionRequest, place: CallPlace): AskedPermission {
    const decided = this.#calls.get(keyOf(place));
    if (decided === undefined) {
      return { type: "ungated", error: new UngatedToolCallError(this.#options.agentType, asked.toolName) };
    }
    const { request } = decided;
    const isOther = request !== undefined && asked.kind !== request.kind && asked.kind !== "other";
    const isOtherCommand = asked.command !== undefined && asked.command !== decided.command;
    if (!decided.isAllowed || request === undefined || isOther || isOtherCommand)
      return { type: "open", request: asked };
    if (asked.paths.every((file) => request.paths.includes(file))) return { type: "decided" };
    const { kind, command } = request;
    return { type: "open", request: command === undefined ? asked : { ...asked, kind, command } };
  }

  /** Invariant 3: the error of a call that ran without a decision. */
  ungated(tool: string, place: CallPlace): UngatedToolCallError | undefined {
    if (tool === STRUCTURED_OUTPUT_TOOL || this.#calls.has(keyOf(place))) return undefined;
    return new UngatedToolCallError(this.#options.agentType, this.#nameOf(tool));
  }

  /** Whether this call was allowed in this turn and has not run yet. */
  takeToolCall(call: NamedToolCall): boolean {
    return this.#toolCalls.take(this.#options.turn(), call);
  }

  async #intercept(call: OpenCodeCall, turn: AgentTurn): Promise<ToolVerdict> {
    const { beforeTool, sessionId } = this.#options;
    if (beforeTool === undefined) return { type: "continue" };
    const { callId: toolId, tool, input } = call;
    const intercepted = { sessionId, toolId, toolName: this.#nameOf(tool), kind: kindOfCall(call), input };
    // It may take any time, as a person may.
    return turn.waitForPerson(async (signal) => beforeTool(intercepted, { signal }));
  }

  async #authorize(
    asked: OpenCodeCall,
    { turn, verdict }: { readonly turn: AgentTurn; readonly verdict: ToolVerdict & { readonly type: "continue" } },
  ): Promise<ToolVerdict> {
    const call = verdict.input === undefined ? asked : { ...asked, input: verdict.input };
    const { gate, sessionId } = this.#options;
    const named = toCallRequest(call, { sessionId, toolName: this.#nameOf(call.tool) });
    if (OPENCODE_TOOLS.get(call.tool)?.isQuiet) {
      const reason = gate.denyUnlisted(named, { turn });
      this.#remember(call, { isAllowed: reason === undefined });
      return reason === undefined ? verdict : { type: "block", reason };
    }
    const request = call.tool === "read" ? await withInstructions(named, call) : await fromFolder(named);
    const origin = { turn, callId: call.callId };
    const reading = readingOfMoved(named, { input: call.input, workingDirectory: call.directory });
    const read = reading && (await gate.decide(reading, origin));
    const decision = read?.type === "deny" ? read : await gate.decide(request, origin);
    const isAllowed = decision.type === "allow";
    const command = request.command === undefined ? {} : { command: commandIn(call.input) };
    this.#remember(call, { isAllowed, request, ...command });
    if (!isAllowed) return { type: "block", reason: decision.reason || "This is not allowed." };
    if (call.isMcp) this.#toolCalls.allow(turn, { name: call.tool, input: call.input });
    const { exclude = [] } = decision;
    return exclude.length === 0 ? verdict : { type: "continue", input: withoutFiles(call.input, exclude) };
  }

  #nameOf(tool: string): string {
    return this.#options.nameOf?.(tool) ?? tool;
  }

  #remember(call: OpenCodeCall, decided: DecidedCall): void {
    this.#calls.set(keyOf(call), decided);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MAX_REMEMBERED_CALLS && oldest !== undefined) this.#calls.delete(oldest);
  }
}

/** If a search names no folder but a file, or nothing that exists (` .`), OpenCode searches its parent folder. */
async function fromFolder(request: PermissionRequest): Promise<PermissionRequest> {
  const [start] = request.paths;
  if (request.search === undefined || start === undefined) return request;
  const isFolder = await stat(start).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isFolder ? request : { ...request, paths: [path.dirname(start)] };
}

/** With a file, OpenCode also reads these from the folders above it. */
const INSTRUCTION_FILES = ["AGENTS.md", "CLAUDE.md", "CONTEXT.md"];

/** The instructions that OpenCode would read with a file, if they are links: those may lead anywhere. */
async function withInstructions(request: PermissionRequest, { directory }: OpenCodeCall): Promise<PermissionRequest> {
  const [file = directory] = request.paths;
  const links: string[] = [];
  for (let folder = path.dirname(file); folder.startsWith(`${directory}${path.sep}`); folder = path.dirname(folder)) {
    for (const name of INSTRUCTION_FILES) {
      const found = await lstat(path.join(folder, name)).catch(() => undefined);
      if (found?.isSymbolicLink()) links.push(path.join(folder, name));
    }
  }
  return links.length === 0 ? request : { ...request, paths: [...new Set([...request.paths, ...links])] };
}

function commandIn(input: unknown): unknown {
  return typeof input === "object" && input !== null && "command" in input ? input.command : undefined;
}

function keyOf({ sessionId, callId }: CallPlace): string {
  return JSON.stringify([sessionId, callId]);
}
