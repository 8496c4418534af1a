import { expect, test } from "bun:test";
import { FakeChat } from "../fixtures/fake-chat.ts";
import { submitLine } from "./submit-line.ts";

function setUp(append: (message: string) => Promise<void>) {
  const submitted: string[] = [];
  const fake = new FakeChat();
  const history = { load: () => Promise.resolve([]), append };
  const runner = { submit: async (text: string) => void submitted.push(text) };
  return { services: { host: { history }, chat: fake.asController(), runner }, submitted, calls: fake.calls };
}

test("a line is submitted, and is in the history once", async () => {
  const stored: string[] = [];
  const { services, submitted } = setUp(async (message) => void stored.push(message));
  await submitLine(services, "fix it");
  await submitLine(services, "/help");
  expect([submitted, stored]).toEqual([
    ["fix it", "/help"],
    ["fix it", "/help"],
  ]);
});

test("a history that cannot be written is a notice, and the line is submitted", async () => {
  const { services, submitted, calls } = setUp(() => Promise.reject(new Error("The disk is full.")));
  await submitLine(services, "fix it");
  expect<unknown>([submitted, calls]).toEqual([
    ["fix it"],
    [["notice", "The message is not in the history: The disk is full.", { tone: "error" }]],
  ]);
});
