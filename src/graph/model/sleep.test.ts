import { describe, expect, test } from "bun:test";
import type { RunEvent } from "../../contracts/index.ts";
import { graph } from "../builder.ts";
import { FinishedTooEarlyError } from "../decide/result-record.ts";
import { formatPlan } from "../dry-run/format-plan.ts";
import { logs, node, recordsOf, rejectionOf, TestState } from "../fixtures/test-nodes.ts";
import { readRunSummary } from "../journal/run-summary.ts";
import { type SleepNodeConfig, sleepNode } from "../nodes/flow/sleep-node.ts";
import type { RunOptions } from "../run/run-options.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import { RunControl } from "../steering/run-control.ts";
import type { NodeDefinition } from "./node-definition.ts";
import { InvalidSleepError, planSleep, resumeSleep } from "./sleep.ts";

const HOUR_MS = 3_600_000;

/** A graph that sleeps beside a branch of two nodes. */
function build(nap: NodeDefinition<TestState>, snapshotMinLength?: number) {
  const checkpointer = new MemorySaver();
  const compiled = graph(TestState)
    .start(node("before"))
    .parallel([nap, [node("a"), node("b")]], { names: ["nap", "work"] })
    .then(node("after"))
    .end()
    .compile({ checkpointer, ...(snapshotMinLength === undefined ? {} : { snapshotMinLength }) });
  return { checkpointer, compiled };
}

/** Runs until nothing is left but to sleep, and ends the process's part there. */
async function runUntilAsleep({ compiled }: ReturnType<typeof build>, options: RunOptions = {}) {
  const process = new AbortController();
  const seen = new Set<string>();
  const onEvent = (event: RunEvent): void => {
    if (event.type === "node-sleep" || event.type === "node-end") seen.add(event.taskId);
    if (seen.size === 4) process.abort(new Error("the process ends"));
  };
  return await compiled.run({}, { runId: "r", now: () => 0, signal: process.signal, onEvent, ...options });
}

const NAP = "parallel_1[nap]/nap";

