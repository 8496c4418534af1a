import { expect, test } from "bun:test";
import { type ReactNode, useState } from "react";
import type { PermissionDecision, PermissionRequest } from "../../contracts/index.ts";
import { FakeChat, type RenderUiOptions, renderUi } from "../fixtures/render-ui.tsx";
import { AskDialog } from "./ask-dialog.tsx";
import { type AskPlace, FIRST_ASK } from "./ask-row.ts";

const SHELL: PermissionRequest = {
  ...{ id: "1", sessionId: "s", kind: "shell", toolName: "Bash", title: "Bash: npm install left-pad && npm test" },
  ...{ command: "npm install left-pad && npm test", paths: [] },
};
const LONG: PermissionRequest = {
  ...SHELL,
  title: "Bash",
  command: Array.from({ length: 12 }, (_, index) => `echo ${index + 1}`).join("\n"),
};

/** The rows above a dialog, which a test changes. */
interface Above {
  readonly rows: number;
  set: (rows: number) => void;
}

function Below({ above, children }: { readonly above: Above; readonly children: ReactNode }) {
  const [rows, setRows] = useState(above.rows);
  above.set = setRows;
  return (
    <>
      <box height={rows} flexShrink={0} />
      {children}
    </>
  );
}

/** The dialog, 300 ms after it appeared. */
async function open(
  request: PermissionRequest,
  options: RenderUiOptions & { otherCount?: number; waitMs?: number; place?: AskPlace; rowsAbove?: number } = {},
) {
  const { otherCount = 0, waitMs = 300, place = FIRST_ASK, rowsAbove = 0 } = options;
  const decisions: PermissionDecision[] = [];
  const clock = { now: 1_000 };
  const ask = {
    type: "permission",
    id: "1",
    at: 0,
    request,
    answer: (it: PermissionDecision) => decisions.push(it),
  } as const;
  let typed = "";
  const onTyped = (text: string): void => {
    typed += text;
  };
  const above: Above = { rows: rowsAbove, set: () => undefined };
  const dialog = <AskDialog {...{ ask, otherCount, onTyped, place }} />;
  const ui = await renderUi(<Below above={above}>{dialog}</Below>, {
    chat: new FakeChat({ agentType: "claude" }),
    now: () => clock.now,
    ...options,
  });
  await ui.draw();
  clock.now += waitMs;
  const press = async (key: string): Promise<string> => {
    await ui.act(() => ui.mockInput.pressKey(key));
    clock.now += 800;
    return await ui.draw();
  };
  /** The decisions, once there are some: a letter answers after a moment. */
  const decided = async (): Promise<readonly PermissionDecision[]> => {
    await ui.until(() => decisions.length > 0);
    return decisions;
  };
  const leave = (): Promise<void> => ui.act(() => ui.mockInput.pressEscape());
  const page = async (): Promise<string> => {
    await ui.act(() => ui.mockInput.pressKey("\u001b[6~"));
    return await ui.draw();
  };
  return { ...ui, decisions, decided, press, leave, page, clock, above, typed: () => typed };
}

const ONCE: PermissionDecision = { type: "allow", scope: "once", answered: "in the terminal UI" };
const NO: PermissionDecision = { type: "deny", reason: "The user said no.", answered: "in the terminal UI" };

test("a command is shown whole at 80 columns, with who else waits", async () => {
  const ui = await open(SHELL, { otherCount: 2 });
  expect(await ui.draw()).toBe(
    [
      " ╭─ claude wants to run a command ────────────────────────────────────────────╮",
      " │   npm install left-pad && npm test                                         │",
      " │ a and p allow exactly this command.                                        │",
      " │                                                                            │",
      " │ › n  No, and say why                                                       │",
      " │   y  Yes, once                                                             │",
      " │   a  Yes, for this session                                                 │",
      " │   p  Yes, always in this project                                           │",
      " ╰───────────────────── 2 more wait · ctrl+c twice stops the turn · esc = no ─╯",
    ].join("\n"),
  );
  ui.close();
});

test("a command is wrapped at 40 columns", async () => {
  const ui = await open(
    { ...SHELL, title: "Bash", command: "npm install left-pad --save-exact && npm test", isOnce: true },
    { width: 40 },
  );
  expect(await ui.draw()).toBe(
    [
      " ╭─ claude wants to run a command ────╮",
      " │   npm install left-pad --save-exac │",
      " │ ┆ t && npm test                    │",
      " │                                    │",
      " │ › n  No, and say why               │",
      " │   y  Yes, once                     │",
      " ╰───────────────────────── esc = no ─╯",
    ].join("\n"),
  );
  ui.close();
});

test.each([
  { key: "y", expected: ONCE },
  { key: "a", expected: { ...ONCE, scope: "session" } },
  { key: "p", expected: { ...ONCE, scope: "project" } },
] as const)("the key $key answers once, even when it is pressed twice", async ({ key, expected }) => {
  const ui = await open(SHELL);
  await ui.press(key);
  await ui.press(key);
  expect(await ui.decided()).toEqual([expected]);
  ui.close();
});

