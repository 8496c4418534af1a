import { describe, expect, test } from "bun:test";
import type { AgentEvent, AgentEventBody, PermissionRequest } from "../../contracts/index.ts";
import type { ChatEntry } from "./chat-entry.ts";
import {
  addEntry,
  addNotice,
  addUserMessage,
  type ChatModel,
  cutBefore,
  EMPTY_CHAT,
  reduceChat,
  reduceShell,
} from "./chat-model.ts";

type Body = AgentEventBody extends infer Event
  ? Event extends AgentEventBody
    ? Omit<Event, "sessionId">
    : never
  : never;

/** Events one second apart, from second 1. */
function eventsOf(bodies: readonly Body[]): readonly AgentEvent[] {
  // A body with a session and a time is an event.
  return bodies.map((body, index) => ({ ...body, sessionId: "s", at: (index + 1) * 1_000 }) as AgentEvent);
}

function play(bodies: readonly Body[], model: ChatModel = EMPTY_CHAT): ChatModel {
  return eventsOf(bodies).reduce(reduceChat, model);
}

const TOOL = { toolId: "t1", toolName: "Bash", kind: "shell", input: { command: "npm test" } } as const;

const REQUEST: PermissionRequest = {
  ...{ id: "p1", sessionId: "s", kind: "shell", toolName: "Bash", title: "npm test" },
  ...{ paths: [], command: "npm test" },
};

const USAGE = { inputTokens: 10, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0.5 };

test("text and thinking collect their deltas, and end where something else starts", () => {
  const { entries } = play([
    { type: "turn-start" },
    { type: "thinking-delta", text: "hm" },
    { type: "thinking-delta", text: "m" },
    { type: "text-delta", text: "I" },
    { type: "text-delta", text: " see" },
    { type: "tool-start", ...TOOL },
    { type: "text-delta", text: "Done" },
    { type: "turn-end", outcome: "completed" },
  ]);
  expect<readonly ChatEntry[]>(entries).toEqual([
    { type: "thinking", id: "e1", at: 2_000, text: "hmm", endedAt: 4_000 },
    { type: "text", id: "e2", at: 4_000, text: "I see", isStreaming: false },
    { type: "tool", id: "e3", at: 6_000, ...TOOL, status: "failed", output: "", endedAt: 8_000 },
    { type: "text", id: "e4", at: 7_000, text: "Done", isStreaming: false },
    {
      ...{ type: "turn-end", id: "e5", at: 8_000, outcome: "completed", durationMs: 7_000 },
      usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
    },
  ]);
});

test("a delta changes only its own entry", () => {
  const before = play([{ type: "turn-start" }, { type: "tool-start", ...TOOL }, { type: "text-delta", text: "a" }]);
  const after = play([{ type: "text-delta", text: "b" }], before);
  expect(after.entries[0]).toBe(before.entries[0]);
  expect(after.entries[1]).toEqual({ type: "text", id: "e2", at: 3_000, text: "ab", isStreaming: true });
});

describe("a tool call", () => {
  const start: Body = { type: "tool-start", ...TOOL };
  const end = (isError: boolean): Body => ({
    type: "tool-end",
    toolId: "t1",
    toolName: "Bash",
    isError,
    output: "out",
  });
  const base = { type: "tool", id: "e1", at: 1_000, ...TOOL } as const;

  test.each([
    {
      title: "is done with its output",
      events: [start, end(false)],
      is: { status: "done", output: "out", endedAt: 2_000 },
    },
    {
      title: "fails with its output",
      events: [start, end(true)],
      is: { status: "failed", output: "out", endedAt: 2_000 },
    },
    {
      title: "keeps the request that a person had to approve",
      events: [start, { type: "permission-ask", request: REQUEST }, end(false)],
      is: { status: "done", output: "out", request: REQUEST, endedAt: 3_000 },
    },
    {
      title: "is denied with the reason, whatever its end says",
      events: [
        start,
        {
          type: "permission-denied",
          denied: { toolName: "Bash", kind: "shell", title: "npm test", reason: "The user said no." },
        },
        end(true),
      ],
      is: { status: "denied", output: "out", reason: "The user said no.", endedAt: 3_000 },
    },
  ] as { title: string; events: Body[]; is: object }[])("$title", ({ events, is }) => {
    expect<unknown>(play(events).entries).toEqual([{ ...base, ...is }]);
  });

  describe("among others of the same tool", () => {
    const two: Body[] = [start, { type: "tool-start", ...TOOL, toolId: "t2" }];
    const denied = { toolName: "Bash", kind: "shell", title: "npm test", reason: "No." } as const;

    test.each<{ readonly id: string; readonly requests: boolean[] }>([
      { id: "t1", requests: [true, false] },
      { id: "t2", requests: [false, true] },
      { id: "of the vendor", requests: [false, false] },
    ])("has the request with the id $id: $requests", ({ id, requests }) => {
      const { entries } = play([...two, { type: "permission-ask", request: { ...REQUEST, id } }]);
      expect(entries.map((entry) => "request" in entry)).toEqual(requests);
    });

    test("is not called denied where another one may be meant", () => {
      const { entries } = play([...two, { type: "permission-denied", denied }]);
      expect(entries).toMatchObject([
        { status: "running" },
        { status: "running" },
        { type: "notice", text: "Denied: npm test. No." },
      ]);
    });

    test("is denied after its end, where none runs", () => {
      const { entries } = play([...two, end(true), { ...end(true), toolId: "t2" } as Body]);
      const last = play([{ type: "permission-denied", denied }], { ...EMPTY_CHAT, entries });
      expect(last.entries).toMatchObject([{ status: "failed" }, { status: "denied", reason: "No." }]);
    });
  });

  test("that no event announced is denied in a notice", () => {
    const denied = { toolName: "Write", kind: "edit", title: "write a.ts", reason: "Not allowed." } as const;
    expect<unknown>(play([{ type: "permission-denied", denied }]).entries).toEqual([
      {
        ...{ type: "notice", id: "e1", at: 1_000, tone: "warning", isMarkdown: false },
        text: "Denied: write a.ts. Not allowed.",
      },
    ]);
  });
});

