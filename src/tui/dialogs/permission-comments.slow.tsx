import { expect, test } from "bun:test";
import { useState } from "react";
import type { PermissionDecision, PermissionRequest } from "../../contracts/index.ts";
import type { OpenAsk } from "../chat/chat-state.ts";
import { FakeChat, type RenderUiOptions, renderUi } from "../fixtures/render-ui.tsx";
import { memoryOf } from "../transcript/transcript-memory.ts";
import { AskDialog } from "./ask-dialog.tsx";

const EDIT: PermissionRequest = {
  ...{ id: "1", sessionId: "s", kind: "edit", toolName: "Edit", title: "Edit: cart.ts", paths: ["/work/cart.ts"] },
  details: {
    type: "edit",
    changes: [
      {
        ...{ path: "/work/cart.ts", oldText: "  let sum = 0;", newText: "  let sum = 1;" },
        place: { line: 40, before: "function total() {\n", after: "\n}" },
      },
    ],
  },
};

const COMMAND: PermissionRequest = {
  ...{ id: "1", sessionId: "s", kind: "shell", toolName: "Bash", title: "Bash: ls", paths: [] },
};

interface Gate {
  vanish: () => void;
}

/** The dialog, until the test removes it. */
function Vanishing({ ask, gate }: { readonly ask: OpenAsk; readonly gate: Gate }) {
  const [isOpen, setIsOpen] = useState(true);
  gate.vanish = () => setIsOpen(false);
  return isOpen ? <AskDialog ask={ask} otherCount={0} /> : undefined;
}

async function open(request: PermissionRequest = EDIT, options: RenderUiOptions = {}) {
  const decisions: PermissionDecision[] = [];
  const clock = { now: 1_000 };
  const chat = new FakeChat({ agentType: "claude" });
  const ask = {
    ...({ type: "permission", id: "1", at: 0, request } as const),
    answer: (it: PermissionDecision) => decisions.push(it),
  } as const;
  const gate: Gate = { vanish: () => undefined };
  const ui = await renderUi(<Vanishing ask={ask} gate={gate} />, {
    chat,
    now: () => clock.now,
    height: 40,
    ...options,
  });
  await ui.draw();
  clock.now += 300;
  const press = async (key: string): Promise<string> => {
    await ui.act(() => ui.mockInput.pressKey(key));
    clock.now += 400;
    return await ui.draw();
  };
  const enter = async (): Promise<string> => {
    await ui.act(() => ui.mockInput.pressEnter());
    return await ui.draw();
  };
  const write = async (text: string): Promise<string> => {
    await ui.type(text);
    clock.now += 400;
    return await ui.draw();
  };
  /** Presses `c` and waits for the cursor: a letter acts after a moment. */
  const comment = async (): Promise<void> => {
    await press("c");
    await ui.until(/enter writes/);
  };
  const leave = async (): Promise<string> => {
    await ui.act(() => ui.mockInput.pressEscape());
    return await ui.draw();
  };
  return {
    ...ui,
    vanish: () => ui.act(() => gate.vanish()),
    chat,
    decisions,
    press,
    enter,
    write,
    comment,
    leave,
    clock,
  };
}

const DOWN = "\u001b[B";
const COMMENT = "A comment on your change:\n\n/work/cart.ts:41\n> let sum = 0;\nKeep 0.";

test("a comment is written on a line of the diff, and is marked", async () => {
  const ui = await open();
  expect(await ui.draw()).toContain("│ c comments on a line ");
  await ui.comment();
  expect((await ui.press(DOWN)).split("\n").slice(1, 10)).toEqual([
    " │ File: /work/cart.ts                                                        │",
    " │ Change (- old, + new):                                                     │",
    " │     40 function total() {                                                  │",
    " │ › - 41   let sum = 0;                                                      │",
    " │   + 41   let sum = 1;                                                      │",
    " │     42 }                                                                   │",
    " │ a and p allow any change of /work/cart.ts with Edit, with any content.     │",
    " │ up and down choose a line, enter writes                                    │",
    " │ › n  No, and say why                                                       │",
  ]);
  await ui.enter();
  expect(await ui.write("Keep 0.")).toContain("│ Comment on line 41: Keep 0. ");
  expect(await ui.enter()).toContain("│ Keep 0. ");
  await ui.press(DOWN);
  const left = await ui.leave();
  expect(left).toContain("│ • - 41   let sum = 0;");
  expect(left).toContain("1 comment goes with the answer · esc = no ─╯");
  ui.close();
});

test("a no has the comments in its reason", async () => {
  const ui = await open();
  await ui.comment();
  await ui.press(DOWN);
  await ui.enter();
  await ui.write("Keep 0.");
  await ui.enter();
  await ui.leave();
  await ui.enter();
  await ui.write("wrong start");
  await ui.enter();
  expect(ui.decisions).toEqual([
    {
      ...{ type: "deny", answered: "in the terminal UI" },
      reason: `The user said no: wrong start\n\n${COMMENT.replace("41\n", "41 (removed line)\n")}`,
    },
  ]);
  expect(ui.chat.calls).toEqual([]);
  ui.close();
});

test("after a yes the comments are a message", async () => {
  const ui = await open();
  await ui.comment();
  await ui.press(DOWN);
  await ui.press(DOWN);
  await ui.press("c");
  await ui.write("Why 1?");
  await ui.enter();
  await ui.leave();
  ui.clock.now += 400;
  await ui.press("y");
  await ui.until(() => ui.decisions.length > 0);
  expect(ui.decisions).toEqual([{ type: "allow", scope: "once", answered: "in the terminal UI" }]);
  const text = "A comment on your change:\n\n/work/cart.ts:41\n> let sum = 1;\nWhy 1?";
  expect(ui.chat.calls).toEqual([["send", text, [], [expect.objectContaining({ text: "Why 1?" })]]]);
  ui.close();
});

