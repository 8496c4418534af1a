import { describe, expect, test } from "bun:test";
import { AgentTurnError, SessionBusyError, type ToolVerdict } from "../../contracts/index.ts";
import { createFakeAgent, type FakeScript } from "../fixtures/fake-agent.ts";
import type { HookContext, UnifiedHookEvent } from "./hook-context.ts";
import { HookManager } from "./hook-manager.ts";

const NOW = new Date("2026-11-22T04:00:00Z");
const USAGE = { inputTokens: 10, outputTokens: 3, cacheReadTokens: 0, cacheWriteTokens: 0 };
const NOTHING_SPENT = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
const READ = { toolId: "t1", toolName: "Read", kind: "read", input: { path: "a.ts" } } as const;
const SHELL = { toolId: "t2", toolName: "Bash", kind: "shell", input: { command: "false" } } as const;
const REQUEST = {
  id: "p1",
  sessionId: "s1",
  kind: "shell",
  toolName: "Bash",
  title: "Run false",
  paths: [],
  command: "false",
} as const;

const EVENTS: readonly UnifiedHookEvent[] = [
  "session.start",
  "session.end",
  "session.error",
  "tool.before",
  "tool.after",
  "tool.error",
  "message.before",
  "message.after",
  "permission.request",
  "notification",
  "subagent.start",
  "subagent.end",
  "compact.before",
  "compact.after",
];

/** Hooks that note every event, and the errors of their handlers. */
function notingHooks() {
  const noted: unknown[] = [];
  const errors: unknown[] = [];
  const hooks = new HookManager({
    now: () => NOW,
    onHandlerError: (error, { event }) => errors.push([event, String(error)]),
  });
  for (const event of EVENTS) {
    hooks.on(event, (context) => {
      noted.push([context.event, context.sessionId, context.data]);
    });
  }
  return { hooks, noted, errors };
}

const BUSY_TURN: FakeScript = ({ publish }) =>
  publish(
    { type: "text-delta", text: "I look." },
    { type: "tool-start", ...READ },
    { type: "tool-end", toolId: "t1", toolName: "Read", isError: false, output: "A" },
    { type: "permission-ask", request: REQUEST },
    { type: "tool-start", ...SHELL },
    { type: "tool-end", toolId: "t2", toolName: "Bash", isError: true, output: "exit code 1" },
    { type: "subagent-start", subagentId: "a1", title: "Search", subagentType: "Explore", task: "Look." },
    { type: "subagent-end", subagentId: "a1", isError: false, result: "Found." },
    { type: "usage", usage: USAGE },
    { type: "text-delta", text: "Done." },
  );

