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

const CHANGE: PermissionRequest = {
  ...{ id: "w", sessionId: "s", kind: "edit", toolName: "Write", title: "Write: a.sh", paths: ["/p/a.sh"] },
  details: { type: "write", path: "/p/a.sh", text: "echo harmless" },
};

test("a yes is for the request that was shown, not for another change of the same file", async () => {
  const { asks, open, answer, never } = setUp();
  const shown = asks.onPermissionAsk(CHANGE, { signal: never });
  const hidden = asks.onPermissionAsk(
    { ...CHANGE, details: { type: "write", path: "/p/a.sh", text: "rm -rf ." } },
    { signal: never },
  );
  expect(open()).toHaveLength(2);
  answer();
  expect(await shown).toEqual({ type: "allow" });
  expect(open()).toMatchObject([{ request: { details: { text: "rm -rf ." } } }]);
  answer();
  expect(await hidden).toEqual({ type: "allow" });
});

test.each([
  { scope: "once", left: ["one", "once", "place", "other"] },
  { scope: "session", left: ["once", "place", "other"] },
] as const)("a yes with the scope $scope leaves open: $left", async ({ scope, left }) => {
  const { asks, open, never } = setUp();
  const ask = (id: string, changes: Partial<PermissionRequest> = {}) =>
    asks.onPermissionAsk({ ...REQUEST, id, ...changes }, { signal: never });
  const first = ask("first");
  const one = ask("one");
  void ask("once", { isOnce: true });
  void ask("place", { workingDirectory: "/elsewhere" });
  void ask("other", { command: "npm run lint" });
  const [top] = open();
  if (top?.type === "permission") top.answer({ type: "allow", scope });
  expect(await first).toEqual({ type: "allow", scope });
  if (scope === "session") expect(await one).toEqual({ type: "allow", scope: "session" });
  expect(open().map((ask) => ask.type === "permission" && ask.request.id)).toEqual([...left]);
});

test("an abort withdraws its own request only", async () => {
  const { asks, open, answer, never } = setUp();
  const abort = new AbortController();
  const first = asks.onPermissionAsk(REQUEST, { signal: abort.signal });
  const second = asks.onPermissionAsk(REQUEST, { signal: never });
  abort.abort();
  expect(await first).toEqual({ type: "deny", reason: "The request was withdrawn." });
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

test("an edit is shown with its place, once that is known, unless it was withdrawn before", async () => {
  const change = { path: "a.ts", oldText: "x", newText: "y" };
  const edit: PermissionRequest = { ...CHANGE, details: { type: "edit", changes: [change] } };
  const placed: PermissionRequest = {
    ...{ ...edit, details: { type: "edit", changes: [{ ...change, place: { line: 1, before: "", after: "" } }] } },
  };
  const opened = Promise.withResolvers<readonly OpenAsk[]>();
  const asks = new OpenAsks({ now: () => 7, locate: async () => placed, onChange: opened.resolve });
  const abort = new AbortController();
  const withdrawn = asks.onPermissionAsk(edit, { signal: abort.signal });
  abort.abort();
  expect(await withdrawn).toEqual({ type: "deny", reason: "The request was withdrawn." });
  const asked = asks.onPermissionAsk(edit, { signal: new AbortController().signal });
  const [ask] = await opened.promise;
  expect(ask?.type === "permission" && ask.request).toEqual(placed);
  if (ask?.type === "permission") ask.answer({ type: "allow" });
  expect(await asked).toEqual({ type: "allow" });
});
