import path from "node:path";
import {
  type AgentQuestionAnswer,
  type AgentQuestionHandler,
  messageOf,
  type PermissionDetails,
  type PermissionRequest,
  raceAbort,
  recordOf,
  recordsOf,
  stringOf,
  type UnknownRecord,
} from "../../../contracts/index.ts";
import { isWithin } from "../../../system/index.ts";
import { namesOf } from "../../policy/files/real-names.ts";
import type { PermissionGate } from "../../policy/permission-gate.ts";
import type { AgentTurn } from "../../turn/agent-turn.ts";
import { askQuestion } from "../../turn/ask-question.ts";
import type { ClaudeGuard } from "../claude-settings/claude-guard.ts";
import type { AskedPermission, OpenCodeCallGate } from "../opencode-settings/opencode-call-gate.ts";
import { type AcpAgentRequest, AcpRefusal } from "./acp-connection.ts";
import { type AcpFormField, toFormAnswer, toFormFields } from "./acp-elicitation.ts";
import { readTextFile, writeTextFile } from "./acp-files.ts";
import { toOutcome, toPermissionRequest } from "./acp-permissions.ts";
import type { AcpTerminals } from "./acp-terminals.ts";
import type { AcpToolCall } from "./acp-tools.ts";
import type { AcpTurn } from "./acp-turn.ts";
import { describeCommand, joinCommand } from "./program/acp-command-line.ts";

/** What the answers to the agent's requests depend on. */
export interface AcpAgentRequestsOptions {
  readonly sessionId: string;
  /** Absolute. */
  readonly workingDirectory: string;
  readonly mcpServers: readonly string[];
  readonly gate: PermissionGate;
  /** Decided about the calls, where the agent is Claude Code; absent for others. */
  readonly guard?: ClaudeGuard | undefined;
  readonly onQuestion: AgentQuestionHandler | undefined;
  readonly terminals: AcpTerminals;
  /** The environment of commands that Atomic runs for the agent. */
  readonly commandEnv: Readonly<Record<string, string>>;
  /** The decisions about the calls, where the agent calls back before each one; absent for others. */
  readonly calls: () => OpenCodeCallGate | undefined;
  /** The turn in progress. Between turns nothing is allowed. */
  readonly turn: () => AcpTurn | undefined;
}

const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;
const NOT_FOUND = -32_002;
const REFUSED = -32_603;

/**
 * Answers an agent's requests in one session. Atomic reads and writes files and runs commands for agents that support
 * it, which puts them under the policy whatever the agent itself would allow:
 *
 * 1. The gate decides about every permission request, file and command.
 * 2. An approved tool call needs no second approval when the agent has Atomic carry it out, once, and writes what its request
 *    showed.
 * 3. The policy checks both the given and the real path of a file, and a command together with its folder and the
 *    variables added to its environment.
 */
export class AcpAgentRequests {
  readonly #options: AcpAgentRequestsOptions;

  constructor(options: AcpAgentRequestsOptions) {
    this.#options = options;
  }

  /** Answers a request. @throws AcpRefusal, or the abort reason of a request that the agent cancels */
  async answer(request: AcpAgentRequest): Promise<unknown> {
    switch (request.method) {
      case "session/request_permission":
        return this.#answerPermission(request);
      case "elicitation/create":
        return this.#answerForm(request);
      case "fs/read_text_file":
        return this.#readFile(request);
      case "fs/write_text_file":
        return this.#writeFile(request);
      case "terminal/create":
        return this.#createTerminal(request);
      default:
        return this.#answerTerminal(request);
    }
  }

  async #answerPermission({ params, signal: until }: AcpAgentRequest): Promise<unknown> {
    const { sessionId, workingDirectory, mcpServers, gate } = this.#options;
    const running = this.#options.turn();
    if (running === undefined) return { outcome: { outcome: "cancelled" } };
    const { turn } = running;
    turn.touch();
    const call = running.noteCall(params.toolCall);
    if (this.#options.guard !== undefined) return this.#confirm(this.#options.guard, { params, call, turn, until });
    const request = running.joinPaths(toPermissionRequest(params, { sessionId, workingDirectory, mcpServers, call }));
    const judged = this.#judgeAsked(request);
    if (judged.type === "ungated") {
      void turn.giveUp(judged.error);
      return { outcome: toOutcome(params, { isAllowed: false }) };
    }
    if (judged.type === "decided") {
      this.#noteAllowed(request, running);
      return { outcome: toOutcome(params, { isAllowed: true }) };
    }
    try {
      const decision = await gate.decide(judged.request, {
        turn,
        until,
        ...(request.id === "" ? {} : { callId: request.id }),
      });
      turn.signal.throwIfAborted();
      until.throwIfAborted();
      const isAllowed = decision.type === "allow";
      if (isAllowed) this.#noteAllowed(request, running);
      return { outcome: toOutcome(params, { isAllowed }) };
    } catch (error) {
      if (!turn.signal.aborted) throw error;
      return { outcome: { outcome: "cancelled" } };
    }
  }