test("escape and Ctrl+C are no", async () => {
  for (const key of ["\u001b", "\u0003"]) {
    const ui = await open(SHELL);
    if (key === "\u001b") await ui.leave();
    else await ui.act(() => ui.mockInput.pressCtrlC());
    expect(ui.decisions).toEqual([NO]);
    ui.close();
  }
});

test("enter is no by default, with the reason that the person types", async () => {
  const ui = await open(SHELL);
  await ui.act(() => ui.mockInput.pressEnter());
  expect((await ui.draw()).split("\n")[4]).toBe(
    " │ › n  No, because (a reason for the agent, or nothing)                      │",
  );
  await ui.type("yarn, please");
  expect((await ui.draw()).split("\n")[4]).toBe(
    " │ › n  No, because yarn, please                                              │",
  );
  await ui.act(() => ui.mockInput.pressEnter());
  expect(ui.decisions).toEqual([{ ...NO, reason: "The user said no: yarn, please" }]);
  ui.close();
});

test("keys that were meant for the input are no answer, and reach it", async () => {
  const ui = await open(SHELL, { waitMs: 299 });
  await ui.press("y");
  expect([ui.decisions, ui.typed()]).toEqual([[], "y"]);
  ui.clock.now += 800;
  await ui.press("y");
  expect(await ui.decided()).toEqual([ONCE]);
  ui.close();
});

test("a text in one piece is no answer, and reaches the input", async () => {
  const ui = await open(SHELL, { waitMs: 2_000 });
  await ui.act(() => ui.mockInput.typeText("y hello y a p world"));
  await ui.leave();
  expect([ui.decisions, ui.typed()]).toEqual([[NO], "y hello y a p world"]);
  ui.close();
});

test.each(["hello world", "now do it", "yes, do it", "c\u00f4t\u00e9"])(
  "a text that is typed and sent at once answers nothing, and all of it reaches the input: %s",
  async (text) => {
    for (const request of [SHELL, LONG]) {
      const ui = await open(request, { waitMs: 2_000 });
      await ui.act(() => ui.mockInput.typeText(text));
      await ui.act(() => ui.mockInput.pressEnter());
      expect([ui.decisions, ui.typed(), await ui.draw()]).toEqual([
        [],
        text,
        expect.stringContaining("No, and say why"),
      ]);
      ui.close();
    }
  },
);

test("yes is possible only after the end of the request was visible", async () => {
  const ui = await open(LONG);
  expect((await ui.press("y")).split("\n").slice(1, 8)).toEqual([
    " │ Command, 12 lines:                                                         │",
    " │   echo 1                                                                   │",
    " │   echo 2                                                                   │",
    " │   echo 3                                                                   │",
    " │   echo 4                                                                   │",
    " │ 9 more lines (pagedown), then yes                                          │",
    " │ › n  No, and say why                                                       │",
  ]);
  await ui.page();
  await ui.press("y");
  expect(ui.decisions).toEqual([]);
  expect((await ui.page()).split("\n").slice(1, 8)).toEqual([
    " │   echo 9                                                                   │",
    " │   echo 10                                                                  │",
    " │   echo 11                                                                  │",
    " │   echo 12                                                                  │",
    " │ a and p allow exactly this command.                                        │",
    " │ the end (pageup)                                                           │",
    " │ › n  No, and say why                                                       │",
  ]);
  await ui.act(() => ui.mockInput.pressKey("\u001b[5~"));
  await ui.draw();
  await ui.press("y");
  expect(await ui.decided()).toEqual([ONCE]);
  ui.close();
});

test("the key for the end shows a page at a time until all was shown", async () => {
  const ui = await open(LONG);
  const end = async (): Promise<string> => {
    await ui.act(() => ui.mockInput.pressKey("END"));
    return await ui.draw();
  };
  expect(await end()).toContain("echo 8");
  expect(await ui.press("y")).toContain("4 more lines (pagedown), then yes");
  expect(await end()).toContain("the end (pageup)");
  await ui.press("y");
  expect(await ui.decided()).toEqual([ONCE]);
  ui.close();
});

test("a key that scrolls to the end and a yes at the same moment are no answer yet", async () => {
  const ui = await open(LONG);
  await ui.page();
  await ui.act(() => {
    ui.mockInput.pressKey("END");
    ui.mockInput.pressKey("y");
  });
  expect(await ui.draw()).toContain("the end (pageup)");
  ui.clock.now += 300;
  await ui.press("y");
  expect(await ui.decided()).toEqual([ONCE]);
  ui.close();
});

test("a window that is too low for the request takes no yes", async () => {
  const ui = await open(SHELL, { width: 60, height: 10, rowsAbove: 3 });
  expect(await ui.press("y")).toContain("Enlarge the window for yes.");
  await ui.leave();
  expect(ui.decisions).toEqual([NO]);
  ui.close();
});