test("an answer that broke off is shown once, below what the agent said before it", () => {
  const shown = (bodies: readonly Body[]): readonly unknown[] =>
    play([{ type: "turn-start" }, ...bodies]).entries.map((entry) => [entry.type, "text" in entry ? entry.text : ""]);
  const half: Body = { type: "text-delta", text: "Half of" };
  const again: readonly Body[] = [{ type: "text-restart" }, { type: "text-delta", text: "\n\nHalf of it." }];
  const said: Body = { type: "text-delta", text: "First.\n\n" };
  const notice = ["notice", "The answer broke off, and starts again."];
  expect([
    shown([half, ...again]),
    shown([said, { type: "usage", usage: USAGE }, half, ...again]),
    shown([{ type: "tool-start", ...TOOL }, half, { type: "text-restart" }, { type: "thinking-delta", text: "Hm" }]),
    shown([{ type: "text-restart" }, half]),
  ]).toEqual([
    [notice, ["text", "Half of it."]],
    [["text", "First."], notice, ["text", "Half of it."]],
    [["tool", ""], notice, ["thinking", "Hm"]],
    [["text", "Half of"]],
  ]);
});

test("a sub-agent starts and ends with its result", () => {
  const { entries } = play([
    { type: "subagent-start", subagentId: "a", title: "Look around", subagentType: "Explore", task: "Find it" },
    { type: "subagent-start", subagentId: "b", title: "Other" },
    { type: "subagent-end", subagentId: "a", isError: false, result: "Found" },
    { type: "subagent-end", subagentId: "b", isError: true },
  ]);
  expect<unknown>(entries).toEqual([
    {
      ...{ type: "subagent", id: "e1", at: 1_000, subagentId: "a", title: "Look around", subagentType: "Explore" },
      ...{ task: "Find it", status: "done", result: "Found", endedAt: 3_000 },
    },
    { type: "subagent", id: "e2", at: 2_000, subagentId: "b", title: "Other", status: "failed", endedAt: 4_000 },
  ]);
});

test("the turn says what the agent does and since when, and what it waits for", () => {
  const started = addUserMessage(EMPTY_CHAT, { at: 500, text: "go" });
  expect(started.turn).toMatchObject({ startedAt: 500, activity: "waiting for the model", since: 500 });
  const wait: Body = { type: "waiting", reason: "rate-limit", message: "slow down", retryAt: 9_000 };
  const thinking = play([{ type: "turn-start" }, { type: "thinking-delta", text: "a" }], started);
  expect(thinking.turn).toMatchObject({ activity: "thinking", since: 2_000 });
  const longer = play([{ type: "thinking-delta", text: "b" }], thinking);
  expect(longer.turn).toMatchObject({ activity: "thinking", since: 2_000 });
  const waiting = play([wait], longer);
  expect(waiting.turn?.waiting).toMatchObject({ reason: "rate-limit", retryAt: 9_000 });
  const asking = play([{ type: "permission-ask", request: REQUEST }], waiting);
  expect(asking.turn).toMatchObject({ activity: "asks you", waiting: undefined });
  expect(play([{ type: "turn-end", outcome: "aborted" }], asking).turn).toBeUndefined();
});

test("usage adds up in the turn and in the conversation", () => {
  const one = play([{ type: "turn-start" }, { type: "usage", usage: USAGE }, { type: "usage", usage: USAGE }]);
  expect([one.turn?.usage.costUsd, one.usage.inputTokens]).toEqual([1, 20]);
  const two = play(
    [
      { type: "turn-end", outcome: "completed" },
      { type: "usage", usage: USAGE },
    ],
    one,
  );
  expect([two.turn, two.usage.costUsd]).toEqual([undefined, 1.5]);
});