test("keys that write or choose a line are no answer", async () => {
  const ui = await open();
  await ui.comment();
  await ui.press("y");
  await ui.press("a");
  await ui.enter();
  await ui.write("y a p n");
  await ui.leave();
  expect(await ui.leave()).toContain("esc = no");
  expect(ui.decisions).toEqual([]);
  await ui.leave();
  expect(ui.decisions.map(({ type }) => type)).toEqual(["deny"]);
  ui.close();
});

test("comments on a request that vanishes are in the transcript", async () => {
  const ui = await open();
  await ui.comment();
  await ui.press(DOWN);
  await ui.enter();
  await ui.write("Keep 0.");
  await ui.vanish();
  expect(
    memoryOf(ui.services.chat)
      .comments.snapshot()
      .comments.map(({ line, text }) => [line, text]),
  ).toEqual([
    [{ path: "/work/cart.ts", number: 41, text: "  let sum = 0;", isRemoved: true, occurrence: 0 }, "Keep 0."],
  ]);
  ui.close();
});

test("comments on an open request are kept with the conversation, as unsent until the agent has their message", async () => {
  const ui = await open();
  const { comments } = ui.services.chat;
  await ui.comment();
  await ui.press(DOWN);
  await ui.enter();
  await ui.write("Keep 0.");
  await ui.enter();
  const texts = () => {
    const { unsent, sent } = comments.kept();
    return { unsent: unsent.map(({ text }) => text), sent: sent.map(({ text }) => text) };
  };
  expect(texts()).toEqual({ unsent: ["Keep 0."], sent: [] });
  expect(comments.snapshot().comments).toEqual([]);
  await ui.leave();
  ui.clock.now += 400;
  await ui.press("y");
  await ui.until(() => ui.decisions.length > 0);
  await ui.vanish();
  expect(texts()).toEqual({ unsent: ["Keep 0."], sent: [] });
  expect(comments.snapshot()).toMatchObject({ comments: [], sending: [{ text: "Keep 0." }] });
  comments.markSent(comments.snapshot().sending);
  expect(texts()).toEqual({ unsent: [], sent: ["Keep 0."] });
  ui.close();
});

test("equal lines without numbers have a comment each", async () => {
  const changes = [{ path: "/work/cart.ts", oldText: "", newText: "a();\nend\nb();\nend" }];
  const ui = await open({ ...EDIT, details: { type: "edit", changes } });
  await ui.comment();
  await ui.press(DOWN);
  await ui.enter();
  await ui.write("First.");
  await ui.enter();
  await ui.press(DOWN);
  const second = await ui.press(DOWN);
  expect(second).toContain("enter writes");
  await ui.enter();
  await ui.write("Second.");
  await ui.enter();
  const left = await ui.leave();
  expect(left.split("\n").filter((row) => row.includes("•"))).toHaveLength(2);
  expect(left).toContain("2 comments go with the answer");
  ui.close();
});

test("a command has no lines to comment on: c is a letter without a meaning", async () => {
  const ui = await open({ ...COMMAND, command: "ls" });
  const before = await ui.draw();
  expect(before).not.toContain("comment");
  expect(await ui.press("c")).toBe(before);
  ui.close();
});

test("a low screen scrolls with the cursor, and is read by that", async () => {
  const ui = await open(EDIT, { height: 18 });
  expect(await ui.draw()).toContain("then yes, c comments on a line");
  await ui.comment();
  for (let step = 0; step < 9; step++) await ui.press(DOWN);
  expect(await ui.draw()).toContain("│ ›   42 }");
  ui.close();
});

test("while a comment is written, another size of the window changes neither it, its line nor the cursor", async () => {
  const changed = Array.from({ length: 9 }, (_, index) => `  const a${index} = "a long line of the file";`).join("\n");
  const change = { path: "/work/cart.ts", oldText: "  let sum = 0;", newText: changed };
  const request: PermissionRequest = { ...EDIT, details: { type: "edit", changes: [change] } };
  const ui = await open(request, { height: 22 });
  await ui.comment();
  for (let moved = 0; moved < 7; moved++) await ui.press(DOWN);
  await ui.enter();
  await ui.write("this comment has more columns than a window of forty: why?");
  for (let moved = 0; moved < 4; moved++) await ui.act(() => ui.mockInput.pressArrow("left"));
  const caret = () => {
    const { x, y } = ui.renderer.getCursorState();
    return { x, y };
  };
  for (const [width, height] of [
    [40, 22],
    [40, 9],
    [80, 12],
    [80, 22],
  ] as const) {
    await ui.act(() => ui.resize(width, height));
    await ui.draw();
    const rows = (await ui.draw()).split("\n");
    const row = rows.findIndex((text) => text.includes("Comment"));
    const line = rows.find((text) => /│ › .*const/.test(text));
    expect([width, height, line]).toEqual([width, height, expect.stringContaining("const a6")]);
    // Columns and rows of the terminal start with 1.
    expect(caret().y).toBe(row + 1);
    expect(rows[row]?.slice(0, caret().x - 1)).toEndWith("forty: ");
    expect(rows[row]?.slice(caret().x - 1)).toStartWith("why?");
  }
  await ui.write("so ");
  await ui.enter();
  await ui.leave();
  await ui.leave();
  expect(JSON.stringify(ui.decisions)).toContain("this comment has more columns than a window of forty: so why?");
  ui.close();
});
