import { expect, test } from "bun:test";
import { EMPTY_CHAT } from "../chat/chat-model.ts";
import type { OpenAsk } from "../chat/chat-state.ts";
import { FakeChat, renderUi } from "../fixtures/render-ui.tsx";
import { commandsOf } from "../input/fixtures/open-input.tsx";
import { CART_EVENTS, CART_RUN, LATER } from "../runs/fixtures/cart-run.ts";
import { FakeRuns } from "../runs/fixtures/fake-runs.ts";
import { shellTool, user } from "../transcript/fixtures/entries.ts";
import { App } from "./app.tsx";

test("an undo after a dialog was closed brings back what was deleted before", async () => {
  const submitted: string[] = [];
  const ui = await renderUi(<App onSubmit={(text) => submitted.push(text)} />, { height: 30 });
  await ui.type("fix");
  await ui.act(() => ui.mockInput.pressKey("w", { ctrl: true }));
  expect(await ui.until(/Ask anything/)).not.toContain("fix");
  await ui.act(() => ui.services.ui.open({ type: "confirm-quit" }));
  expect(await ui.until(/─ Quit/)).not.toContain("Ask anything");
  await ui.type("lost");
  await ui.act(() => ui.services.ui.close());
  await ui.until(/Ask anything/);
  await ui.act(() => ui.mockInput.pressKey("-", { ctrl: true }));
  await ui.until(/│ fix /);
  await ui.type(" it");
  await ui.act(() => ui.mockInput.pressEnter());
  expect(submitted).toEqual(["fix it"]);
  ui.close();
});

test("a filter of a dialog has the keys, and then the input again", async () => {
  const ui = await renderUi(<App onSubmit={() => undefined} />, { height: 30 });
  await ui.type("draft");
  await ui.act(() => ui.services.ui.open({ type: "theme" }));
  await ui.until(/Type to filter/);
  await ui.type("dar");
  expect(await ui.until(/│ dar/)).not.toContain("draft");
  await ui.act(() => ui.mockInput.pressEscape());
  await ui.until(/│ draft/);
  await ui.type("!");
  expect(await ui.until(/│ draft!/)).not.toContain("Theme");
  ui.close();
});

test.each([
  { title: "sent", status: "idle", press: "enter" },
  { title: "sent during a turn", status: "working", press: "steer" },
] as const)("a message that is $title shows the end of the conversation, and follows it again", async (each) => {
  const entries = Array.from({ length: 60 }, (_, index) => user(`message ${index + 1}`));
  const model = { ...EMPTY_CHAT, entries };
  const chat = new FakeChat({ model, status: each.status }, { steer: Promise.resolve() });
  const ui = await renderUi(<App onSubmit={() => undefined} />, { chat, height: 24 });
  await ui.until(/message 60/);
  await ui.act(() => ui.mockInput.pressKey("\u001b[5~"));
  await ui.until(/ ▾ end/);
  await ui.type("next");
  await ui.act(() => (each.press === "enter" ? ui.mockInput.pressEnter() : ui.mockInput.pressKey("s", { ctrl: true })));
  expect(await ui.until(/message 60/)).not.toMatch(/ ▾ end/);
  await ui.act(() => chat.set({ model: { ...model, entries: [...entries, user("next")] } }));
  await ui.until(/> next/);
  ui.close();
});

test("Ctrl+C clears the input first, Up brings the text back, and only on an empty input it quits", async () => {
  const quits: string[] = [];
  const chat = new FakeChat({ status: "working" }, { interrupt: Promise.resolve() });
  const services = { quit: () => quits.push("quit") };
  const ui = await renderUi(<App onSubmit={() => undefined} />, { chat, services });
  const interrupts = (): number => chat.calls.filter(([name]) => name === "interrupt").length;
  const pressCtrlC = () => ui.act(() => ui.mockInput.pressKey("c", { ctrl: true }));
  await ui.type("a long message");
  await pressCtrlC();
  expect(await ui.until(/Cleared. up brings the text back/)).not.toContain("a long message");
  expect(interrupts()).toBe(0);
  await ui.act(() => ui.mockInput.pressArrow("up"));
  await ui.until(/│ a long message/);
  await pressCtrlC();
  await pressCtrlC();
  expect([interrupts(), quits]).toEqual([1, []]);
  await pressCtrlC();
  expect(quits).toEqual(["quit"]);
  ui.close();
});

test.each(["help", "mcp", "context"] as const)(
  "what is typed over the dialog %s closes it and is in the input",
  async (type) => {
    const chat = new FakeChat({}, { mcpStatus: Promise.resolve([]) });
    const ui = await renderUi(<App onSubmit={() => undefined} />, { chat, height: 30 });
    await ui.type("now ");
    await ui.act(() => ui.services.ui.open({ type }));
    await ui.until(/esc close/);
    await ui.type("fix it");
    expect(await ui.until(/│ now fix it/)).not.toContain("esc close");
    ui.close();
  },
);

