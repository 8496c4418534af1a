import { describe, expect, test } from "bun:test";
import type { AgentEventBody, RunEvent } from "../../contracts/index.ts";
import { agentEvent, nodeEnd, nodeStart, runEnd, runStart, usageOf } from "./fixtures/run-events.ts";
import { EMPTY_RUN, elapsedMsOf, leaveRun, type RunModel, reduceRun } from "./run-model.ts";

const statuses = ({ visits }: RunModel) => [...visits.values()].map(({ taskId, status }) => `${taskId} ${status}`);
const agents = ({ agents }: RunModel) => [...agents.values()].map(({ id, status }) => `${id} ${status}`);
const play = (...events: readonly RunEvent[]): RunModel => reduceRun(EMPTY_RUN, events);

test("nothing of a cancelled run waits", () => {
  const about = { taskId: "nap", nodeId: "nap", runId: "r", at: 3 } as const;
  const end = runEnd("cancelled", 9);
  const { visits } = play(runStart(1), nodeStart("nap"), { ...about, type: "node-sleep", until: 99 }, end);
  expect([...visits.values()].map(({ status, worked, until }) => ({ status, worked, until }))).toEqual([
    { status: "stopped", worked: [{ startedAt: 2, endedAt: 9 }], until: undefined },
  ]);
});

describe("a visit", () => {
  const work = { taskId: "work", nodeId: "work", runId: "r" };
  const error = { code: "X", message: "It broke." };
  const request = { id: "work", nodeId: "work", question: "Ship it?", askedAt: 3 };
  test.each<{ readonly title: string; readonly events: readonly RunEvent[]; readonly status: string }>([
    { title: "runs", events: [], status: "running" },
    { title: "is done", events: [nodeEnd("work", 5)], status: "done" },
    { title: "was skipped", events: [{ ...nodeEnd("work", 5), isSkipped: true }], status: "skipped" },
    { title: "failed", events: [{ ...work, at: 5, type: "node-error", attempt: 1, error }], status: "failed" },
    {
      title: "waits for its next attempt",
      events: [{ ...work, at: 5, type: "node-error", attempt: 1, error, retryAt: 9 }],
      status: "retrying",
    },
    {
      title: "runs again",
      events: [
        { ...work, at: 5, type: "node-error", attempt: 1, error, retryAt: 9 },
        nodeStart("work", { at: 9, attempt: 2 }),
      ],
      status: "running",
    },
    { title: "sleeps", events: [{ ...work, at: 5, type: "node-sleep", until: 90 }], status: "sleeping" },
    { title: "was dropped", events: [{ ...work, at: 5, type: "node-dropped" }], status: "stopped" },
    { title: "asks", events: [{ ...work, at: 5, type: "request", request }], status: "asking" },
    { title: "stopped with its process", events: [runEnd("cancelled", 5)], status: "stopped" },
    { title: "ended its run", events: [runEnd("failed", 5, { ...error, nodeId: "work" })], status: "failed" },
    { title: "was killed", events: [runStart(50, true)], status: "stopped" },
  ])("$title", ({ events, status }) => {
    expect(statuses(play(runStart(1), nodeStart("work", { at: 2 }), ...events))).toEqual([`work ${status}`]);
  });

  test("that asks has its question until somebody answers", () => {
    const asked = play(runStart(1), nodeStart("work"), { ...work, at: 3, type: "request", request });
    expect([...asked.questions]).toEqual([["work", { taskId: "work", request }]]);
    const answered = reduceRun(asked, [{ ...work, at: 4, type: "answer", requestId: "work", value: "yes" }]);
    expect([...answered.questions]).toEqual([]);
    expect(statuses(answered)).toEqual(["work done"]);
  });
});