describe("a sleepNode", () => {
  test("sleeps, and then the run continues", async () => {
    const events: string[] = [];
    const compiled = graph(TestState)
      .start(sleepNode<TestState>({ id: "nap", durationMs: 1 }))
      .then(node("after"))
      .end()
      .compile();
    const onEvent = (event: RunEvent): void => {
      if ("taskId" in event) events.push(`${event.type} ${event.taskId}`);
    };
    const { status, state, output } = await compiled.run({}, { onEvent });
    expect({ status, log: state.log, outputs: state.outputs, output }).toEqual({
      status: "completed",
      log: ["after"],
      outputs: {},
      output: { log: ["after"] },
    });
    expect(events).toEqual(["node-start nap", "node-sleep nap", "node-end nap", "node-start after", "node-end after"]);
  });

  test.each([
    { title: "no time", config: { durationMs: 0 } },
    { title: "a moment that is past", config: { until: new Date(0) } },
    { title: "a moment made of the state", config: { until: ({ total }: Readonly<TestState>) => total } },
  ])("does not rest for $title", async ({ config }) => {
    const checkpointer = new MemorySaver();
    const compiled = graph(TestState)
      .start(sleepNode<TestState>({ id: "nap", ...config }))
      .end()
      .compile({ checkpointer });
    expect((await compiled.run({ total: 5 }, { runId: "r", now: () => 5 })).status).toBe("completed");
    expect((await recordsOf(checkpointer, "r")).map(({ type }) => type)).toEqual(["run", "done", "end"]);
  });

  test("takes no place of maxConcurrency, is reported with its end, and stops with its process", async () => {
    const built = build(sleepNode<TestState>({ id: "nap", durationMs: HOUR_MS }));
    const { status } = await runUntilAsleep(built, { maxConcurrency: 1 });
    const { nodes } = await readRunSummary(built.checkpointer, "r");
    expect([status, nodes.map((each) => [each.taskId, each.status, each.wakesAt])]).toEqual([
      "cancelled",
      [
        ["before", "completed", undefined],
        [NAP, "sleeping", HOUR_MS],
        ["parallel_1[work]/a", "completed", undefined],
        ["parallel_1[work]/b", "completed", undefined],
      ],
    ]);
    await built.compiled.compact("r");
    const compacted = (await readRunSummary(built.checkpointer, "r")).nodes;
    expect(compacted.map((each) => [each.taskId, each.status, each.wakesAt])).toEqual([[NAP, "sleeping", HOUR_MS]]);
  });

  test.each([
    { title: "at once when the moment has passed", now: HOUR_MS },
    { title: "after what is left", now: HOUR_MS - 1 },
    { title: "no later than it would have when the clock was set back", now: -HOUR_MS, durationMs: 1 },
  ])("continues in another process $title, without asking again", async ({ now, durationMs = HOUR_MS }) => {
    for (const snapshotMinLength of [undefined, 0]) {
      const asked: (number | undefined)[] = [];
      const nap = sleepNode<TestState>({
        id: "nap",
        durationMs: (state, context) => {
          asked.push(state.log.length, context.attempt);
          return durationMs;
        },
      });
      const built = build(nap, snapshotMinLength);
      await runUntilAsleep(built);
      const events: string[] = [];
      const onEvent = (event: RunEvent): void => {
        if (event.type.startsWith("node-")) events.push(event.type);
      };
      const { status, state } = await built.compiled.resume("r", {}, { now: () => now, onEvent });
      expect({ status, log: state.log, asked }).toEqual({
        status: "completed",
        log: ["before", "a", "b", "after"],
        asked: [1, 1],
      });
      expect(events).toEqual(["node-sleep", "node-end", "node-start", "node-end"]);
      const { nodes } = await readRunSummary(built.checkpointer, "r");
      const slept = nodes.find(({ taskId }) => taskId === NAP);
      expect([slept?.status, slept?.attempts, slept?.wakesAt]).toEqual(["completed", 1, undefined]);
    }
  });

  test("keeps its moment in a fork of the run", async () => {
    let asked = 0;
    const built = build(sleepNode<TestState>({ id: "nap", durationMs: () => HOUR_MS * ++asked }));
    await runUntilAsleep(built);
    const moments = await built.compiled.history("r");
    expect(moments.map(({ type, nodeId }) => `${type} ${nodeId}`)).toEqual([
      "start ",
      "node before",
      "sleep nap",
      "node a",
      "node b",
    ]);
    for (const { sequence: at, nodeId } of moments.slice(2)) {
      const { status } = await built.compiled.fork("r", { at }, { now: () => HOUR_MS });
      expect([nodeId, status, asked]).toEqual([nodeId, "completed", 1]);
    }
  });

  test("can be skipped, cancelled and begun again", async () => {
    for (const [type, log, status] of [
      ["skip-node", ["before", "a", "b", "after"], "completed"],
      ["cancel-node", ["before"], "failed"],
      ["retry-node", ["before"], "cancelled"],
    ] as const) {
      const built = build(sleepNode<TestState>({ id: "nap", durationMs: HOUR_MS }));
      await runUntilAsleep(built);
      const process = new AbortController();
      const events: string[] = [];
      const onEvent = (event: RunEvent): void => {
        if (event.type === "node-sleep") process.abort();
        if ("taskId" in event) events.push(event.type);
      };
      const commands = [{ type, node: "nap" }];
      const result = await built.compiled.resume("r", {}, { now: () => 5, commands, signal: process.signal, onEvent });
      expect({ type, status: result.status, log: result.state.log }).toEqual({ type, status, log: [...log] });
      if (type !== "retry-node") continue;
      expect(events).toEqual(["node-error", "node-start", "node-sleep"]);
      const { nodes } = await readRunSummary(built.checkpointer, "r");
      expect(nodes.find(({ taskId }) => taskId === NAP)).toMatchObject({ attempts: 2, wakesAt: HOUR_MS + 5 });
    }
  });

  test("lets the run be paused, and waits for what is left when it is resumed", async () => {
    const built = build(sleepNode<TestState>({ id: "nap", durationMs: HOUR_MS }));
    const control = new RunControl();
    const asleep = Promise.withResolvers<void>();
    const onEvent = (event: RunEvent): void => {
      if (event.type === "node-sleep") asleep.resolve();
    };
    const running = built.compiled.run({}, { runId: "r", now: () => 0, control, onEvent });
    await asleep.promise;
    await control.pause();
    const { status, requests } = await running;
    expect([status, requests]).toEqual(["suspended", []]);
    const { state } = await built.compiled.resume("r", {}, { now: () => HOUR_MS });
    expect(state.log).toEqual(["before", "a", "b", "after"]);
  });

  test("is given up when its branch loses", async () => {
    const compiled = graph(TestState)
      .start(node("before"))
      .parallel([sleepNode<TestState>({ id: "nap", durationMs: HOUR_MS }), node("a")], { strategy: "race" })
      .end()
      .compile();
    expect((await compiled.run()).state.log).toEqual(["before", "a"]);
  });

  test.each<{ config: object; problem: string }>([
    {
      config: {},
      problem: '"nap" has neither durationMs nor until; say how long it is to sleep, for example durationMs: 60_000',
    },
    { config: { durationMs: 1, until: 5 }, problem: '"nap" has both durationMs and until; give it one of them' },
    {
      config: { durationMs: "5s" },
      problem: '"nap" has durationMs "5s"; it must be a number of milliseconds from 0 or a function; write 5000',
    },
    {
      config: { until: "2030-01-01" },
      problem:
        '"nap" has until "2030-01-01"; it must be a Date, or milliseconds since 1970 or a function; write new Date("2030-01-01")',
    },
    {
      config: { until: 1e18 },
      problem: '"nap" has until 1000000000000000000; it must be a Date, or milliseconds since 1970 or a function',
    },
    { config: { duration: 5 }, problem: '"nap" has an unknown option "duration"; write durationMs, in milliseconds' },
  ])("is rejected by compile() with $config", ({ config, problem }) => {
    const nap = sleepNode({ id: "nap", ...config } as SleepNodeConfig);
    const compile = (): unknown => graph().start(nap).end().compile();
    expect(compile).toThrow(`The graph cannot be compiled:\n  - ${problem}\nCorrect the graph's definition.`);
  });

  test("fails when what it computes is no time, and a catch takes that", async () => {
    const nap = sleepNode<TestState>({ id: "nap", durationMs: () => Number.NaN });
    const compiled = graph(TestState)
      .start(nap)
      .catch((error) => logs(error.message))
      .end()
      .compile();
    expect((await compiled.run()).state.log).toEqual([
      'The node "nap" cannot sleep: its "durationMs" is NaN; it must be a number of milliseconds from 0. Correct what it computes.',
    ]);
    expect(() => planSleep("nap", { until: Number.NaN }, 0)).toThrow(
      new InvalidSleepError("nap", 'its "until" is NaN; it must be a Date, or milliseconds since 1970'),
    );
  });

  test("fails where a node of one's own returns something else than how long it sleeps", async () => {
    const result = { sleep: 5 as never }; // a number, as somebody may write who is not type-checked
    const { error } = await graph(TestState)
      .start(node("nap", () => result))
      .end()
      .compile()
      .run();
    expect(error).toEqual(
      new InvalidSleepError(
        "nap",
        'its "sleep" is 5; it must be an object with durationMs or until, both in milliseconds',
      ),
    );
  });

  test.each([
    { value: "50", shown: '"50"' },
    { value: null, shown: "null" },
    { value: [], shown: "[]" },
    { value: true, shown: "true" },
    { value: undefined, shown: "undefined" },
  ])("takes $shown for no time", async ({ value, shown }) => {
    const wrong = (): never => value as never; // what JSON or an input may hold
    const run = (nap: Parameters<typeof sleepNode>[0]) => graph(TestState).start(sleepNode(nap)).end().compile().run();
    const { errorInfo } = await run({ id: "nap", durationMs: wrong });
    expect(errorInfo?.message).toBe(
      `The node "nap" cannot sleep: its "durationMs" is ${shown}; it must be a number of milliseconds from 0. Correct what it computes.`,
    );
    const other = await run({ id: "nap", until: wrong });
    expect(other.errorInfo?.message).toBe(
      `The node "nap" cannot sleep: its "until" is ${shown}; it must be a Date, or milliseconds since 1970. Correct what it computes.`,
    );
  });

  test("is in pictures and plans, whose clock does not wait", async () => {
    const compiled = graph(TestState)
      .start(sleepNode<TestState>({ id: "nap", durationMs: HOUR_MS }))
      .then(sleepNode<TestState>({ id: "dawn", until: new Date("2030-01-01T06:00:00Z") }))
      .then(sleepNode<TestState>({ id: "computed", durationMs: () => 5 }))
      .end()
      .compile();
    expect(compiled.toText()).toBe(
      "nap: sleep, for 3600 s\ndawn: sleep, until 2030-01-01T06:00:00.000Z\ncomputed: sleep\n",
    );
    expect(compiled.toMermaid()).toContain('  n0("nap")\n');
    const brief = graph(TestState)
      .start(sleepNode<TestState>({ id: "nap", durationMs: HOUR_MS }))
      .end()
      .compile();
    expect(formatPlan(await brief.plan())).toBe(
      "completed: 1 visit of nodes, after 3600 s of waiting\n  nap: sleep\n  nap sleeps for 3600 s\n",
    );
  });
});

