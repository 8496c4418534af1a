import { expect, test } from "bun:test";
import { FakeChat } from "../fixtures/fake-chat.ts";
import { memoryOf } from "../transcript/transcript-memory.ts";
import { UiStore } from "../ui/ui-store.ts";
import { readUnsent, unsentLines } from "./unsent-lines.ts";

test("nothing is said when everything was sent", () => {
  expect(unsentLines(readUnsent({ chat: new FakeChat().asController(), ui: new UiStore() }))).toEqual([]);
});

test("queued messages, comments and the draft are repeated, without what could change the terminal", () => {
  const queue = ["one\n\ntwo", "three\u001b[31m"].map((text) => ({ id: text, text, attachments: [] }));
  const chat = new FakeChat({ queue }).asController();
  const ui = new UiStore();
  ui.setDraftReader(() => "half a\nsentence");
  memoryOf(chat).comments.write({ path: "a.ts", number: 3, text: "  x();", isRemoved: false }, "Why?");
  expect(unsentLines(readUnsent({ chat, ui }))).toEqual([
    "These messages were not sent:",
    ...["  one", "", "  two", "  three"],
    "This comment was not sent:",
    ...["  a.ts:3", "  > x();", "  Why?"],
    "This was in the input:",
    ...["  half a", "  sentence"],
  ]);
});