test("a session that is continued has the time since then, not that of the wait before", () => {
  const session: RunEvent = {
    ...{ type: "agent-session", taskId: "work", nodeId: "work", runId: "r", at: 3 },
    ...{ agentType: "claude", sessionId: "s", isResumed: false },
  };
  const again = { ...session, at: 90_000, isResumed: true };
  const model = play(runStart(1), nodeStart("work"), session, runEnd("failed", 9), runStart(89_000, true), again);
  expect([...model.agents.values()].map(({ startedAt, endedAt }) => [startedAt, endedAt])).toEqual([
    [90_000, undefined],
  ]);
});

test("a visit keeps the end of what it logs and of its commands", () => {
  const about = { runId: "r", at: 3, taskId: "verify", nodeId: "verify" };
  const events: readonly RunEvent[] = [
    { ...about, type: "log", message: "Look" },
    { ...about, type: "command-end", command: "npm test", exitCode: 1, durationMs: 5, output: "1 failed\n" },
    ...Array.from({ length: 98 }, (_, index): RunEvent => ({ ...about, type: "log", message: `${index}` })),
  ];
  const visit = play(nodeStart("verify"), ...events).visits.get("verify");
  expect(visit?.log?.slice(0, 3)).toEqual(["$ npm test  exit code 1", "1 failed", "0"]);
  expect(visit).toMatchObject({ status: "running", log: expect.any(Array) });
});

test("a command is known while it runs, and has its exit code and its output after it, also beside another one", () => {
  const about = { runId: "r", at: 3, taskId: "verify", nodeId: "verify" };
  const begin = (command: string): RunEvent => ({ ...about, type: "command-start", command });
  const end = (command: string, exitCode: number, output: string): RunEvent => ({
    ...{ ...about, type: "command-end", command, exitCode, durationMs: 5, output },
  });
  const logOf = (...events: readonly RunEvent[]) => play(nodeStart("verify"), ...events).visits.get("verify")?.log;
  expect(logOf(begin("npm ci\nnpm test"))).toEqual(["$ npm ci", "npm test"]);
  expect(logOf(begin("npm test"), end("npm test", 1, "1 failed\n"))).toEqual(["$ npm test  exit code 1", "1 failed"]);
  expect(logOf(begin("a"), begin("b"), end("a", 0, "first"), end("b", 2, ""))).toEqual([
    ...["$ a", "$ b", "$ a  exit code 0", "first", "$ b  exit code 2"],
  ]);
});