describe("hooks hear", () => {
  test("everything of a session's life, in order", async () => {
    const { hooks, noted } = notingHooks();
    const client = hooks.attach(createFakeAgent([BUSY_TURN]));
    const session = await client.createSession();
    expect((await session.send("Go.")).content).toBe("I look.\n\nDone.");
    await session.destroy();
    await session.destroy();
    await client.deleteSession("s1");
    expect(noted).toEqual([
      ["session.start", "s1", { origin: "create" }],
      ["message.before", "s1", { prompt: "Go." }],
      ["tool.before", "s1", READ],
      ["tool.after", "s1", { ...READ, output: "A" }],
      ["permission.request", "s1", { request: REQUEST }],
      ["notification", "s1", { kind: "permission", message: "Run false" }],
      ["tool.before", "s1", SHELL],
      ["tool.error", "s1", { ...SHELL, output: "exit code 1" }],
      ["subagent.start", "s1", { subagentId: "a1", title: "Search", subagentType: "Explore", task: "Look." }],
      ["subagent.end", "s1", { subagentId: "a1", isError: false, result: "Found." }],
      ["message.after", "s1", { outcome: "completed", content: "I look.\n\nDone.", usage: USAGE, toolUses: 2 }],
      ["session.end", "s1", { reason: "idle" }],
      ["session.end", "s1", { reason: "destroy" }],
      ["session.end", "s1", { reason: "delete" }],
    ]);
  });

  test("what a person may want to look at, a wait only once", async () => {
    const { hooks, noted } = notingHooks();
    const question = { id: "q1", sessionId: "s1", question: "Which one?", options: [], isMultiple: false };
    const retryAt = Date.now() + 3_600_000;
    const wait = { type: "waiting", reason: "rate-limit", message: "Slow down", retryAt } as const;
    const script: FakeScript = ({ publish }) =>
      publish(
        { type: "question-ask", question },
        wait,
        { ...wait, retryAt: retryAt + 4 },
        { type: "vendor", name: "system/notification", data: { text: "Look here" } },
        { type: "vendor", name: "system/status", data: { text: "busy" } },
        { type: "text-delta", text: "Well" },
        wait,
        { type: "stalled", silentMs: 1_500 },
      );
    await (await hooks.attach(createFakeAgent([script])).createSession()).send("Go.");
    const notifications = noted.filter((call) => (call as readonly unknown[])[0] === "notification"); // `notingHooks` notes lists
    const waiting = { kind: "waiting", message: "Slow down", retryAt };
    expect(notifications).toEqual(
      [
        { kind: "question", message: "Which one?" },
        waiting,
        { kind: "vendor", message: "Look here" },
        waiting,
        { kind: "stalled", message: "No sign of life for 2 s" },
      ].map((data) => ["notification", "s1", data]),
    );
  });

  test("compactions, by the program and by the agent", async () => {
    const { hooks, noted } = notingHooks();
    const client = hooks.attach(createFakeAgent([({ publish }) => publish({ type: "compacted" })]));
    const session = await client.createSession();
    await session.summarize();
    await session.send("Go.");
    const compactions = noted.filter((call) => String((call as readonly unknown[])[0]).startsWith("compact.")); // `notingHooks` notes lists
    expect(compactions).toEqual([
      ["compact.before", "s1", { trigger: "manual" }],
      ["compact.after", "s1", { trigger: "manual" }],
      ["compact.after", "s1", { trigger: "auto" }],
    ]);
  });

  test("how a conversation was opened, and its end when the client stops", async () => {
    const { hooks, noted } = notingHooks();
    const client = hooks.attach(createFakeAgent([]));
    await client.createSession();
    await client.resumeSession("s1");
    await client.forkSession("s1");
    await client.stop();
    await client.stop();
    expect(noted).toEqual([
      ["session.start", "s1", { origin: "create" }],
      ["session.start", "s1", { origin: "resume" }],
      ["session.start", "s1-fork", { origin: "fork", forkedFrom: "s1" }],
      ["session.end", "s1", { reason: "destroy" }],
      ["session.end", "s1", { reason: "destroy" }],
      ["session.end", "s1-fork", { reason: "destroy" }],
    ]);
  });

  test("of a turn that fails, and of the next one as of a new one", async () => {
    const { hooks, noted } = notingHooks();
    const fail: FakeScript = ({ publish }) => {
      publish({ type: "text-delta", text: "Half" });
      throw new AgentTurnError("fake", "no model");
    };
    const client = hooks.attach(
      createFakeAgent([fail, ({ publish }) => publish({ type: "text-delta", text: "Whole" })]),
    );
    const session = await client.createSession();
    noted.length = 0;
    await expect(session.send("Go.")).rejects.toThrow("no model");
    for await (const _ of session.stream("Again.")) {
      // Only the hooks count.
    }
    const message = 'The turn of the agent "fake" failed: no model';
    const after = { usage: NOTHING_SPENT, toolUses: 0 };
    expect(noted).toEqual([
      ["message.before", "s1", { prompt: "Go." }],
      ["session.error", "s1", { message, code: "AGENT_TURN_FAILED" }],
      ["message.after", "s1", { outcome: "failed", content: "Half", ...after }],
      ["session.end", "s1", { reason: "idle" }],
      ["message.before", "s1", { prompt: "Again." }],
      ["message.after", "s1", { outcome: "completed", content: "Whole", ...after }],
      ["session.end", "s1", { reason: "idle" }],
    ]);
  });

  test("nothing of sessions that were not opened through them", async () => {
    const { hooks, noted } = notingHooks();
    const agent = createFakeAgent([BUSY_TURN]);
    hooks.attach(agent);
    await (await agent.createSession()).send("Go.");
    expect(noted).toEqual([]);
  });

  test("who asks, and when", async () => {
    const hooks = new HookManager({ now: () => NOW, onHandlerError: () => {} });
    const heard: HookContext[] = [];
    hooks.on("message.before", (context) => void heard.push(context));
    await (await hooks.attach(createFakeAgent([() => {}])).createSession()).send("Go.");
    expect(heard).toEqual([
      { event: "message.before", sessionId: "s1", agentType: "fake", timestamp: NOW, data: { prompt: "Go." } },
    ]);
  });

  test("no longer what they no longer listen to", async () => {
    const hooks = new HookManager({ onHandlerError: () => {} });
    const heard: string[] = [];
    const handler = () => void heard.push("heard");
    const off = hooks.on("message.before", handler);
    hooks.on("message.before", handler);
    off();
    off();
    await (await hooks.attach(createFakeAgent([() => {}])).createSession()).send("Go.");
    expect(heard).toEqual(["heard"]);
  });
});

