import { expect, test } from "bun:test";
import type { PermissionRequest } from "../../contracts/index.ts";
import { EMPTY_CHAT } from "../chat/chat-model.ts";
import type { OpenAsk } from "../chat/chat-state.ts";
import { FakeChat, renderUi } from "../fixtures/render-ui.tsx";
import { AT, CART } from "../transcript/fixtures/entries.ts";
import { App } from "./app.tsx";

async function open(chat = new FakeChat({ status: "working" }, { interrupt: Promise.resolve() })) {
  const clock = { now: AT };
  const answers: (readonly [id: string, answer: string])[] = [];
  const ask = (id: string): OpenAsk => {
    const request: PermissionRequest = {
      ...{ id, sessionId: "s", kind: "shell", toolName: "Bash", title: "Bash", command: `rm ${id}`, paths: [] },
    };
    const answer = (given: { readonly type: string; readonly reason?: string }): void => {
      answers.push([id, given.reason ?? given.type]);
    };
    return { type: "permission", id, at: 0, request, answer };
  };
  const ui = await renderUi(<App onSubmit={() => undefined} />, { chat, height: 30, now: () => clock.now });
  const show = async (...ids: readonly string[]): Promise<string> => {
    await ui.act(() => chat.set({ asks: ids.map(ask) }));
    return ids.length === 0 ? await ui.draw() : await ui.until(new RegExp(`rm ${ids[0]}`));
  };
  const pressCtrlC = () => ui.act(() => ui.mockInput.pressKey("c", { ctrl: true }));
  return { ...ui, chat, clock, answers, show, pressCtrlC };
}

function interrupts(chat: FakeChat): number {
  return chat.calls.filter(([name]) => name === "interrupt").length;
}

test("a second Ctrl+C within two seconds stops the turn and denies all that waits, also a new request", async () => {
  const ui = await open();
  await ui.show("a", "b");
  ui.clock.now += 300;
  await ui.pressCtrlC();
  expect(ui.answers).toEqual([["a", "The user said no."]]);
  await ui.show("b", "c");
  ui.clock.now += 2_000 - 300;
  await ui.pressCtrlC();
  expect(interrupts(ui.chat)).toBe(1);
  expect(ui.answers.slice(1)).toEqual([
    ["b", "The user stopped the turn."],
    ["c", "The user stopped the turn."],
  ]);
  ui.close();
});

test("a Ctrl+C after two seconds denies only the request on the screen", async () => {
  const ui = await open();
  await ui.show("a");
  ui.clock.now += 300;
  await ui.pressCtrlC();
  await ui.show("b");
  ui.clock.now += 2_001;
  await ui.pressCtrlC();
  expect([interrupts(ui.chat), ui.answers.map(([id]) => id)]).toEqual([0, ["a", "b"]]);
  ui.close();
});

test("one Ctrl+C stops an agent that requests again and again", async () => {
  const ui = await open();
  for (const id of ["a", "b"]) {
    await ui.show(id);
    ui.clock.now += 1_000;
    await ui.act(() => ui.mockInput.pressEscape());
  }
  expect(await ui.show("c")).toContain("Request 3: scripted wants to run a command");
  await ui.pressCtrlC();
  expect([interrupts(ui.chat), ui.answers.at(-1)]).toEqual([1, ["c", "The user stopped the turn."]]);
  ui.close();
});

test("what is pasted while a request is open is in the input afterwards, a long text as an attachment", async () => {
  const ui = await open(new FakeChat({}));
  await ui.show("a");
  await ui.act(() => ui.mockInput.pasteBracketedText("and then "));
  await ui.act(() => ui.mockInput.pasteBracketedText("line\n".repeat(40)));
  await ui.show();
  expect(await ui.until(/│ and then/)).toContain("and then [pasted text, 40 lines]");
  expect(ui.answers).toEqual([]);
  ui.close();
});

test("what is pasted into the reason of a no is the reason", async () => {
  const ui = await open(new FakeChat({}));
  await ui.show("a");
  ui.clock.now += 300;
  await ui.act(() => ui.mockInput.pressKey("n"));
  await ui.until(/No, because/);
  await ui.act(() => ui.mockInput.pasteBracketedText("use yarn"));
  await ui.until(/No, because use yarn/);
  ui.clock.now += 100;
  await ui.act(() => ui.mockInput.pressEnter());
  expect(ui.answers).toEqual([["a", "The user said no: use yarn"]]);
  await ui.show();
  expect(await ui.until(/Ask anything/)).not.toContain("use yarn");
  ui.close();
});

test("a comment in the transcript continues after a request, with what was typed meanwhile", async () => {
  const ui = await open(new FakeChat({ model: { ...EMPTY_CHAT, entries: CART } }));
  await ui.act(() => ui.services.ui.show({ type: "transcript" }));
  await ui.until(/Transcript/);
  await ui.type("g");
  await ui.act(() => ui.mockInput.pressTab());
  await ui.type("c");
  await ui.until(/enter keeps it/);
  await ui.type("Do");
  await ui.show("a");
  await ui.type(" not");
  await ui.show();
  await ui.until(/> Do not/);
  await ui.type(" do it");
  await ui.until(/> Do not do it/);
  await ui.act(() => ui.mockInput.pressEnter());
  await ui.until(/s send 1 comment/);
  await ui.act(() => ui.services.ui.show({ type: "chat" }));
  expect(await ui.until(/Ask anything/)).not.toContain("Do not");
  expect(ui.answers).toEqual([]);
  ui.close();
});
