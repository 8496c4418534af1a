import {
  type AgentEvent,
  addUsage,
  describeAgentEvent,
  NO_USAGE,
  type RunErrorInfo,
  type Usage,
} from "../../contracts/index.ts";
import { describeCall } from "../../view/index.ts";
import type { ReportedPart, ReportedPeriod, ReportedStatus, ReportedVisit } from "./run-report-page.ts";
import { usagesOf } from "./usages-of.ts";

/** The longest text that is kept, in characters. */
const MAX_TEXT_LENGTH = 262_144;
/** So many parts of a visit are kept: the first ones. */
const MAX_PARTS = 2_000;

type Writable<T> = T extends unknown ? { -readonly [Key in keyof T]: T[Key] } : never;
type Part<Type extends ReportedPart["type"]> = Writable<Extract<ReportedPart, { readonly type: Type }>>;

/** A visit of a node while its events are read. */
export class VisitDraft {
  readonly taskId: string;
  readonly nodeId: string;
  name: string;
  nodeType: string | undefined;
  status: ReportedStatus = "running";
  attempts = 0;
  startedAt: number | undefined;
  endedAt: number | undefined;
  durationMs: number | undefined;
  usage: Usage = NO_USAGE;
  usageByAgent: Readonly<Record<string, Usage>> = {};
  error: RunErrorInfo | undefined;
  readonly #agents = new Set<string>();
  readonly #periods: Writable<ReportedPeriod>[] = [];
  #openPeriod: Writable<ReportedPeriod> | undefined;
  readonly #parts: ReportedPart[] = [];
  #partsLeftOut = 0;
  /** The text that the next event may continue, by session. */
  readonly #texts = new Map<string, Part<"text" | "thinking">>();
  /** Commands without an end. */
  readonly #commands: { readonly command: string; readonly at: number }[] = [];
  /** Calls and sub-agents without an end, by session and id. */
  readonly #open = new Map<string, Part<"tool"> | Part<"subagent">>();

  constructor({
    taskId,
    nodeId,
    name = nodeId,
  }: { readonly taskId: string; readonly nodeId: string; readonly name?: string }) {
    this.taskId = taskId;
    this.nodeId = nodeId;
    this.name = name;
  }

  addAgent(agent: string | undefined): void {
    if (agent !== undefined) this.#agents.add(agent);
  }

  /** Starts a period, and ends the one before it. */
  begin(type: ReportedPeriod["type"], at: number): void {
    this.stop(at);
    this.startedAt ??= at;
    this.#openPeriod = { type, from: at, to: at };
    this.#periods.push(this.#openPeriod);
  }

  /** Ends the period in progress. */
  stop(at: number, type?: ReportedPeriod["type"]): void {
    if (this.#openPeriod === undefined) return;
    this.#openPeriod.to = Math.max(at, this.#openPeriod.from);
    if (type !== undefined) this.#openPeriod.type = type;
    this.#openPeriod = undefined;
  }

  beginCommand(command: string, at: number): void {
    this.#commands.push({ command, at });
  }

  endCommand(command: string): void {
    const index = this.#commands.findIndex((one) => one.command === command);
    if (index >= 0) this.#commands.splice(index, 1);
  }

  /** What was in progress has no end of its own. */
  stopCommands(at: number): void {
    for (const { command, at: from } of this.#commands.splice(0)) {
      this.add({ type: "command", at, command, durationMs: Math.max(0, at - from) });
    }
  }

  forgetCommands(): void {
    this.#commands.length = 0;
  }

  /** Ends the period in progress of an attempt that did not come to its end. */
  interrupt(at: number): void {
    this.stopCommands(at);
    const from = this.#openPeriod?.from ?? at;
    this.stop(at, "cancelled");
    this.add({ type: "stopped", at, attempt: Math.max(1, this.attempts), durationMs: Math.max(0, at - from) });
  }

  get isOpen(): boolean {
    return this.#openPeriod !== undefined;
  }

  end(at: number, status: ReportedStatus): void {
    this.stopCommands(at);
    this.stop(at, status === "failed" ? "failed" : undefined);
    this.endedAt = at;
    this.status = status;
    this.#texts.clear();
  }

  add(part: ReportedPart): boolean {
    this.#texts.clear();
    return this.#keep(part);
  }

  #keep(part: ReportedPart): boolean {
    if (this.#parts.length >= MAX_PARTS) {
      this.#partsLeftOut++;
      return false;
    }
    this.#parts.push(part);
    return true;
  }