test.each([
  { event: { type: "compacted" }, notice: ["info", "The conversation was compacted."] },
  { event: { type: "stalled", silentMs: 61_000 }, notice: ["warning", "The agent has been silent for 61s."] },
  { event: { type: "error", message: "No credit.", code: "X" }, notice: ["error", "No credit."] },
] as { event: Body; notice: string[] }[])("$event.type is a notice", ({ event, notice: [tone, text] }) => {
  expect<unknown>(play([event]).entries).toEqual([
    { type: "notice", id: "e1", at: 1_000, tone, text, isMarkdown: false },
  ]);
});

test("an event of a vendor changes nothing", () => {
  expect(play([{ type: "vendor", name: "x", data: {} }])).toBe(EMPTY_CHAT);
});

test("steering is a message without a turn of its own", () => {
  const model = addUserMessage(EMPTY_CHAT, { at: 1, text: "faster", isSteering: true, attachments: ["@a"] });
  expect(model.turn).toBeUndefined();
  expect<unknown>(model.entries).toEqual([
    { type: "user", id: "e1", at: 1, text: "faster", attachments: ["@a"], isSteering: true },
  ]);
});

describe("what comes while the agent writes is below the block that is being written", () => {
  const steer = (model: ChatModel) => addUserMessage(model, { at: 9, text: "use yarn", isSteering: true });
  const texts = ({ entries }: ChatModel): readonly unknown[] =>
    entries.map((entry) =>
      entry.type === "text"
        ? [entry.text, entry.isStreaming]
        : "text" in entry
          ? [entry.type, entry.text]
          : [entry.type],
    );
  const writing = play([{ type: "turn-start" }, { type: "text-delta", text: "I inst" }]);

  test("the next message of the agent is a paragraph below it, and one of its own where nothing came between", () => {
    const said: readonly Body[] = [
      { type: "text-delta", text: "all it." },
      { type: "usage", usage: USAGE },
      { type: "text-delta", text: "\n\nWith yarn." },
    ];
    expect([texts(play(said, steer(writing))), texts(play(said, writing))]).toEqual([
      [
        ["I install it.", false],
        ["user", "use yarn"],
        ["With yarn.", true],
      ],
      [["I install it.\n\nWith yarn.", true]],
    ]);
  });

  test("a message into the turn does not cut a sentence", () => {
    const model = play(
      [
        { type: "text-delta", text: "all it" },
        { type: "text-delta", text: " now." },
      ],
      steer(writing),
    );
    expect(texts(model)).toEqual([
      ["I install it now.", true],
      ["user", "use yarn"],
    ]);
  });

  test("the next paragraph is below it", () => {
    const model = play(
      [
        { type: "text-delta", text: "all it.\n\nSure, " },
        { type: "text-delta", text: "yarn." },
      ],
      steer(writing),
    );
    expect(texts(model)).toEqual([
      ["I install it.\n\n", false],
      ["user", "use yarn"],
      ["Sure, yarn.", true],
    ]);
  });

  test("so is what the next call of the model says, also without a paragraph", () => {
    const model = play(
      [
        { type: "text-delta", text: "all it." },
        { type: "usage", usage: USAGE },
        { type: "text-delta", text: "Sure, yarn." },
        { type: "tool-start", ...TOOL },
      ],
      steer(writing),
    );
    expect(texts(model)).toEqual([["I install it.", false], ["user", "use yarn"], ["Sure, yarn.", false], ["tool"]]);
  });

  test("a notice cuts nothing either, nor does a message cut a thought", () => {
    const noticed = play(
      [{ type: "text-delta", text: "all it." }],
      addNotice(writing, { at: 9, text: "A run has ended" }),
    );
    expect(texts(noticed)).toEqual([
      ["I install it.", true],
      ["notice", "A run has ended"],
    ]);
    const thinking = play([{ type: "turn-start" }, { type: "thinking-delta", text: "h" }]);
    const thought = play(
      [
        { type: "thinking-delta", text: "m" },
        { type: "text-delta", text: "Yes" },
      ],
      steer(thinking),
    );
    expect(texts(thought)).toEqual([
      ["thinking", "hm"],
      ["user", "use yarn"],
      ["Yes", true],
    ]);
  });
});

test("a command of the user collects its output and its exit code", () => {
  const started = addEntry(EMPTY_CHAT, { type: "shell", at: 1, command: "ls", output: "" });
  const said = reduceShell(started, "e1", { output: "a\n", at: 2 });
  const ended = reduceShell(said, "e1", { output: "b\n", exitCode: 3, at: 4 });
  expect<unknown>(ended.entries).toEqual([
    { type: "shell", id: "e1", at: 1, command: "ls", output: "a\nb\n", exitCode: 3, endedAt: 4 },
  ]);
});

test("ids are not reused after the conversation was cut", () => {
  const model = addNotice(addNotice(EMPTY_CHAT, { at: 1, text: "one" }), { at: 2, text: "two" });
  const cut = cutBefore(model, "e2");
  expect(addNotice(cut, { at: 3, text: "three" }).entries.map(({ id }) => id)).toEqual(["e1", "e3"]);
  expect(cutBefore(model, "gone")).toBe(model);
});
