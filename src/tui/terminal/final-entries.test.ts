import { describe, expect, test } from "bun:test";
import { NO_USAGE } from "../../contracts/index.ts";
import type { ChatEntry, SubagentEntry, TextEntry, ToolEntry } from "../chat/chat-entry.ts";
import { finishedPlace, splitEntries } from "./final-entries.ts";

const USER: ChatEntry = { type: "user", id: "e1", at: 0, text: "Fix it", attachments: [], isSteering: false };
const TOOL: ToolEntry = {
  ...{ type: "tool", id: "e2", at: 0, toolId: "t1", toolName: "Read", kind: "read", input: {}, output: "" },
  status: "done",
};
const TEXT: TextEntry = { type: "text", id: "e3", at: 0, text: "Found it.", isStreaming: false };
const AGENT: SubagentEntry = { type: "subagent", id: "e4", at: 0, subagentId: "s1", title: "Look", status: "done" };

describe("splitEntries", () => {
  test("takes everything that has ended as final", () => {
    const end: ChatEntry = { type: "turn-end", id: "e5", at: 0, outcome: "completed", durationMs: 1, usage: NO_USAGE };
    const notice: ChatEntry = { type: "notice", id: "e6", at: 0, tone: "info", text: "Stored.", isMarkdown: false };
    const thought: ChatEntry = { type: "thinking", id: "e7", at: 0, text: "hm", endedAt: 1 };
    const shell: ChatEntry = { type: "shell", id: "e8", at: 0, command: "ls", output: "", exitCode: 0 };
    const denied: ChatEntry = { type: "shell", id: "e9", at: 0, command: "rm x", output: "", ending: "not-run" };
    const entries = [USER, TOOL, TEXT, AGENT, end, notice, thought, shell, denied];
    expect(splitEntries(entries, finishedPlace)).toEqual({ final: entries, live: [] });
  });

  test.each([
    { what: "text that streams", entry: { ...TEXT, id: "x", isStreaming: true } },
    { what: "a running tool", entry: { ...TOOL, id: "x", status: "running" } },
    { what: "a running sub-agent", entry: { ...AGENT, id: "x", status: "running" } },
    { what: "a thought in progress", entry: { type: "thinking", id: "x", at: 0, text: "hm" } },
    { what: "a command in progress", entry: { type: "shell", id: "x", at: 0, command: "ls", output: "" } },
  ] as const)("keeps $what and everything after it", ({ entry }) => {
    // The spread keeps the type of the entry.
    const inProgress = entry as ChatEntry;
    expect(splitEntries([USER, inProgress, TEXT], finishedPlace)).toEqual({
      final: [USER],
      live: [inProgress, TEXT],
    });
  });

  test("takes the start of an answer that streams as final", () => {
    const answer = { ...TEXT, text: "One.\n\nTwo.", isStreaming: true };
    expect(splitEntries([USER, answer, TOOL], () => 5)).toEqual({
      final: [USER, { ...answer, text: "One.\n" }],
      live: [{ ...answer, text: "\nTwo." }, TOOL],
    });
  });
});

test.each([
  { what: "a line without an end", text: "One." },
  { what: "a line that nothing follows yet", text: "One.\n\n" },
  { what: "lines before another one", text: "One.\nTwo. \n\n\nThree", finished: "One.\nTwo. \n" },
  { what: "a table that can have more rows", text: "One.\n\n| a |\n| - |\n| 1 |\n", finished: "One.\n" },
  { what: "a table before a line", text: "| a |\n| - |\n| 1 |\n\nOne.", finished: "| a |\n| - |\n| 1 |\n" },
  { what: "a code block without its end", text: "One.\n```\ncode\n\nmore\n", finished: "One.\n" },
  { what: "only empty lines", text: "\n\n\n" },
])("finishedPlace() of $what", ({ text, finished = "" }) => {
  expect(text.slice(0, finishedPlace({ ...TEXT, text }))).toBe(finished);
});