test("a dialog that takes the last row of a low window is whole, and takes a yes", async () => {
  const ui = await open(SHELL, { width: 60, height: 10, rowsAbove: 2 });
  expect((await ui.draw()).split("\n").slice(2)).toEqual([
    " ╭─ claude wants to run a command ────────────────────────╮",
    " │   npm install left-pad && npm test                     │",
    " │ 1 more line (pagedown), then yes                       │",
    " │ › n  No, and say why                                   │",
    " │   y  Yes, once                                         │",
    " │   a  Yes, for this session                             │",
    " │   p  Yes, always in this project                       │",
    " ╰─────────────── ctrl+c twice stops the turn · esc = no ─╯",
  ]);
  await ui.press("y");
  await ui.page();
  expect(ui.decisions).toEqual([]);
  await ui.press("y");
  expect(await ui.decided()).toEqual([ONCE]);
  ui.close();
});

test("pages that are turned before they are drawn are not read", async () => {
  const ui = await open(LONG);
  ui.holdFrames();
  for (const _ of "123") await ui.act(() => ui.mockInput.pressKey("\u001b[6~"));
  await ui.act(() => ui.mockInput.pressArrow("down"));
  await ui.act(() => ui.mockInput.pressEnter());
  expect(await ui.draw()).toMatch(/more lines? \(pagedown\), then yes/);
  expect(ui.decisions).toEqual([]);
  ui.close();
});

test("a window too narrow for the text of an answer takes no yes, even after all was read", async () => {
  const ui = await open(SHELL, { width: 60 });
  await ui.act(() => ui.resize(36, 24));
  expect(await ui.press("y")).toContain("Enlarge the window for yes.");
  await ui.leave();
  expect(ui.decisions).toEqual([NO]);
  ui.close();
});

test("lines that a new width wraps again have to be shown again", async () => {
  const ui = await open(LONG);
  await ui.page();
  await ui.act(() => ui.resize(60, 24));
  expect(await ui.draw()).toContain("9 more lines (pagedown), then yes");
  ui.close();
});

test("the wheel scrolls the request, and yes is possible once its end was visible", async () => {
  const ui = await open(LONG, { height: 20 });
  await ui.act(() => ui.mockMouse.scroll(10, 2, "down"));
  expect(await ui.press("y")).toContain("echo 4");
  for (const _ of "1234") {
    await ui.act(() => ui.mockMouse.scroll(10, 2, "down"));
    await ui.draw();
  }
  expect(await ui.draw()).toContain("echo 12");
  expect(ui.decisions).toEqual([]);
  await ui.press("y");
  expect(await ui.decided()).toEqual([ONCE]);
});

test("a dialog that is cut off below takes no yes, and what was not drawn is not read", async () => {
  const ui = await open(SHELL, { rowsAbove: 18 });
  await ui.press("y");
  await ui.press("y");
  expect(ui.decisions).toEqual([]);
  await ui.act(() => ui.above.set(0));
  await ui.draw();
  expect(await ui.draw()).toContain("p  Yes, always in this project");
  await ui.press("y");
  expect(await ui.decided()).toEqual([ONCE]);
  ui.close();
});

test("a page that was cut off does not count as read after the rest", async () => {
  const ui = await open(LONG, { rowsAbove: 18 });
  for (const _ of "123") await ui.page();
  await ui.act(() => ui.above.set(0));
  await ui.draw();
  expect(await ui.draw()).toContain("9 more lines (pagedown), then yes");
  await ui.press("y");
  await ui.leave();
  expect(ui.decisions).toEqual([NO]);
  ui.close();
});

test("a request after another one says so, and takes an answer later", async () => {
  const ui = await open(SHELL, { waitMs: 799, place: { number: 2, isReplacement: true } });
  const [title, first] = (await ui.draw()).split("\n");
  expect([title, first]).toEqual([
    " ╭─ Request 2: claude wants to run a command ─────────────────────────────────╮",
    " │ The request before was withdrawn. This is another one.                     │",
  ]);
  await ui.press("y");
  expect([ui.decisions, ui.typed()]).toEqual([[], "y"]);
  ui.clock.now += 800;
  await ui.press("y");
  expect(await ui.decided()).toEqual([ONCE]);
  ui.close();
});

test("from the third request in a row, the footer says that one Ctrl+C stops the turn", async () => {
  const ui = await open(SHELL, { place: { number: 3, isReplacement: false } });
  expect(await ui.draw()).toContain("─ ctrl+c stops the turn · esc = no ─╯");
  ui.close();
});

test("a call that nobody can read shows its start, and can only be denied", async () => {
  const ui = await open({ ...SHELL, title: `Bash: ${"x".repeat(70_000)}`, command: "x ".repeat(200_000) });
  await ui.page();
  await ui.press("y");
  const screen = await ui.page();
  expect(screen).toMatch(/more lines \(pagedown\) +│/);
  expect(screen).not.toContain("Yes, once");
  await ui.leave();
  expect(ui.decisions).toEqual([NO]);
  ui.close();
});

test("Ctrl+Z returns to the shell while a request is open", async () => {
  const suspended: string[] = [];
  const ui = await open(SHELL, { services: { suspend: () => suspended.push("suspended") } });
  await ui.act(() => ui.mockInput.pressKey("z", { ctrl: true }));
  expect([suspended, ui.decisions]).toEqual([["suspended"], []]);
  ui.close();
});
