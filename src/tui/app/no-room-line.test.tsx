import { expect, test } from "bun:test";
import { addNotice, EMPTY_CHAT } from "../chat/chat-model.ts";
import { FakeChat, renderUi } from "../fixtures/render-ui.tsx";
import { Keymap } from "../keys/keymap.ts";
import { App } from "./app.tsx";

const RULES = { model: addNotice(EMPTY_CHAT, { at: 0, text: "allow read\ndeny shell" }) };

async function open({ chat = new FakeChat(RULES), keymap = new Keymap() } = {}) {
  const services = { keymap };
  return await renderUi(<App onSubmit={() => undefined} />, { chat, services, width: 40, height: 6 });
}

test("a window without a row for the conversation names the key that shows it, until the window is higher", async () => {
  const ui = await open();
  expect((await ui.until(/too low/)).split("\n").slice(1)).toEqual([
    "  Window too low: ctrl+o transcript",
    " ╭────────────────────────────────────╮",
    " │ Ask anything   / commands   ? keys │",
    " ╰────────────────────────────────────╯",
    "  ? keys · / commands",
  ]);
  await ui.act(() => ui.resize(40, 8));
  expect((await ui.until((screen) => !screen.includes("too low"))).split("\n").slice(1, 4)).toEqual([
    "",
    "  · allow read",
    "    deny shell",
  ]);
  ui.close();
});

test("an input of several rows leaves no room, too", async () => {
  const ui = await open();
  await ui.act(() => ui.resize(40, 7));
  await ui.until(/deny shell/);
  await ui.act(() => ui.mockInput.pasteBracketedText("one\ntwo"));
  expect(await ui.until(/too low/)).not.toContain("deny shell");
  ui.close();
});

test("without a key for the transcript, the window is to be enlarged", async () => {
  const ui = await open({ keymap: new Keymap({ transcript: [] }) });
  await ui.until(/Window too low: enlarge it/);
  ui.close();
});

test("an empty conversation needs no room", async () => {
  const ui = await open({ chat: new FakeChat() });
  await ui.until(/Ask anything/);
  expect(await ui.draw()).not.toContain("too low");
  ui.close();
});
