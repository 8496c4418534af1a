import { expect, test } from "bun:test";
import type { AgentEvent } from "../../contracts/index.ts";
import type { ToolEntry } from "../chat/chat-entry.ts";
import { EMPTY_CHAT, reduceChat } from "../chat/chat-model.ts";
import { PlainLines } from "../terminal/plain-lines.ts";
import { ASCII_GLYPHS, UNICODE_GLYPHS } from "../theme/glyphs.ts";
import { type EntryLayout, entryToLines } from "./entry-to-lines.ts";
import { AT } from "./fixtures/entries.ts";
import { formatEntry } from "./format-transcript.ts";

function tool(toolName: string, input: unknown, changes: Partial<ToolEntry> = {}): ToolEntry {
  return {
    ...{ type: "tool", id: toolName, at: AT, toolId: toolName, toolName, kind: "other", input, output: "" },
    ...{ status: "done", endedAt: AT + 100 },
    ...changes,
  };
}

const TASKS = tool("TodoWrite", {
  todos: [
    { content: "Read the cart", status: "completed", activeForm: "Reading the cart" },
    { content: "Repair the total", status: "in_progress", activeForm: "Repairing the total of several items" },
    { content: "Add\na\u001b[31m test", status: "pending", activeForm: "Adding a test" },
    { content: "Ask", status: "cancelled", activeForm: "Asking" },
  ],
});

const QUESTIONS = tool(
  "AskUserQuestion",
  {
    questions: [
      {
        ...{ question: "Which colour?", header: "Colour", multiSelect: true },
        options: [{ label: "Red", description: "Like fire" }, { label: "Blue" }],
      },
      { question: "Why?", header: "Reason", options: [{ label: "Taste" }] },
    ],
  },
  { output: 'User has answered your questions: "Which colour?"="Blue", "Why?"="It calms.". You can now continue.' },
);

function shown(entry: ToolEntry, layout: Partial<EntryLayout> = {}): readonly string[] {
  return entryToLines(entry, { columns: 50, glyphs: UNICODE_GLYPHS, ...layout }).map((line) => line.text.trimEnd());
}

function plain(...states: readonly ToolEntry[]): readonly (readonly string[])[] {
  const lines = new PlainLines({ hasUserLines: true });
  return states.map((entry) => lines.next({ entries: [entry], conversation: 0 }, "claude"));
}

test("a list of tasks is a card with boxes", () => {
  expect(shown(TASKS)).toEqual([
    "▾ Tasks Repairing the total …  1 of 3 done    0.1s",
    "    ☑ Read the cart",
    "    ◐ Repairing the total of several items",
    "    ☐ Add a test",
    "    ☒ Ask",
  ]);
  expect(shown(TASKS, { columns: 30, glyphs: ASCII_GLYPHS }).slice(1)).toEqual([
    "    [x] Read the cart",
    "    [*] Repairing the total of",
    "        several items",
    "    [ ] Add a test",
    "    [-] Ask",
  ]);
});

test("a long list of tasks is one line until it is opened", () => {
  const todos = Array.from({ length: 11 }, (_, index) => ({ content: `Task ${index}`, status: "pending" }));
  expect(shown(tool("todowrite", { todos }))).toEqual(["▸ Tasks Task 0                0 of 11 done    0.1s"]);
  expect(shown(tool("todowrite", { todos }), { isOpen: true, clip: { maxLines: 2, maxCharacters: 100 } })).toEqual([
    "▾ Tasks Task 0                0 of 11 done    0.1s",
    "    ☐ Task 0",
    "    ☐ Task 1",
    "    … 9 lines more",
  ]);
});

test("questions are a card with the options and the answers", () => {
  expect(shown(QUESTIONS)).toEqual([
    "▾ Question Which colour? and 1 more           0.1s",
    "    ? Which colour?",
    "    ○ Red: Like fire",
    "    ● Blue",
    "",
    "    ? Why?",
    "    ○ Taste",
    "    › It calms.",
  ]);
});

test("a question that waits is one line, since its form is on the screen", () => {
  const { endedAt: _end, ...waiting } = QUESTIONS;
  expect(shown({ ...waiting, status: "running", output: "" }, { now: AT })).toEqual([
    "● Question Which colour? and 1 more           0.0s",
  ]);
});

test("a declined question says why", () => {
  expect(shown({ ...QUESTIONS, status: "denied", output: "", reason: "Not now." }).slice(-2)).toEqual([
    "    ○ Taste",
    "    Not now.",
  ]);
});

test("a list in a form that is not known is a card like any other", () => {
  expect(shown(tool("TodoWrite", { todos: [{ content: 5 }] }))).toEqual([
    '▸ TodoWrite {"todos":[{"content":5}]}         0.1s',
  ]);
});

test("a call that changes one task is one line", () => {
  expect([
    ...shown(tool("TaskCreate", { subject: "Read the cart", description: "All of it" })),
    ...shown(tool("TaskUpdate", { taskId: "1", status: "completed" })),
  ]).toEqual([
    "▸ Task Read the cart (pending)                0.1s",
    "▸ Task #1 (done)                              0.1s",
  ]);
});

test("an export has lists as Markdown", () => {
  expect(formatEntry(TASKS)).toBe(`**Tasks** \`Repairing the total of several items\` 1 of 3 done

- [x] Read the cart
- [ ] Repairing the total of several items (in progress)
- [ ] Add a test
- [ ] Ask (cancelled)`);
  expect(formatEntry(QUESTIONS)).toBe(`**Question** \`Which colour? and 1 more\`

> Which colour?

- Red: Like fire
- Blue

Answer: Blue

> Why?

- Taste

Answer: It calms.`);
});

test("plain lines have lists in words, once they are whole", () => {
  expect(plain({ ...TASKS, status: "running" }, TASKS, TASKS)).toEqual([
    [],
    [
      "tasks: 1 of 3 done",
      "  done: Read the cart",
      "  in progress: Repairing the total of several items",
      "  pending: Add a test",
      "  cancelled: Ask",
    ],
    [],
  ]);
  expect(plain(QUESTIONS)).toEqual([
    [
      ...["question: Which colour?", "  option: Red: Like fire", "  option: Blue", "  answer: Blue"],
      ...["question: Why?", "  option: Taste", "  answer: It calms."],
    ],
  ]);
});

test("the plan of an agent over ACP is a list of tasks, once for each change", () => {
  const plan = (status: string, at: number): AgentEvent => ({
    type: "vendor",
    sessionId: "s",
    name: "plan",
    at,
    data: { entries: [{ content: "Look", status }] },
  });
  const damaged: AgentEvent = { type: "vendor", sessionId: "s", name: "plan", at: AT, data: { entries: "x" } };
  const events = [plan("pending", AT), plan("pending", AT), damaged, plan("completed", AT)];
  const { entries } = events.reduce(reduceChat, EMPTY_CHAT);
  expect(entries.map((entry) => (entry.type === "tool" ? shown(entry) : []))).toEqual([
    ["▾ Tasks Look                   0 of 1 done    0.0s", "    ☐ Look"],
    ["▾ Tasks all done               1 of 1 done    0.0s", "    ☑ Look"],
  ]);
});