test.each([
  {
    ...{ width: 80, height: 20 },
    above: [
      "",
      '  ralph  0vr8z8579gzr  "Repair the cart"       ● 1 of 5  4m 10s  182.0k  $1.32',
      "",
      "  ▾ Graph                                                             … 6 more",
      "    │ ● workers  1 of 4                                                 4m 05s",
      "  › │ │ ● worker 2  Task 4: quantity of 0                               4m 04s",
      "    │ │ ● worker 3  Task 7: currency                                    4m 03s",
      "  enter open · tab pane · c cancel · r retry · s skip · p pause · esc leave",
    ],
  },
  { width: 60, height: 13, above: [""] },
])(
  "a request over a run in $width columns and $height rows leaves no text over another",
  async ({ above, ...size }) => {
    const request = { id: "r1", sessionId: "s", kind: "shell", toolName: "Bash", title: "Bash", paths: [] } as const;
    const command = Array.from({ length: 12 }, (_, index) => `echo ${index}`).join("\n");
    const ask: OpenAsk = {
      ...{ type: "permission", id: "r1", at: 0, answer: () => undefined },
      request: { ...request, command },
    };
    const chat = new FakeChat();
    const runs = new FakeRuns({ details: CART_RUN, events: CART_EVENTS });
    const ui = await renderUi(<App onSubmit={() => undefined} />, { ...size, chat, host: { runs }, now: () => LATER });
    await ui.act(() => ui.services.ui.show({ type: "run", runId: CART_RUN.id }));
    await ui.until(/worker 3/);
    await ui.act(() => chat.set({ asks: [ask] }));
    await ui.until(/esc = no/);
    const screen = (await ui.draw()).split("\n");
    expect(
      screen.slice(
        1,
        screen.findIndex((line) => line.includes("╭")),
      ),
    ).toEqual([...above]);
    ui.close();
  },
);

test("the question before the end counts the comments that are lost", async () => {
  const ui = await renderUi(<App onSubmit={() => undefined} />, { height: 30 });
  await ui.act(() => ui.services.ui.open({ type: "confirm-quit", commentCount: 2 }));
  expect(await ui.until(/─ Quit/)).toMatch(/│ 2 comments on diffs will not be sent\. +│/);
  ui.close();
});

test("a letter that is typed over a dialog does not answer a permission request that comes with it", async () => {
  const answers: unknown[] = [];
  const chat = new FakeChat({});
  const ui = await renderUi(<App onSubmit={() => undefined} />, { chat, height: 30 });
  await ui.act(() => ui.services.ui.open({ type: "help" }));
  await ui.until(/─ Help/);
  const request = {
    id: "r1",
    sessionId: "s",
    kind: "shell",
    toolName: "Bash",
    title: "npm install",
    command: "npm install",
    paths: [],
  } as const;
  const ask: OpenAsk = { type: "permission", id: "r1", at: 0, request, answer: (answer) => answers.push(answer) };
  await ui.type("wh");
  await ui.act(() => chat.set({ asks: [ask] }));
  await ui.until(/npm install/);
  await ui.type("y");
  await ui.act(() => chat.set({ asks: [] }));
  await ui.until(/│ why /);
  expect(answers).toEqual([]);
  ui.close();
});

test("/help opens the commands at the start of the help, and its key closes it", async () => {
  const ui = await renderUi(<App onSubmit={() => undefined} />, { height: 30, commands: commandsOf() });
  await ui.act(() => ui.services.ui.open({ type: "help", first: "commands" }));
  expect((await ui.until(/─ Help/)).split("\n").find((line) => line.includes("Slash Commands"))).toBeDefined();
  await ui.type("?");
  expect(await ui.until(/Ask anything/)).not.toContain("─ Help");
  ui.close();
});

test.each([14, 15, 16, 18, 24])("in %d rows the call in question is above its permission request", async (height) => {
  const earlier = Array.from({ length: 30 }, (_, index) => user(`message ${index + 1}`));
  const call = { ...shellTool("npm install", { output: "" }), status: "running" } as const;
  const chat = new FakeChat({ model: { ...EMPTY_CHAT, entries: [...earlier, call] }, status: "working" });
  const ui = await renderUi(<App onSubmit={() => undefined} />, { chat, width: 40, height });
  await ui.until(/Shell npm install/);
  const about = { id: "r1", sessionId: "s", kind: "shell", toolName: "Bash", title: "npm install" } as const;
  const request = { ...about, command: "npm install", paths: [] };
  const ask: OpenAsk = { type: "permission", id: "r1", at: 0, request, answer: () => undefined };
  await ui.act(() => chat.set({ asks: [ask] }));
  const lines = (await ui.until(/wants to run/)).split("\n");
  const dialog = lines.findIndex((line) => line.includes("wants to run"));
  expect(lines.slice(0, dialog).findLast((line) => line !== "")).toContain("Shell npm install");
  ui.close();
});

test("messages that could not be sent are in the input again, before what was typed", async () => {
  const unsent = [{ id: "q1", text: "fix it", attachments: [] }];
  const chat = new FakeChat({}, { takeUnsent: unsent });
  const ui = await renderUi(<App onSubmit={() => undefined} />, { chat, height: 24 });
  await ui.type("and test it");
  await ui.act(() => chat.set({ unsent }));
  await ui.act(() => chat.set({ unsent: [] }));
  expect(await ui.until(/│ fix it/)).toMatch(/│ fix it +│\n *│ and test it/);
  ui.close();
});
