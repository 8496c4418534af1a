import { expect, test } from "bun:test";
import type { AgentQuestion, PermissionRequest } from "../../contracts/index.ts";
import type { OpenAsk } from "./chat-state.ts";
import { OpenAsks } from "./open-asks.ts";

const REQUEST: PermissionRequest = {
  ...{ id: "p", sessionId: "s", kind: "shell", toolName: "Bash", title: "npm test" },
  ...{ paths: [], command: "npm test" },
};

const QUESTION: AgentQuestion = { id: "q", sessionId: "s", question: "Which?", options: [], isMultiple: false };

function setUp() {
  const seen: (readonly OpenAsk[])[] = [];
  const asks = new OpenAsks({ now: () => 7, onChange: (open) => seen.push(open) });
  const open = (): readonly OpenAsk[] => seen.at(-1) ?? [];
  const answer = (index = 0): void => {
    const ask = open()[index];
    if (ask?.type === "permission") ask.answer({ type: "allow" });
    else ask?.answer({ type: "answer", values: ["a"] });
  };
  return { asks, open, answer, never: new AbortController().signal };
}

test("requests and questions are open until they are answered, the oldest first", async () => {
  const { asks, open, answer, never } = setUp();
  const permission = asks.onPermissionAsk(REQUEST, { signal: never });
  const question = asks.onQuestion(QUESTION, { signal: never });
  expect(open().map(({ type, id, at }) => [type, id, at])).toEqual([
    ["permission", "ask1", 7],
    ["question", "ask2", 7],
  ]);
  answer();
  expect(await permission).toEqual({ type: "allow" });
  expect(open().map(({ type }) => type)).toEqual(["question"]);
  answer();
  expect(await question).toEqual({ type: "answer", values: ["a"] });
  expect(open()).toEqual([]);
});

test("equal requests are one ask, unless a request is only for once", async () => {
  const { asks, open, answer, never } = setUp();
  const both = [asks.onPermissionAsk(REQUEST, { signal: never }), asks.onPermissionAsk(REQUEST, { signal: never })];
  const other = asks.onPermissionAsk({ ...REQUEST, command: "npm run lint" }, { signal: never });
  const once = asks.onPermissionAsk({ ...REQUEST, isOnce: true }, { signal: never });
  expect(open()).toHaveLength(3);
  answer();
  expect(await Promise.all(both)).toEqual([{ type: "allow" }, { type: "allow" }]);
  for (const index of [0, 1]) answer(index);
  expect(await Promise.all([other, once])).toEqual([{ type: "allow" }, { type: "allow" }]);
});

test("an abort withdraws a request, and an equal one that still waits is shown by itself", async () => {
  const { asks, open, answer, never } = setUp();
  const abort = new AbortController();
  const first = asks.onPermissionAsk(REQUEST, { signal: abort.signal });
  const second = asks.onPermissionAsk(REQUEST, { signal: never });
  abort.abort();
  expect(await first).toEqual({ type: "deny", reason: "The request was withdrawn." });
  await Promise.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  expect(open()).toHaveLength(1);
  answer();
  expect(await second).toEqual({ type: "allow" });
});

test("what was aborted before is not shown", async () => {
  const { asks, open } = setUp();
  expect(await asks.onPermissionAsk(REQUEST, { signal: AbortSignal.abort() })).toEqual({
    ...{ type: "deny", reason: "The request was withdrawn." },
  });
  expect(await asks.onQuestion(QUESTION, { signal: AbortSignal.abort() })).toEqual({
    ...{ type: "decline", reason: "The question was withdrawn." },
  });
  expect(open()).toEqual([]);
});