  /** An agent that calls back before each call writes itself, too: what it sends repeats that, whatever its request showed. */
  #noteAllowed(request: PermissionRequest, { allowances }: AcpTurn): void {
    const { details: _shown, ...covered } = request;
    allowances.add(this.#options.calls() === undefined ? request : covered);
  }

  /** Claude Code already called back about the call; this request is about the call in its current form. */
  async #confirm(
    guard: ClaudeGuard,
    asked: {
      readonly params: UnknownRecord;
      readonly call: AcpToolCall | undefined;
      readonly turn: AgentTurn;
      readonly until: AbortSignal;
    },
  ): Promise<unknown> {
    const { params, call, turn, until } = asked;
    const toolUseID = stringOf(recordOf(params.toolCall).toolCallId);
    const toolName = guard.toolOf(toolUseID) ?? call?.name ?? "";
    const input = { ...recordOf(call?.input) };
    const { behavior } = await guard.canUseTool(toolName, input, { signal: until, toolUseID });
    if (turn.signal.aborted) return { outcome: { outcome: "cancelled" } };
    return { outcome: toOutcome(params, { isAllowed: behavior === "allow" }) };
  }

  /** The request itself is the only description of a call when the agent does not call back before it. */
  #judgeAsked(asked: PermissionRequest): AskedPermission {
    const calls = this.#options.calls();
    // OpenCode asks whether to continue a repeating call.
    if (calls === undefined || asked.toolName === "doom_loop") return { type: "open", request: asked };
    return calls.judgeAsked(asked, { sessionId: this.#options.sessionId, callId: asked.id });
  }

  async #answerForm({ params, signal: until }: AcpAgentRequest): Promise<unknown> {
    const { sessionId, onQuestion: handler } = this.#options;
    const running = this.#options.turn();
    const fields = toFormFields(params, { sessionId, requestId: stringOf(params.toolCallId) || crypto.randomUUID() });
    if (running === undefined || fields.length === 0) return { action: "cancel" };
    const { turn } = running;
    turn.touch();
    const answers: { field: AcpFormField; answer: AgentQuestionAnswer }[] = [];
    try {
      for (const field of fields) {
        const answer = await askQuestion(field.question, { turn, handler, until });
        answers.push({ field, answer });
        if (answer.type === "decline") break;
      }
      return toFormAnswer(answers);
    } catch (error) {
      if (!turn.signal.aborted) throw error;
      return { action: "cancel" };
    }
  }

  async #readFile({ params, signal }: AcpAgentRequest): Promise<unknown> {
    const file = this.#fileOf(params);
    const paths = await namesOf(file, this.#options.workingDirectory);
    await this.#authorize("read_text_file", "read", { paths, subject: this.#nameOf(file), signal });
    const content = await readTextFile(file).catch((error: unknown) => {
      throw new AcpRefusal(NOT_FOUND, messageOf(error));
    });
    const { line, limit } = params;
    if (typeof line !== "number" && typeof limit !== "number") return { content };
    const first = typeof line === "number" ? Math.max(0, line - 1) : 0;
    const lines = content.split("\n").slice(first, typeof limit === "number" ? first + limit : undefined);
    return { content: lines.join("\n") };
  }

  async #writeFile({ params, signal }: AcpAgentRequest): Promise<unknown> {
    const file = this.#fileOf(params);
    const paths = await namesOf(file, this.#options.workingDirectory);
    const details: PermissionDetails = { type: "write", path: file, text: stringOf(params.content) };
    await this.#authorize("write_text_file", "edit", { paths, subject: this.#nameOf(file), details, signal });
    try {
      await writeTextFile(file, stringOf(params.content));
    } catch (error) {
      throw new AcpRefusal(REFUSED, messageOf(error));
    }
    return {};
  }

  async #createTerminal({ params, signal }: AcpAgentRequest): Promise<unknown> {
    const { workingDirectory, terminals, commandEnv } = this.#options;
    const command = stringOf(params.command);
    if (command === "") throw new AcpRefusal(INVALID_PARAMS, "A terminal needs a command.");
    const args = Array.isArray(params.args) ? params.args.filter((item) => typeof item === "string") : [];
    const folder = path.resolve(workingDirectory, stringOf(params.cwd) || ".");
    const env = recordsOf(params.env).map(({ name, value }): [string, string] => [stringOf(name), stringOf(value)]);
    // Variables that the command has anyway change nothing.
    const addedEnv = env.filter(([name, value]) => commandEnv[name] !== value);
    const words = args.length === 0 ? command : joinCommand([command, ...args]);
    const line = describeCommand(words, { workingDirectory, folder, addedEnv });
    const running = await this.#authorize("terminal", "shell", { paths: [], command: line, subject: line, signal });
    running.turn.signal.throwIfAborted();
    const limit = params.outputByteLimit;
    const terminalId = terminals.create({
      command,
      args,
      env: { ...commandEnv, ...Object.fromEntries(addedEnv) },
      workingDirectory: folder,
      ...(typeof limit === "number" ? { outputByteLimit: limit } : {}),
    });
    return { terminalId };
  }

  async #answerTerminal({ method, params, signal }: AcpAgentRequest): Promise<unknown> {
    const { terminals } = this.#options;
    const id = stringOf(params.terminalId);
    switch (method) {
      case "terminal/output":
        return known(terminals.output(id), id);
      case "terminal/wait_for_exit":
        return known(await raceAbort(terminals.waitForExit(id), signal), id);
      case "terminal/kill":
        return known((await terminals.kill(id)) ? {} : undefined, id);
      case "terminal/release":
        return known((await terminals.release(id)) ? {} : undefined, id);
      default:
        throw new AcpRefusal(METHOD_NOT_FOUND, `Atomic does not know the method "${method}".`);
    }
  }

  /** Invariants 1 and 2. The agent receives the reason of a denial. A cancelled request has no effect. */
  async #authorize(
    toolName: string,
    kind: PermissionRequest["kind"],
    call: {
      readonly paths: readonly string[];
      readonly command?: string;
      readonly details?: PermissionDetails;
      readonly subject: string;
      readonly signal: AbortSignal;
    },
  ): Promise<AcpTurn> {
    const { sessionId, gate } = this.#options;
    const running = this.#options.turn();
    if (running === undefined) throw new AcpRefusal(REFUSED, "Nothing is allowed between turns.");
    const { paths, command, details, subject, signal: until } = call;
    const request: PermissionRequest = {
      id: crypto.randomUUID(),
      sessionId,
      kind,
      toolName,
      title: `${toolName}: ${subject}`,
      paths,
      ...(command === undefined ? {} : { command }),
      ...(details === undefined ? {} : { details }),
    };
    running.turn.touch();
    const isWrite = kind === "edit" && running.allowances.dependsOnText(request);
    const before = isWrite ? await readTextFile(paths[0] ?? "").catch(() => "") : "";
    if (running.allowances.take(request, before)) return running;
    const decision = await gate.decide(request, { turn: running.turn, until }).catch((error: unknown) => {
      until.throwIfAborted();
      throw new AcpRefusal(REFUSED, messageOf(error));
    });
    until.throwIfAborted();
    if (decision.type === "deny") throw new AcpRefusal(REFUSED, decision.reason);
    return running;
  }

  #fileOf({ path: named }: UnknownRecord): string {
    if (stringOf(named) === "") throw new AcpRefusal(INVALID_PARAMS, "A path is missing.");
    return path.resolve(this.#options.workingDirectory, stringOf(named));
  }

  #nameOf(file: string): string {
    const { workingDirectory } = this.#options;
    return isWithin(file, workingDirectory) ? path.relative(workingDirectory, file) : file;
  }
}

function known<T>(value: T | undefined, id: string): T {
  if (value === undefined) throw new AcpRefusal(NOT_FOUND, `There is no terminal "${id}".`);
  return value;
}
