import { expect, test } from "bun:test";
import { FakeChat } from "../fixtures/fake-chat.ts";
import { fakeServices } from "../fixtures/fake-services.ts";
import { readUnsent, unsentLines } from "./unsent-lines.ts";

test("nothing is said when everything was sent", () => {
  const { chat, ui, host } = fakeServices();
  expect(unsentLines(readUnsent({ chat, ui, host }))).toEqual([]);
});

test("queued messages, comments and the draft are repeated, without what could change the terminal", () => {
  const queue = ["one\n\ntwo", "three\u001b[31m"].map((text) => ({ id: text, text, attachments: [] }));
  const { chat, ui, host } = fakeServices({ chat: new FakeChat({ queue }) });
  ui.setDraftReader(() => "half a\nsentence");
  chat.comments.write({ path: "a.ts", number: 3, text: "  x();", isRemoved: false }, "Why?");
  expect(unsentLines(readUnsent({ chat, ui, host }))).toEqual([
    "These messages were not sent:",
    ...["  one", "", "  two", "  three"],
    "This comment was not sent:",
    ...["  a.ts:3", "  > x();", "  Why?"],
    "This was in the input:",
    ...["  half a", "  sentence"],
  ]);
});

test("of comments that are stored with the conversation, it says so", () => {
  const { chat, ui, host } = fakeServices();
  const conversations = { list: async () => [], save: async () => undefined, saveEntries: async () => undefined };
  chat.comments.write({ path: "a.ts", number: 3, text: "x();", isRemoved: false }, "Why?");
  expect(unsentLines(readUnsent({ chat, ui, host: { ...host, conversations } }))).toEqual([
    "This comment was not sent; it stays with the conversation:",
    ...["  a.ts:3", "  > x();", "  Why?"],
  ]);
});