describe("an agent", () => {
  const session: RunEvent = {
    ...{ type: "agent-session", taskId: "work", nodeId: "work", runId: "r", at: 3 },
    ...{ agentType: "claude", sessionId: "s", isResumed: false },
  };
  const prompt: RunEvent = { ...session, type: "agent-prompt", message: "Do it." };
  const say = (text: string, at = 5) => agentEvent("work", { type: "text-delta", sessionId: "s", text }, at);

  test("has a thread of what it was asked and what it says", () => {
    const model = play(runStart(1), nodeStart("work"), session, prompt, say("Hel"), say("lo"));
    const [agent] = model.agents.values();
    expect(agent).toMatchObject({ id: "work s", agentType: "claude", status: "open", startedAt: 3 });
    expect(agent?.thread.entries).toEqual([
      { type: "user", id: "e1", at: 3, text: "Do it.", attachments: [], isSteering: false },
      { type: "text", id: "e2", at: 5, text: "Hello", isStreaming: true },
    ]);
    expect(agent?.thread.turn?.activity).toBe("writing");
  });

  test("ends with its visit, and a session that is continued opens again", () => {
    const model = play(runStart(1), nodeStart("work"), session, nodeEnd("work", 9));
    expect(agents(model)).toEqual(["work s done"]);
    expect(agents(reduceRun(model, [{ ...session, at: 10, isResumed: true }]))).toEqual(["work s open"]);
  });

  test("keeps the end of a long thread, and the start and end of a long output", () => {
    const events = Array.from({ length: 400 }, (_, index): readonly RunEvent[] => {
      const about = { sessionId: "s", toolId: `t${index}`, toolName: "Bash" };
      const start: AgentEventBody = { ...about, type: "tool-start", kind: "shell", input: {} };
      const end: AgentEventBody = { ...about, type: "tool-end", isError: false, output: "x".repeat(20_000) };
      return [agentEvent("work", start), agentEvent("work", end)];
    }).flat();
    const [agent] = play(nodeStart("work"), ...events).agents.values();
    expect(agent?.thread.entries.length).toBeLessThanOrEqual(300);
    const last = agent?.thread.entries.at(-1);
    expect(last).toMatchObject({ type: "tool", toolId: "t399", status: "done" });
    expect(last?.type === "tool" ? last.output.length : 0).toBe(16_021);
  });

  test.each([
    { title: "was killed", end: runStart(50, true) },
    { title: "was cancelled", end: runEnd("cancelled", 50) },
  ])(
    "is done when it had answered before its process $title, as its work is used, and stopped when it had not",
    ({ end }) => {
      const turn = (taskId: string, outcome?: "completed" | "failed"): readonly RunEvent[] => [
        nodeStart(taskId),
        agentEvent(taskId, { type: "turn-start", sessionId: "s" }),
        ...(outcome === undefined ? [] : [agentEvent(taskId, { type: "turn-end", sessionId: "s", outcome })]),
      ];
      const again = { ...prompt, taskId: "asked", sessionId: "s" };
      const turns = [
        ...turn("a", "completed"),
        ...turn("b"),
        ...turn("c", "failed"),
        ...turn("asked", "completed"),
        again,
      ];
      const model = play(runStart(1), ...turns, end);
      expect(agents(model)).toEqual(["a s done", "b s stopped", "c s stopped", "asked s stopped"]);
      expect(agents(leaveRun(play(runStart(1), ...turns)))).toEqual(agents(model));
      expect(agents(reduceRun(model, [runStart(60, true), nodeStart("a", { attempt: 2 }), nodeEnd("a", 70)]))[0]).toBe(
        "a s done",
      );
    },
  );

  test("that writes changes no other agent", () => {
    const other = { ...session, taskId: "other", nodeId: "other", sessionId: "o" };
    const model = play(runStart(1), nodeStart("work"), nodeStart("other"), session, other);
    const next = reduceRun(model, [say("Hello")]);
    expect(next.agents.get("other o")).toBe(model.agents.get("other o"));
    expect(next.visits).toBe(model.visits);
  });
});

test("the usage of a run is the sum of its agents', and its end has the total", () => {
  const spend = agentEvent("work", { type: "usage", sessionId: "s", usage: usageOf(100, 0.5) });
  const model = play(runStart(1), nodeStart("work"), spend, spend);
  expect(model.usage).toEqual(usageOf(200, 1));
  expect(reduceRun(model, [{ ...runEnd("completed", 9), usage: usageOf(300, 2) }]).usage).toEqual(usageOf(300, 2));
});

test("the time of a run is that of its processes, without the time between them", () => {
  const first = play(runStart(1_000), nodeStart("work", { at: 4_000 }));
  expect(elapsedMsOf(first, 6_000)).toBe(5_000);
  const killed = reduceRun(first, [runStart(90_000, true)]);
  expect(elapsedMsOf(killed, 91_000)).toBe(4_000);
  expect(elapsedMsOf(reduceRun(killed, [runEnd("completed", 92_000)]), 99_000)).toBe(5_000);
});

test("twelve agents that write at the same time take little time", () => {
  const opened = Array.from({ length: 12 }, (_, index) => nodeStart(`map[${index}]/work`));
  const deltas = Array.from({ length: 20_000 }, (_, index) =>
    agentEvent(`map[${index % 12}]/work`, { type: "text-delta", sessionId: `s${index % 12}`, text: "word " }),
  );
  const begun = performance.now();
  let model = play(runStart(1), ...opened);
  for (let at = 0; at < deltas.length; at += 40) model = reduceRun(model, deltas.slice(at, at + 40));
  expect(performance.now() - begun).toBeLessThan(1_500);
  expect(model.agents.size).toBe(12);
});
