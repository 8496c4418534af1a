import { expect, test } from "bun:test";
import { AGENT_EVENTS, agentEventOf, EVENTS, eventOf } from "../cli/fixtures/run-events.ts";
import { type AgentEvent, NO_USAGE, type RunEvent } from "../contracts/index.ts";
import { type ActiveNode, EMPTY_PROGRESS, type ProgressModel, reduceProgress } from "./progress-model.ts";

const PLAN: ActiveNode = {
  taskId: "plan",
  name: "Plan the tasks",
  nodeType: "agent",
  startedAt: 10_000,
  attempt: 1,
  usage: NO_USAGE,
  activity: "",
  transcript: [],
};

function modelAfter(...events: readonly RunEvent[]): ProgressModel {
  return events.reduce(reduceProgress, EMPTY_PROGRESS);
}

const RUNNING = modelAfter(EVENTS["run-start"], EVENTS["node-start"]);

function withPlan(changes: Partial<ActiveNode>): ProgressModel {
  return { ...RUNNING, active: new Map([["plan", { ...PLAN, ...changes }]]) };
}

test("a run that starts has a name and a time", () => {
  expect(modelAfter(EVENTS["run-start"])).toEqual({ ...EMPTY_PROGRESS, workflow: "ralph", startedAt: 10_000 });
});

test("a run that restarts in the same process starts with an empty model", () => {
  const model = reduceProgress(withPlan({ activity: "writing" }), eventOf("run-start", { at: 20_000, isResume: true }));
  expect(model).toEqual({ ...EMPTY_PROGRESS, workflow: "ralph", startedAt: 20_000 });
});

const NOTHING_ACTIVE: ProgressModel = { ...RUNNING, active: new Map() };
const CALL = { type: "tool", toolId: "t1", call: "bash: npm test", status: "running" } as const;
const SPENT = { ...NO_USAGE, inputTokens: 100, outputTokens: 20 };

const EXPECTED: { readonly [Type in RunEvent["type"]]: ProgressModel } = {
  "run-start": { ...EMPTY_PROGRESS, workflow: "ralph", startedAt: 10_000 },
  "run-end": RUNNING,
  "graph-changed": RUNNING,
  "node-start": RUNNING,
  "node-end": NOTHING_ACTIVE,
  "node-error": NOTHING_ACTIVE,
  "node-sleep": withPlan({ activity: "asleep", sleep: { nodeId: "plan", until: 3_610_000 } }),
  "node-dropped": NOTHING_ACTIVE,
  warning: RUNNING,
  checkpoint: RUNNING,
  request: NOTHING_ACTIVE,
  answer: RUNNING,
  agent: withPlan({ activity: "writing", transcript: [{ type: "text", text: "Hello" }] }),
  "agent-prompt": RUNNING,
  "agent-session": RUNNING,
  usage: { ...withPlan({ usage: SPENT }), usage: SPENT },
  "command-start": RUNNING,
  "command-end": RUNNING,
  "context-window": RUNNING,
  "debug-report": RUNNING,
  log: RUNNING,
  tasks: { ...RUNNING, tasks: EVENTS.tasks.tasks },
};

test.each(Object.values(EVENTS).map((event) => ({ type: event.type, event })))(
  "what is seen of a running node after $type",
  ({ type, event }) => {
    expect(reduceProgress(RUNNING, event)).toEqual(EXPECTED[type]);
  },
);

const EXPECTED_OF_AGENT: { readonly [Type in AgentEvent["type"]]?: ProgressModel } = {
  "text-delta": withPlan({ activity: "writing", transcript: [{ type: "text", text: "Hello" }] }),
  "thinking-delta": withPlan({ activity: "thinking" }),
  "tool-start": withPlan({ activity: "bash: npm test", transcript: [CALL] }),
  "permission-ask": withPlan({ activity: "asking" }),
  "question-ask": withPlan({ activity: "asking" }),
  waiting: withPlan({ activity: "waiting", waiting: AGENT_EVENTS.waiting }),
  usage: { ...withPlan({ usage: SPENT }), usage: SPENT },
};

test.each(Object.values(AGENT_EVENTS).map((event) => ({ type: event.type, event })))(
  "what is seen of a running node after its agent's $type",
  ({ type, event }) => {
    expect(reduceProgress(RUNNING, eventOf("agent", { event }))).toEqual(EXPECTED_OF_AGENT[type] ?? RUNNING);
  },
);

test.each(["permission-ask", "question-ask"] as const)("a call in progress stays visible during its %s", (type) => {
  const calling = reduceProgress(RUNNING, agentEventOf("tool-start"));
  expect(reduceProgress(calling, agentEventOf(type))).toEqual(calling);
  const ended = reduceProgress(calling, agentEventOf("tool-end", { toolId: CALL.toolId }));
  expect(reduceProgress(ended, agentEventOf(type)).active.get("plan")?.activity).toBe("asking");
});

test("no event changes what was seen before", () => {
  const before = structuredClone(RUNNING);
  for (const event of Object.values(EVENTS)) reduceProgress(RUNNING, event);
  expect(RUNNING).toEqual(before);
});

test("visits of a node are separate, and usage adds up for each visit and for the run", () => {
  const model = modelAfter(
    EVENTS["run-start"],
    eventOf("node-start", { taskId: "a#1" }),
    eventOf("node-start", { taskId: "a#2", attempt: 2 }),
    eventOf("usage", { taskId: "a#2" }),
    eventOf("usage", { taskId: "a#2" }),
    eventOf("usage", { taskId: "a#1" }),
    eventOf("node-end", { taskId: "a#1" }),
  );
  const twice = { ...NO_USAGE, inputTokens: 200, outputTokens: 40 };
  expect(model).toEqual({
    ...EMPTY_PROGRESS,
    workflow: "ralph",
    startedAt: 10_000,
    usage: { ...NO_USAGE, inputTokens: 300, outputTokens: 60 },
    active: new Map([["a#2", { ...PLAN, taskId: "a#2", attempt: 2, usage: twice }]]),
  });
});

test("a tool without a title is shown by its name, and an event of a node that is not active is no crash", () => {
  expect(reduceProgress(RUNNING, agentEventOf("tool-start", { input: { command: "" } }))).toEqual(
    withPlan({ activity: "bash", transcript: [{ ...CALL, call: "bash" }] }),
  );
  for (const type of ["text-delta", "tool-start", "tool-end"] as const)
    expect(reduceProgress(RUNNING, agentEventOf(type, {}, { taskId: "gone" }))).toEqual(RUNNING);
  expect(reduceProgress(RUNNING, eventOf("node-end", { taskId: "gone" }))).toEqual(RUNNING);
});

test("thinking that streams in does not make a new model for every word", () => {
  const thinking = reduceProgress(RUNNING, agentEventOf("thinking-delta"));
  expect(reduceProgress(thinking, agentEventOf("thinking-delta"))).toBe(thinking);
});
