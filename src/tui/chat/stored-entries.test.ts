import { expect, test } from "bun:test";
import type { ChatEntry } from "./chat-entry.ts";
import { countOf, formatEntries, parseEntries } from "./stored-entries.ts";

const USAGE = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };

const WHOLE: readonly ChatEntry[] = [
  { type: "user", id: "e1", at: 1, text: "hi", attachments: ["@a"], isSteering: false },
  { type: "text", id: "e2", at: 2, text: "hello", isStreaming: false },
  { type: "notice", id: "e3", at: 3, tone: "info", text: "n", isMarkdown: false },
  { type: "turn-end", id: "e4", at: 4, outcome: "completed", durationMs: 3, usage: USAGE },
];

test("messages are the same after they were stored", () => {
  expect(parseEntries(formatEntries(WHOLE))).toEqual(WHOLE);
});

test("what was in progress has ended", () => {
  const tool = { type: "tool", id: "e1", at: 1, toolId: "t", toolName: "Bash", kind: "shell", input: {} } as const;
  const running: readonly ChatEntry[] = [
    { ...tool, status: "running", output: "x" },
    { type: "text", id: "e2", at: 2, text: "hel", isStreaming: true },
    { type: "thinking", id: "e3", at: 3, text: "hm" },
    { type: "shell", id: "e4", at: 4, command: "ls", output: "" },
  ];
  expect<unknown>(parseEntries(formatEntries(running))).toEqual([
    { ...tool, status: "failed", output: "x", endedAt: 1 },
    { type: "text", id: "e2", at: 2, text: "hel", isStreaming: false },
    { type: "thinking", id: "e3", at: 3, text: "hm", endedAt: 3 },
    { type: "shell", id: "e4", at: 4, command: "ls", output: "", ending: "stopped" },
  ]);
});

const TOOL = {
  type: "tool",
  id: "e1",
  at: 1,
  toolId: "t",
  toolName: "Bash",
  kind: "shell",
  status: "done",
  output: "",
};
const REQUEST = { id: "p", sessionId: "s", kind: "edit", toolName: "Edit", title: "edit", paths: [] };

test.each([
  { title: "an attachment that is no text", entry: { ...WHOLE[0], attachments: [null] } },
  { title: "an unknown kind", entry: { ...TOOL, kind: "zz" } },
  { title: "an unknown status", entry: { ...TOOL, status: "zz" } },
  { title: "a request that is a number", entry: { ...TOOL, request: 5 } },
  { title: "an edit without changes", entry: { ...TOOL, request: { ...REQUEST, details: { type: "edit" } } } },
  {
    title: "details of a type that objects have",
    entry: { ...TOOL, request: { ...REQUEST, details: { type: "constructor" } } },
  },
  { title: "a reason that is a number", entry: { ...TOOL, status: "denied", reason: 5 } },
  { title: "an unknown outcome", entry: { ...WHOLE[3], outcome: "constructor" } },
  { title: "a duration that is no number", entry: { ...WHOLE[3], durationMs: null } },
  { title: "no id", entry: { ...WHOLE[1], id: 7 } },
])("an entry with $title is left out, and the others stay", ({ entry }) => {
  expect(parseEntries(JSON.stringify([WHOLE[1], entry]))).toEqual([WHOLE[1]] as ChatEntry[]);
});

test("a tool with its request is whole", () => {
  const details = { type: "edit", changes: [{ path: "a.ts", oldText: "a", newText: "b" }] };
  const entry = { ...TOOL, request: { ...REQUEST, details } };
  expect<unknown>(parseEntries(JSON.stringify([entry]))).toEqual([entry]);
});

test.each(["", "{", "null", '{"a":1}', '[1, null, "x"]', '[{"type":"user","at":1}]', '[{"type":"toString","at":1}]'])(
  "%s has no message",
  (text) => {
    expect(parseEntries(text)).toEqual([]);
  },
);

test("of two messages with one id, the later one has another id, and the next one none of theirs", () => {
  const entryOf = (id: string, text: string) =>
    ({ type: "user", id, at: 1, text, attachments: [], isSteering: false }) as const;
  const entries = parseEntries(formatEntries([entryOf("e4", "a"), entryOf("e5", "b"), entryOf("e5", "c")]));
  expect(entries.map(({ id }) => id)).toEqual(["e4", "e5", "e6"]);
  expect(countOf(entries)).toBe(6);
});