describe("a handler", () => {
  test("that throws or rejects breaks nothing and is reported", async () => {
    const { hooks, noted, errors } = notingHooks();
    hooks.on("message.before", () => {
      throw new Error("thrown");
    });
    hooks.on("message.after", () => Promise.reject(new Error("rejected")));
    const session = await hooks.attach(createFakeAgent([() => {}])).createSession();
    await session.send("Go.");
    await hooks.whenIdle();
    expect(errors).toEqual([
      ["message.before", "Error: thrown"],
      ["message.after", "Error: rejected"],
    ]);
    expect(noted).toHaveLength(4);
  });

  test("is waited for before a message is sent, so that messages keep their order", async () => {
    const hooks = new HookManager({ onHandlerError: () => {} });
    const { promise: firstMayGo, resolve: letFirstGo } = Promise.withResolvers<void>();
    hooks.on("message.before", ({ data }) => (data.prompt === "first" ? firstMayGo : undefined));
    const agent = createFakeAgent([() => {}, () => {}]);
    const session = await hooks.attach(agent).createSession();
    const replies = [session.send("first", { whenBusy: "wait" }), session.send("second", { whenBusy: "wait" })];
    await new Promise((done) => setImmediate(done));
    expect(agent.sent).toEqual([]);
    letFirstGo();
    await Promise.all(replies);
    expect(agent.sent.map(({ prompt }) => prompt)).toEqual(["first", "second"]);
  });

  test("that never ends does not outlast an abort", async () => {
    const hooks = new HookManager({ onHandlerError: () => {} });
    hooks.on("message.before", () => new Promise(() => {}));
    const session = await hooks.attach(createFakeAgent([])).createSession();
    const controller = new AbortController();
    const reply = session.send("Go.", { signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(reply).rejects.toThrow("enough");
  });

  test("that takes its time is known to whenIdle", async () => {
    const hooks = new HookManager({ onHandlerError: () => {} });
    const { promise, resolve } = Promise.withResolvers<void>();
    let isDone = false;
    hooks.on("message.after", async () => {
      await promise;
      isDone = true;
    });
    await (await hooks.attach(createFakeAgent([() => {}])).createSession()).send("Go.");
    expect(isDone).toBe(false);
    resolve();
    await hooks.whenIdle();
    expect(isDone).toBe(true);
  });
});

test("a message to a busy session has a message.before and no message.after", async () => {
  const { hooks, noted } = notingHooks();
  const { promise, resolve } = Promise.withResolvers<void>();
  const session = await hooks.attach(createFakeAgent([() => promise])).createSession();
  const first = session.send("first");
  await expect(session.send("second")).rejects.toThrow(SessionBusyError);
  resolve();
  await first;
  expect(noted.map((call) => (call as readonly unknown[])[0])).toEqual([
    "session.start",
    "message.before",
    "message.before",
    "message.after",
    "session.end",
  ]); // the cast is true: `notingHooks` notes lists
});

describe("an interceptor", () => {
  /** The result of one tool call. */
  async function verdictOf(hooks: HookManager, own?: ToolVerdict): Promise<unknown> {
    const verdicts: unknown[] = [];
    const script: FakeScript = async ({ intercept }) => void verdicts.push(await intercept(READ));
    const config = own === undefined ? {} : { beforeTool: async () => own };
    await (await hooks.attach(createFakeAgent([script])).createSession(config)).send("Go.");
    return verdicts[0];
  }

  test("sees the call, and allows it by returning nothing", async () => {
    const hooks = new HookManager({ now: () => NOW, onHandlerError: () => {} });
    const seen: unknown[] = [];
    hooks.intercept("tool.before", (context) => {
      seen.push(context);
      return;
    });
    expect(await verdictOf(hooks)).toEqual({ type: "continue" });
    expect(seen).toEqual([{ event: "tool.before", sessionId: "s1", agentType: "fake", timestamp: NOW, data: READ }]);
  });

  test.each<{
    title: string;
    verdicts: readonly (ToolVerdict | undefined)[];
    own?: ToolVerdict;
    expected: ToolVerdict;
    inputs: readonly unknown[];
  }>([
    {
      title: "changes are handed from one to the next, the session's own first",
      own: { type: "continue", input: 0 },
      verdicts: [{ type: "continue", input: 1 }, undefined, { type: "continue" }, { type: "continue", input: 2 }],
      expected: { type: "continue", input: 2 },
      inputs: [0, 1, 1, 1],
    },
    {
      title: "the first that blocks wins",
      verdicts: [
        { type: "continue", input: 1 },
        { type: "block", reason: "no" },
        { type: "block", reason: "never" },
      ],
      expected: { type: "block", reason: "no" },
      inputs: [READ.input, 1],
    },
    {
      title: "what the session's own blocks is not asked again",
      own: { type: "block", reason: "own" },
      verdicts: [{ type: "continue" }],
      expected: { type: "block", reason: "own" },
      inputs: [],
    },
  ])("$title", async ({ verdicts, own, expected, inputs }) => {
    const hooks = new HookManager({ onHandlerError: () => {} });
    const seen: unknown[] = [];
    for (const verdict of verdicts) {
      hooks.intercept("tool.before", async ({ data }) => {
        seen.push(data.input);
        return verdict;
      });
    }
    expect(await verdictOf(hooks, own)).toEqual(expected);
    expect(seen).toEqual([...inputs]);
  });

  test("that throws blocks the call and is reported", async () => {
    const { hooks, errors } = notingHooks();
    hooks.intercept("tool.before", () => Promise.reject(new Error("no idea")));
    expect(await verdictOf(hooks)).toEqual({ type: "block", reason: "A hook failed: no idea" });
    expect(errors).toEqual([["tool.before", "Error: no idea"]]);
  });

  test("that was removed is not asked, and without any the session's own stays alone", async () => {
    const hooks = new HookManager({ onHandlerError: () => {} });
    hooks.intercept("tool.before", () => ({ type: "block", reason: "no" }))();
    expect(await verdictOf(hooks, { type: "continue", input: 7 })).toEqual({ type: "continue", input: 7 });
    expect(await verdictOf(hooks)).toEqual({ type: "continue" });
  });

  test("applies to sessions opened after it, until it is removed", async () => {
    const hooks = new HookManager({ onHandlerError: () => {} });
    const seen: string[] = [];
    const intercept = (name: string) => hooks.intercept("tool.before", () => void seen.push(name));
    const ask: FakeScript = ({ intercept: ask }) => ask(READ).then(() => undefined);
    const client = hooks.attach(createFakeAgent([ask, ask, ask]));
    const remove = intercept("early");
    const session = await client.createSession();
    intercept("late");
    await session.send("one");
    await (await client.createSession()).send("two");
    remove();
    await session.send("three");
    expect(seen).toEqual(["early", "early", "late"]);
  });

  test("is rejected for an agent without interceptors, whichever comes first; observers work there", async () => {
    const message =
      'The agent "fake" cannot let a hook block or change a tool call. Agents that can: claude, opencode, copilot.';
    const deaf = () => createFakeAgent([BUSY_TURN], { interceptTools: false });
    const before = new HookManager({ onHandlerError: () => {} });
    before.intercept("tool.before", () => undefined);
    expect(() => before.attach(deaf())).toThrow(message);
    const { hooks, noted } = notingHooks();
    await (await hooks.attach(deaf()).createSession()).send("Go.");
    expect(noted).toContainEqual(["tool.before", "s1", READ]);
    expect(() => hooks.intercept("tool.before", () => undefined)).toThrow(message);
  });
});
