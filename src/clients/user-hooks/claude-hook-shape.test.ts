import { expect, test } from "bun:test";
import type { ClaudeHookEvent } from "../../contracts/index.ts";
import type { HookFact } from "../hooks/hook-context.ts";
import { readClaudeRun, toClaudeEvent } from "./claude-hook-shape.ts";

const place = { sessionId: "s", workingDirectory: "/p", permissionMode: "plan", now: 1, isContinued: true } as const;
const request = {
  id: "1",
  sessionId: "s",
  kind: "shell",
  toolName: "bash",
  title: "Run",
  paths: [],
  command: "ls",
} as const;
const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

const FACTS: readonly { readonly fact: HookFact; readonly name: ClaudeHookEvent; readonly fields: object }[] = [
  {
    fact: { event: "session.start", data: { origin: "fork", forkedFrom: "r" } },
    name: "SessionStart",
    fields: { source: "fork" },
  },
  { fact: { event: "session.end", data: { reason: "destroy" } }, name: "SessionEnd", fields: { reason: "other" } },
  {
    fact: { event: "session.error", data: { code: "C", message: "m" } },
    name: "StopFailure",
    fields: { error: "C", error_details: "m" },
  },
  {
    fact: {
      event: "tool.error",
      data: { toolId: "1", toolName: "write", kind: "edit", input: { filePath: "a", content: "" }, output: "no" },
    },
    name: "PostToolUseFailure",
    fields: { tool_name: "Write", tool_input: { file_path: "a", content: "" }, tool_use_id: "1", error: "no" },
  },
  {
    fact: { event: "message.after", data: { outcome: "completed", content: "Done.", usage, toolUses: 0 } },
    name: "Stop",
    fields: { stop_hook_active: true, last_assistant_message: "Done." },
  },
  {
    fact: { event: "permission.request", data: { request } },
    name: "PermissionRequest",
    fields: { tool_name: "Bash", tool_input: { command: "ls" }, permission_suggestions: [] },
  },
  {
    fact: { event: "notification", data: { kind: "permission", message: "Look" } },
    name: "Notification",
    fields: { message: "Look", notification_type: "permission_prompt" },
  },
  {
    fact: { event: "subagent.start", data: { subagentId: "a", title: "t", subagentType: "Explore" } },
    name: "SubagentStart",
    fields: { agent_id: "a", agent_type: "Explore" },
  },
  {
    fact: { event: "subagent.end", data: { subagentId: "a", isError: false, result: "r" } },
    name: "SubagentStop",
    fields: {
      stop_hook_active: false,
      agent_id: "a",
      agent_type: "",
      agent_transcript_path: "",
      last_assistant_message: "r",
    },
  },
  {
    fact: { event: "compact.before", data: { trigger: "manual" } },
    name: "PreCompact",
    fields: { trigger: "manual", custom_instructions: null },
  },
  {
    fact: { event: "compact.after", data: { trigger: "auto" } },
    name: "PostCompact",
    fields: { trigger: "auto", compact_summary: "" },
  },
];

test.each(FACTS)("$fact.event is $name", ({ fact, name, fields }) => {
  const event = toClaudeEvent({ ...place, fact });
  const common = { session_id: "s", transcript_path: "", cwd: "/p", permission_mode: "plan", hook_event_name: name };
  expect([event?.name, event?.input]).toEqual([name, { ...common, ...fields }]);
});

test("the end of a turn is no end of the session, and an aborted turn does not stop by itself", () => {
  const aborted: HookFact = { event: "message.after", data: { outcome: "aborted", content: "", usage, toolUses: 0 } };
  const idle: HookFact = { event: "session.end", data: { reason: "idle" } };
  expect([aborted, idle].map((fact) => toClaudeEvent({ ...place, fact }))).toEqual([undefined, undefined]);
});

const json = (value: object): string => JSON.stringify(value);

test.each<{ name: ClaudeHookEvent; exitCode?: number; stdout?: string; stderr?: string; effect: object }>([
  { name: "PreToolUse", effect: {} },
  { name: "PreToolUse", exitCode: 2, effect: { block: "No reason was named." } },
  { name: "PreToolUse", exitCode: 1, stderr: "a\nb", effect: { problem: "ended with exit code 1: a" } },
  { name: "PreToolUse", stdout: "{broken", effect: { problem: "printed an object that is no JSON, which is ignored" } },
  {
    name: "PreToolUse",
    stdout: json({ hookSpecificOutput: { permissionDecision: "allow", additionalContext: "c" } }),
    effect: { context: "c" },
  },
  {
    name: "PreToolUse",
    stdout: json({ hookSpecificOutput: { permissionDecision: "ask", updatedInput: { command: "x" } } }),
    effect: { ask: "No reason was named.", input: { command: "x" } },
  },
  { name: "PostToolUse", exitCode: 2, stderr: "why", effect: { feedback: "why" } },
  { name: "PostToolUse", stdout: json({ decision: "block", reason: "why" }), effect: { feedback: "why" } },
  {
    name: "SessionEnd",
    exitCode: 2,
    stderr: "why",
    effect: { problem: "ended with exit code 2, which has no effect for SessionEnd: why" },
  },
  { name: "SessionStart", stdout: "Hello.\n", effect: { context: "Hello." } },
  { name: "Stop", stdout: "Hello.", effect: {} },
  { name: "Stop", stdout: json({ decision: "block", reason: "more" }), effect: { block: "more" } },
  { name: "UserPromptSubmit", stdout: json({ decision: "block", reason: "no" }), effect: { block: "no" } },
  {
    name: "UserPromptSubmit",
    stdout: json({ hookSpecificOutput: { additionalContext: "c" } }),
    effect: { context: "c" },
  },
  {
    name: "Notification",
    stdout: json({ continue: false, systemMessage: "s" }),
    effect: { stop: "A hook stopped the turn.", notice: "s" },
  },
])("the end of a hook for $name means $effect", ({ name, exitCode = 0, stdout = "", stderr = "", effect }) => {
  expect<object>(readClaudeRun(name, { type: "exited", exitCode, stdout, stderr })).toEqual(effect);
});