describe("a node of one's own that sleeps", () => {
  test("changes the state at once and goes where it says when it wakes", async () => {
    const x = node("x", () => ({
      stateUpdate: { log: ["x"] },
      sleep: { until: 3 },
      goto: "z",
      signals: [{ type: "checkpoint", label: "asleep" }],
    }));
    const checkpointer = new MemorySaver();
    const compiled = graph(TestState)
      .start([x, node("y"), node("z")])
      .end()
      .compile({ checkpointer });
    const { state } = await compiled.run({}, { runId: "r", now: () => 2 });
    expect(state.log).toEqual(["x", "z"]);
    const [, asleep] = await compiled.history("r");
    expect(asleep).toEqual({ sequence: 2, at: 2, type: "sleep", nodeId: "x", taskId: "x", label: "asleep" });
    expect((await compiled.stateAt("r", 2)).log).toEqual(["x"]);
  });

  test("cannot end the run at the same time", async () => {
    const x = node("x", ({ finish }) => {
      finish();
      return { sleep: { durationMs: 5 } };
    });
    const compiled = graph(TestState).start(x).end().compile();
    expect(await rejectionOf(compiled.execute())).toEqual(new FinishedTooEarlyError("x"));
  });
});

test("a rest until a moment does not move with the clock", () => {
  expect(resumeSleep({ until: 50, startedAt: 0 }, -100)).toEqual({ until: 50, startedAt: 0 });
  expect(resumeSleep({ until: 50, durationMs: 10, startedAt: 40 }, -100)).toEqual({
    until: -90,
    durationMs: 10,
    startedAt: 40,
  });
});
