import { expect, test } from "bun:test";
import { addUserMessage, EMPTY_CHAT, reduceChat } from "../chat/chat-model.ts";
import type { TodoItem } from "../commands/command.ts";
import { FakeChat, renderUi } from "../fixtures/render-ui.tsx";
import { UiStore } from "../ui/ui-store.ts";
import { App } from "./app.tsx";

const TODOS = [
  { content: "Read the cart", status: "completed", activeForm: "Reading the cart" },
  { content: "Repair the total", status: "in_progress", activeForm: "Repairing\u001b[2J the total" },
  ...Array.from({ length: 8 }, (_, index) => ({ content: `Step ${index + 3}`, status: "pending" })),
];

function chatWithTasks(todos: readonly unknown[]): FakeChat {
  return new FakeChat({ model: modelWithTasks(todos) });
}

function modelWithTasks(todos: readonly unknown[]) {
  const asked = addUserMessage(EMPTY_CHAT, { at: 1, text: "Fix it" });
  const call = { sessionId: "s", at: 2, toolId: "t", toolName: "TodoWrite", kind: "other", input: { todos } } as const;
  return reduceChat(asked, { type: "tool-start", ...call });
}

/** The title of the panel; the card of the agent's call has a sign before the same word. */
const TITLE = /^ {2}Tasks\b/m;

async function show(options: {
  readonly chat?: FakeChat;
  readonly board?: readonly TodoItem[];
  readonly width?: number;
}) {
  const { chat = new FakeChat(), board = [], width = 80 } = options;
  const ui = new UiStore();
  ui.toggleTasks();
  const shown = await renderUi(<App board={board} onSubmit={() => undefined} />, { chat, ui, width, height: 32 });
  const screen = await shown.until(TITLE);
  await shown.act(() => shown.services.ui.toggleTasks());
  const hidden = await shown.until((text) => !TITLE.test(text));
  shown.close();
  const lines = screen.split("\n");
  return { rows: lines.slice(lines.findIndex((line) => TITLE.test(line))), hidden };
}

test("the agent's tasks are between the conversation and the input, those in progress always visible", async () => {
  const { rows, hidden } = await show({ chat: chatWithTasks(TODOS) });
  expect(rows.slice(0, 9)).toEqual([
    "  Tasks  ✓ 1  ● 1  ○ 8                                                … 3 more",
    "  ✓ 1  Read the cart",
    "  ● 2  Repairing the total",
    ...["  ○ 3  Step 3", "  ○ 4  Step 4", "  ○ 5  Step 5", "  ○ 6  Step 6", "  ○ 7  Step 7"],
    ` ╭${"─".repeat(76)}╮`,
  ]);
  expect(hidden).toContain("> Fix it");
});

test("the tasks of a command are shown at 40 columns, with what they wait for", async () => {
  const board = [
    { id: "1", content: "Plan the whole change of the cart's price", status: "in_progress" },
    { id: "2", content: "Work", status: "pending", blockedBy: ["1"] },
  ] as const;
  const { rows } = await show({ board, width: 40 });
  expect(rows.slice(0, 3)).toEqual([
    "  Tasks  ● 1  ○ 1",
    "  ● 1  Plan the whole change of the…",
    "  ○ 2  Work                    needs 1",
  ]);
});

test("without tasks the panel says so", async () => {
  expect((await show({})).rows.slice(0, 2)).toEqual(["  Tasks", "  There are no tasks yet."]);
});

test.each([
  { height: 12, isShown: false },
  { height: 32, isShown: true },
])("while a request is open at $height rows, the tasks are shown: $isShown", async ({ height, isShown }) => {
  const ui = new UiStore();
  ui.toggleTasks();
  const request = { id: "1", sessionId: "s", kind: "shell", toolName: "Bash", title: "Bash", paths: [] } as const;
  const ask = {
    type: "permission",
    id: "1",
    at: 0,
    answer: () => undefined,
    request: { ...request, command: "npm test", isOnce: true },
  } as const;
  const chat = new FakeChat({ model: modelWithTasks(TODOS), asks: [ask] });
  const shown = await renderUi(<App onSubmit={() => undefined} />, { chat, ui, height });
  const screen = await shown.until(/y {2}Yes, once/);
  expect(screen.includes("Tasks")).toBe(isShown);
  shown.close();
});
