import type { AgentEvent, RunEvent } from "../../contracts/index.ts";
import { callOf, linesOf, type ProgressModel, safeLine } from "../../view/index.ts";
import { type Colors, LABEL_COLUMNS, nodeTitle } from "./progress-lines.ts";

/** Longer lines are printed in parts as they arrive. In characters. */
const MAX_PENDING = 2_000;

/** The widest tool call, in columns. */
const CALL_COLUMNS = 160;

/**
 * What agents say and do, as permanent lines, for outputs that are not redrawn: text when a line of it is complete, and one
 * line for each tool call. If nodes run in parallel, each line starts with its node's name.
 */
export class AgentLines {
  readonly #colors: Colors;
  /** Text whose line has not ended yet, by task. */
  readonly #pending = new Map<string, { readonly text: string; readonly label: string }>();
  /** The names of the nodes that have run in parallel with others. */
  readonly #labels = new Map<string, string>();
  /** Calls in progress, by task and tool id. */
  readonly #calls = new Map<string, string>();

  constructor(colors: Colors) {
    this.#colors = colors;
  }

  /** The lines to print before the event's own lines. `model` is the progress before the event. */
  take(event: RunEvent, model: ProgressModel): readonly string[] {
    if (!("taskId" in event)) return event.type === "run-end" ? this.flush() : [];
    const { taskId } = event;
    const label = this.#labelOf(model, taskId);
    switch (event.type) {
      case "agent":
        return this.#takeAgentEvent(taskId, event.event, label);
      // These come between the words of a sentence.
      case "usage":
      case "tasks":
      case "context-window":
        return [];
      case "node-end":
      case "node-error":
      case "node-dropped":
        this.#labels.delete(taskId);
        return this.#flushTask(taskId);
      default:
        return this.#flushTask(taskId);
    }
  }

  #takeAgentEvent(taskId: string, event: AgentEvent, label: string): readonly string[] {
    const callKey = (toolId: string): string => JSON.stringify([taskId, toolId]);
    switch (event.type) {
      case "text-delta":
        return this.#takeText(taskId, event.text, label);
      case "tool-start": {
        const call = safeLine(callOf(event), CALL_COLUMNS);
        this.#calls.set(callKey(event.toolId), call);
        return [...this.#flushTask(taskId), `  ${this.#colors.dim(`${label}● ${call}`)}`];
      }
      case "tool-end": {
        const call = this.#calls.get(callKey(event.toolId)) ?? safeLine(event.toolName, CALL_COLUMNS);
        this.#calls.delete(callKey(event.toolId));
        if (!event.isError) return [];
        return [...this.#flushTask(taskId), `  ${this.#colors.dim(label)}${this.#colors.red(`✗ ${call}`)}`];
      }
      case "turn-end":
      case "permission-denied":
      case "waiting":
      case "stalled":
      case "compacted":
      case "text-restart":
      case "error":
        return this.#flushTask(taskId);
      default:
        return []; // these come between the words of a sentence
    }
  }

  /** Text without a final line break. */
  flush(): readonly string[] {
    return [...this.#pending.keys()].flatMap((taskId) => this.#flushTask(taskId));
  }

  /** Empty while a node has run alone. */
  #labelOf(model: ProgressModel, taskId: string): string {
    const { active } = model;
    const known = this.#labels.get(taskId);
    if (known !== undefined || active.size <= 1) return known ?? "";
    for (const [id, node] of active) this.#labels.set(id, `${safeLine(nodeTitle(node, id), LABEL_COLUMNS)} `);
    return this.#labels.get(taskId) ?? "";
  }

  #takeText(taskId: string, more: string, label: string): readonly string[] {
    const text = (this.#pending.get(taskId)?.text ?? "") + more;
    const end = endOfComplete(text);
    this.#pending.set(taskId, { text: text.slice(end), label });
    return this.#format(text.slice(0, end), label);
  }

  #flushTask(taskId: string): readonly string[] {
    const pending = this.#pending.get(taskId);
    this.#pending.delete(taskId);
    return pending === undefined ? [] : this.#format(pending.text, pending.label);
  }

  #format(text: string, label: string): readonly string[] {
    return linesOf(text).map((line) => `  ${this.#colors.dim(`${label}│`)} ${line}`);
  }
}

/** The end of the complete lines. A line that is too long ends after a word. */
function endOfComplete(text: string): number {
  const end = text.lastIndexOf("\n") + 1;
  if (text.length - end <= MAX_PENDING) return end;
  const space = text.lastIndexOf(" ") + 1;
  return space > end ? space : text.length;
}
