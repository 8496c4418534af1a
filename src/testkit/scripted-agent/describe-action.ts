import { relative, resolve } from "node:path";
import { recordOf, type ToolKind, type ToolName } from "../../contracts/index.ts";
import type { ScriptedAction } from "./scripted-turn.ts";

/** An action that is a tool call: all but waiting and what is only reported. */
export type ToolAction = Exclude<ScriptedAction, { type: "wait" | "report-call" | "report-denial" }>;

/** An action as a model and a policy see it. */
export interface ActionDescription {
  readonly toolName: string;
  /** Its name in `allowedTools`. Absent for a tool of Atomic, which is always allowed. */
  readonly standardNames?: readonly ToolName[];
  readonly kind: ToolKind;
  readonly input: unknown;
  readonly title: string;
  readonly paths: readonly string[];
  readonly command?: string;
}

/** Describes an action. Pure. */
export function describeAction(action: ToolAction, workingDirectory: string): ActionDescription {
  const shownPath = (path: string): string => relative(workingDirectory, resolve(workingDirectory, path));
  switch (action.type) {
    case "edit-file": {
      const { path, content } = action;
      const names = { toolName: "edit_file", standardNames: ["write", "edit"] } as const;
      return { ...names, kind: "edit", input: { path, content }, title: `Write ${path}`, paths: [shownPath(path)] };
    }
    case "read-file": {
      const { path } = action;
      const names = { toolName: "read_file", standardNames: ["read"] } as const;
      return { ...names, kind: "read", input: { path }, title: `Read ${path}`, paths: [shownPath(path)] };
    }
    case "run-command": {
      const { command } = action;
      const names = { toolName: "run_command", standardNames: ["bash"] } as const;
      const title = `Run ${command.split("\n", 1)[0]}`;
      return { ...names, kind: "shell", input: { command }, title, paths: [], command };
    }
    case "call-tool":
      return { toolName: action.name, kind: "mcp", input: action.input, title: `Call ${action.name}`, paths: [] };
    case "ask-question": {
      const { type: _, ...input } = action;
      const names = { toolName: "ask_question", standardNames: ["question"] } as const;
      return { ...names, kind: "other", input, title: `Ask ${action.question}`, paths: [] };
    }
    case "run-subagent": {
      const { type: _, ...input } = action;
      const names = { toolName: "run_subagent", standardNames: ["task"] } as const;
      return { ...names, kind: "agent", input, title: `Delegate ${titleOfSubagent(action)}`, paths: [] };
    }
  }
}

/** How much of a prompt is used as a title, in characters. */
const TITLE_LENGTH = 60;

/** The title of a sub-agent. */
export function titleOfSubagent({ title, prompt }: Extract<ScriptedAction, { type: "run-subagent" }>): string {
  return title ?? Array.from(prompt.trim().replace(/\s+/g, " ")).slice(0, TITLE_LENGTH).join("");
}

/** The action with another input. Fields that the input lacks, or has in another type, do not change. Pure. */
export function withInput(action: ToolAction, input: unknown): ToolAction {
  if (action.type === "call-tool") return { ...action, input };
  const given = recordOf(input);
  const text = <K extends string>(key: K, old: string): string => (typeof given[key] === "string" ? given[key] : old);
  switch (action.type) {
    case "edit-file":
      return { ...action, path: text("path", action.path), content: text("content", action.content) };
    case "read-file":
      return { ...action, path: text("path", action.path) };
    case "run-command":
      return { ...action, command: text("command", action.command) };
    case "ask-question":
      return { ...action, question: text("question", action.question) };
    case "run-subagent":
      return { ...action, prompt: text("prompt", action.prompt) };
  }
}