  addAgentEvent(event: AgentEvent, at: number): void {
    switch (event.type) {
      case "text-delta":
      case "thinking-delta":
        this.#addText(event, at);
        return;
      case "tool-start": {
        const { kind, toolName } = event;
        const about = shortened(describeCall(toolName, event.input));
        this.#addOpen(`${event.sessionId} ${event.toolId}`, {
          type: "tool",
          at,
          kind,
          toolName,
          about,
          status: "unfinished",
        });
        return;
      }
      case "tool-end":
        this.#close(`${event.sessionId} ${event.toolId}`, event, { at, text: event.output });
        return;
      case "subagent-start": {
        const { title, subagentType, task } = event;
        const about = {
          ...(subagentType === undefined ? {} : { subagentType }),
          ...(task === undefined ? {} : { task: shortened(task) }),
        };
        this.#addOpen(`${event.sessionId} ${event.subagentId}`, {
          type: "subagent",
          at,
          title,
          ...about,
          status: "unfinished",
        });
        return;
      }
      case "subagent-end":
        this.#close(`${event.sessionId} ${event.subagentId}`, event, { at, text: event.result });
        return;
      case "permission-denied":
        this.add({ type: "denied", at, title: event.denied.title, reason: event.denied.reason });
        return;
      case "usage":
        this.usage = addUsage(this.usage, event.usage);
        return;
      case "vendor":
        return;
      default: {
        const message = describeAgentEvent(event, at);
        if (message !== undefined) this.add({ type: "log", at, message: shortened(message) });
      }
    }
  }

  #addText(
    { type, sessionId, text }: Extract<AgentEvent, { type: "text-delta" | "thinking-delta" }>,
    at: number,
  ): void {
    const kind = type === "text-delta" ? "text" : "thinking";
    const before = this.#texts.get(sessionId);
    if (before?.type === kind) {
      before.text = shortened(before.text + text);
      return;
    }
    const part: Part<"text" | "thinking"> = { type: kind, at, text: shortened(text) };
    if (this.#keep(part)) this.#texts.set(sessionId, part);
  }

  #addOpen(key: string, part: Part<"tool"> | Part<"subagent">): void {
    if (this.add(part)) this.#open.set(key, part);
  }

  #close(
    key: string,
    { isError }: { readonly isError: boolean },
    { at, text }: { readonly at: number; readonly text: string | undefined },
  ): void {
    const part = this.#open.get(key);
    if (part === undefined) return;
    this.#open.delete(key);
    part.status = isError ? "failed" : "done";
    part.durationMs = Math.max(0, at - part.at);
    if (text === undefined || text === "") return;
    if (part.type === "tool") part.output = shortened(text);
    else part.result = shortened(text);
  }

  /** The visit as it is shown. */
  result(): ReportedVisit {
    const { taskId, nodeId, name, nodeType, status, attempts, startedAt, endedAt, durationMs, usage, error } = this;
    const agents = new Set([...this.#agents, ...Object.keys(this.usageByAgent)]);
    return {
      ...{ taskId, nodeId, name, status, attempts, usage },
      ...(nodeType === undefined ? {} : { nodeType }),
      ...(startedAt === undefined ? {} : { startedAt }),
      ...(endedAt === undefined ? {} : { endedAt }),
      ...(durationMs === undefined ? {} : { durationMs }),
      ...(error === undefined ? {} : { error }),
      usageByAgent: usagesOf(this.usageByAgent),
      agents: [...agents].toSorted(),
      periods: this.#periods,
      parts: this.#parts.filter((part) => !("text" in part) || part.text.trim() !== ""),
      partsLeftOut: this.#partsLeftOut,
    };
  }
}

/** Limits the memory that a text takes; the page shortens further. */
export function shortened(text: string): string {
  if (text.length <= MAX_TEXT_LENGTH) return text;
  const half = MAX_TEXT_LENGTH / 2;
  const cut = text.length - MAX_TEXT_LENGTH;
  return `${text.slice(0, half)}\n… ${cut} characters are left out here …\n${text.slice(-half)}`;
}
