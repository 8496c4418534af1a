import { expect, test } from "bun:test";
import { NO_USAGE, type RunEvent } from "../../contracts/index.ts";
import { EVENTS, REPORT, START } from "../fixtures/example-run.ts";
import { createRunReport, type RunReportSources, UNLOADED, UNRECORDED } from "./create-run-report.ts";
import { withoutTexts } from "./without-texts.ts";

const SOURCES: RunReportSources = { report: REPORT, events: EVENTS, moments: [], log: [], createdAt: START + 60_000 };
const GRAPH = { nodes: [{ id: "write", name: "Write" }], edges: [] };

test("the events give each visit its name, times, prompt, answer, calls and failure", async () => {
  const { visits, ...page } = await createRunReport({ ...SOURCES, graph: GRAPH });
  const [write, ask, deploy] = visits;
  expect(write?.parts).toEqual([
    { type: "prompt", at: START + 20, message: "A private message", systemPrompt: "Private rules", agent: "claude" },
    { type: "thinking", at: START + 30, text: "A private thought" },
    { type: "text", at: START + 40, text: "A private answer" },
    {
      ...{ type: "tool", at: START + 60, kind: "shell", toolName: "PrivateTool", about: "cat private" },
      ...{ status: "failed", durationMs: 10, output: "private output" },
    },
    { type: "denied", at: START + 80, title: "rm private", reason: "A private rule." },
    {
      ...{ type: "subagent", at: START + 90, title: "Private search", task: "A private task" },
      ...{ status: "done", durationMs: 5, result: "A private result" },
    },
    { type: "log", at: START + 1_000, message: "A private line" },
    { type: "update", at: START + 2_000, text: '{\n  "text": "private"\n}' },
  ]);
  expect(write).toMatchObject({ name: "Write the private text", status: "completed", agents: ["claude"] });
  expect(ask?.periods).toEqual([
    { type: "work", from: START + 2_010, to: START + 2_020 },
    { type: "wait", from: START + 2_020, to: START + 7_010 },
  ]);
  expect(deploy).toMatchObject({
    status: "failed",
    periods: [{ type: "failed", from: START + 8_000, to: START + 9_000 }],
    parts: [
      { type: "command", command: "deploy private", exitCode: 3 },
      { type: "failure", attempt: 1 },
    ],
  });
  expect(page).toMatchObject({
    runId: "0run",
    status: "failed",
    startedAt: START,
    lastAt: START + 9_000,
    error: { code: "COMMAND_FAILED" },
    inputs: [
      { name: "prompt", text: "Ship the private thing" },
      { name: "depth", text: "2" },
    ],
    questions: [{ requestId: "ask#1", askedAt: START + 2_020, answeredAt: START + 7_010, answer: "private yes" }],
    notes: [],
  });
});

test("a step that was in progress when its process was killed has stopped then, not when the run was resumed", async () => {
  const [start, node] = EVENTS;
  const log: RunEvent = {
    runId: "0run",
    at: START + 500,
    type: "log",
    nodeId: "write",
    taskId: "write",
    message: "alive",
  };
  const resumed: RunEvent = { runId: "0run", at: START + 50_000, type: "run-start", workflow: "ship", isResume: true };
  const again = { ...node, at: START + 50_001, attempt: 2 } as RunEvent;
  const events = [start, node, log, resumed, again].filter((event) => event !== undefined);
  const report = { ...REPORT, status: "running" as const, summary: undefined };
  const [write] = (await createRunReport({ ...SOURCES, report, events })).visits;
  expect(write?.periods).toEqual([
    { type: "cancelled", from: START, to: START + 500 },
    { type: "work", from: START + 50_001, to: START + 50_001 },
  ]);
  expect(write?.parts.filter(({ type }) => type === "stopped")).toEqual([
    { type: "stopped", at: START + 500, attempt: 1, durationMs: 500 },
  ]);
});

test("a script that waits for an answer when its run is suspended has not been stopped", async () => {
  const [start, node] = EVENTS;
  const about = { runId: "0run", usage: NO_USAGE };
  const suspended: RunEvent = { ...about, at: START + 500, type: "run-end", status: "suspended" };
  const resumed: RunEvent = { runId: "0run", at: START + 50_000, type: "run-start", workflow: "ship", isResume: true };
  const again = { ...node, at: START + 50_001, attempt: 1 } as RunEvent;
  const events = [start, node, suspended, resumed, again].filter((event) => event !== undefined);
  const report = { ...REPORT, status: "running" as const, summary: undefined };
  const [write] = (await createRunReport({ ...SOURCES, report, events })).visits;
  expect(write).toMatchObject({ status: "running", attempts: 1, parts: [] });
  expect(write?.periods).toEqual([
    { type: "work", from: START, to: START + 500 },
    { type: "work", from: START + 50_001, to: START + 50_001 },
  ]);
});

test("a run without recorded events is reported from its journal and its log, and a note says what is missing", async () => {
  const page = await createRunReport({
    ...SOURCES,
    events: [],
    moments: [
      { sequence: 1, at: START + 2_020, type: "request", nodeId: "ask", taskId: "ask" },
      { sequence: 2, at: START + 7_010, type: "answer", nodeId: "ask", taskId: "ask" },
    ],
    log: [
      { at: START + 2_020, type: "request", nodeId: "ask", taskId: "ask", message: "Asked: Ship it?" },
      {
        at: START + 8_900,
        type: "command-end",
        nodeId: "deploy",
        taskId: "deploy",
        message: "$ deploy  exit code 3, 800 ms\nno host",
      },
    ],
  });
  expect(page.notes).toEqual([UNRECORDED, UNLOADED]);
  expect(page.visits.map(({ taskId, status, startedAt, endedAt }) => [taskId, status, startedAt, endedAt])).toEqual([
    ["write", "completed", START, START + 2_000],
    ["ask", "completed", START + 7_990, START + 8_000],
    ["deploy", "failed", START + 8_000, START + 9_000],
  ]);
  expect(page.visits[2]?.parts).toEqual([
    { type: "command", at: START + 8_900, command: "deploy", exitCode: 3, durationMs: 800, output: "no host" },
  ]);
  expect(page.questions).toEqual([
    {
      ...{ requestId: `ask ${START + 2_020}`, taskId: "ask", nodeId: "ask", question: "Ship it?", options: [] },
      ...{ askedAt: START + 2_020, answeredAt: START + 7_010 },
    },
  ]);
});

test("without texts, nothing that anybody wrote is left, but structure, times, costs and exit codes", async () => {
  const page = withoutTexts(
    await createRunReport({
      ...SOURCES,
      base: { commit: "private", branch: "private" },
      changes: { files: [], leftOut: [{ path: "private", reason: "" }], commits: [] },
      notes: ["A private note"],
    }),
  );
  const { agent, status, usage, error, visits, isWithoutTexts } = page;
  expect(JSON.stringify(page)).not.toMatch(/private|home/i);
  expect({ agent, status, cost: usage.costUsd, error, isWithoutTexts }).toEqual({
    ...{ agent: "claude", status: "failed", cost: 0.5, isWithoutTexts: true },
    error: { code: "COMMAND_FAILED", message: "", nodeId: "deploy" },
  });
  expect(visits[2]?.parts).toEqual([
    { type: "command", at: START + 8_900, command: "", exitCode: 3, durationMs: 800 },
    {
      type: "failure",
      at: START + 9_000,
      attempt: 1,
      error: { code: "COMMAND_FAILED", message: "", nodeId: "deploy" },
    },
  ]);
});

test("without texts, the calls of scripts are named by their kind, also below a call and in the picture", async () => {
  const events = [
    ["script", "script"],
    ["script[1]/src-secret-file-ts", "agent"],
    ["script[2]/secret-command", "tool"],
    ["script[3]/secret-flow", "subgraph"],
    ["script[3]/secret-flow/script", "script"],
    ["script[3]/secret-flow/script[1]/secret-question#2", "ask_user"],
    ["map", "map"],
    ["map[0]/write", "agent"],
  ].flatMap(([taskId = "", nodeType = ""], index): RunEvent[] => {
    const nodeId = (taskId.split("/").at(-1) ?? "").replace(/#.*/, "");
    const about = { runId: "r", at: START + index, taskId, nodeId };
    const error = { code: "NODE_FAILED", message: "secret", nodeId };
    return [
      { ...about, type: "node-start", nodeType, name: `secret ${taskId}`, attempt: 1 },
      { ...about, type: "node-error", error, attempt: 1 },
      { ...about, type: "request", request: { id: taskId, nodeId, question: "secret", askedAt: START + index } },
    ];
  });
  const page = withoutTexts(await createRunReport({ ...SOURCES, events }));
  expect(JSON.stringify(page)).not.toContain("secret");
  const visits = page.visits.filter(({ taskId }) => /^(script|map)/.test(taskId));
  expect(visits.map(({ taskId, nodeId, name, error }) => [taskId, nodeId, name, error?.nodeId])).toEqual([
    ["script", "script", "script", "script"],
    ["script[1]/agent", "agent", "script[1]/agent", "agent 1"],
    ["script[2]/shell", "shell", "script[2]/shell", "shell 2"],
    ["script[3]/workflow", "workflow", "script[3]/workflow", "workflow 3"],
    ["script[3]/workflow/script", "script", "script", "script"],
    ["script[3]/workflow/script[1]/ask#2", "ask", "script[3]/workflow/script[1]/ask#2", "ask 4"],
    ["map", "map", "map", "map"],
    ["map[0]/write", "write", "write", "write"],
  ]);
  expect(page.questions.map(({ taskId, nodeId, requestId }) => [taskId, nodeId, requestId])).toContainEqual([
    "script[3]/workflow/script[1]/ask#2",
    "ask",
    "script[3]/workflow/script[1]/ask#2",
  ]);
});

const COMMAND_NODE = { runId: "0run", taskId: "build", nodeId: "build" } as const;
const COMMAND_STARTS: readonly RunEvent[] = [
  { type: "run-start", runId: "0run", at: START, workflow: "ship", isResume: false },
  { ...COMMAND_NODE, type: "node-start", nodeType: "tool", name: "build", at: START, attempt: 1 },
  { ...COMMAND_NODE, type: "command-start", at: START + 1_000, command: "make all" },
];

test.each<{ title: string; end: RunEvent; stopped: readonly unknown[] }>([
  {
    title: "Ctrl+C",
    end: { type: "run-end", runId: "0run", at: START + 3_000, status: "cancelled", usage: NO_USAGE },
    stopped: [{ type: "command", at: START + 3_000, command: "make all", durationMs: 2_000 }],
  },
  {
    title: "kill -9",
    end: { type: "run-start", runId: "0run", at: START + 60_000, workflow: "ship", isResume: true },
    stopped: [{ type: "command", at: START + 1_000, command: "make all", durationMs: 0 }],
  },
  {
    title: "a cancel of its node",
    end: {
      ...{ ...COMMAND_NODE, type: "node-error", at: START + 3_000, attempt: 1 },
      error: { code: "NODE_CANCELLED", message: "cancelled" },
    },
    stopped: [{ type: "command", at: START + 3_000, command: "make all", durationMs: 2_000 }],
  },
  {
    title: "a timeout",
    end: {
      ...{ ...COMMAND_NODE, type: "node-error", at: START + 3_000, attempt: 1, retryAt: START + 4_000 },
      error: { code: "NODE_TIMEOUT", message: "too slow" },
    },
    stopped: [{ type: "command", at: START + 3_000, command: "make all", durationMs: 2_000 }],
  },
  {
    title: "a skip",
    end: { ...COMMAND_NODE, type: "node-end", at: START + 3_000, durationMs: 1, usage: NO_USAGE, isSkipped: true },
    stopped: [{ type: "command", at: START + 3_000, command: "make all", durationMs: 2_000 }],
  },
  {
    title: "nothing: it could not be started",
    end: {
      ...{ ...COMMAND_NODE, type: "node-error", at: START + 1_000, attempt: 1 },
      error: { code: "NODE_FAILED", message: "no such folder" },
    },
    stopped: [],
  },
])("a command is in the report without an exit code when it was stopped by $title", async ({ end, stopped }) => {
  const report = { ...REPORT, status: "interrupted" as const, summary: undefined };
  const { visits } = await createRunReport({ ...SOURCES, report, events: [...COMMAND_STARTS, end] });
  const [build] = visits;
  expect(build?.parts.filter(({ type }) => type === "command")).toEqual([...stopped] as never);
});

test("a command of a run whose process was killed was stopped at the last moment that is known", async () => {
  const log: RunEvent = { ...COMMAND_NODE, type: "log", at: START + 5_000, message: "alive" };
  const node = { taskId: "build", nodeId: "build", status: "started", attempts: 1, usage: NO_USAGE } as const;
  const summary = {
    ...{ ...REPORT.summary, updatedAt: START, requests: [] },
    nodes: [{ ...node, durationMs: undefined, endedAt: undefined, error: undefined }],
  } as unknown as typeof REPORT.summary;
  const report = { ...REPORT, status: "interrupted" as const, summary };
  const { visits } = await createRunReport({ ...SOURCES, report, events: [...COMMAND_STARTS, log] });
  expect(visits[0]?.parts).toContainEqual({
    ...{ type: "command", at: START + 5_000, command: "make all", durationMs: 4_000 },
  });
});

test("what a cancel, a restart or the failure of the run stopped is no finished work", async () => {
  const about = { runId: "r", taskId: "write", nodeId: "write" } as const;
  const start = { ...about, type: "node-start", nodeType: "tool", name: "write" } as const;
  const events: readonly RunEvent[] = [
    { type: "run-start", runId: "r", at: START, workflow: "w", isResume: false },
    { ...start, at: START, attempt: 1 },
    {
      ...{ ...about, type: "node-error", at: START + 10, attempt: 1, retryAt: START + 10 },
      error: { code: "NODE_RESTARTED", message: "restarted" },
    },
    { ...start, at: START + 10, attempt: 2 },
    { type: "run-end", runId: "r", at: START + 12_010, status: "cancelled", usage: NO_USAGE },
  ];
  const { summary: _summary, ...report } = REPORT;
  const { visits } = await createRunReport({ ...SOURCES, report: { ...report, summary: undefined }, events });
  expect(visits.map(({ status, periods, parts }) => ({ status, periods, last: parts.at(-1) }))).toEqual([
    {
      status: "stopped",
      last: { type: "stopped", at: START + 12_010, attempt: 2, durationMs: 12_000 },
      periods: [
        { type: "cancelled", from: START, to: START + 10 },
        { type: "cancelled", from: START + 10, to: START + 12_010 },
      ],
    },
  ]);
});

test.each([true, false])(
  "a script that waits for an answer is waiting, not stopped: with events %p",
  async (hasEvents) => {
    const base = { runId: "r", at: START } as const;
    const script = { ...base, nodeId: "script", taskId: "script" } as const;
    const ask = { ...base, nodeId: "ask", taskId: "script/ask#1" } as const;
    const request = { id: "script/ask#1", nodeId: "ask", question: "Ship?", askedAt: START };
    const events = [
      { ...base, type: "run-start", workflow: "s", isResume: false },
      { ...script, type: "node-start", attempt: 1 },
      { ...ask, type: "node-start", attempt: 1 },
      { ...ask, type: "request", request },
      { ...base, type: "run-end", status: "suspended", usage: NO_USAGE },
    ] as unknown as readonly RunEvent[];
    const visit = { attempts: 1, durationMs: undefined, endedAt: undefined, usage: NO_USAGE, error: undefined };
    const { summary } = REPORT;
    if (summary === undefined) throw new Error("The example has a summary.");
    const nodes = [
      { ...visit, taskId: "script", nodeId: "script", status: "started" },
      { ...visit, taskId: "script/ask#1", nodeId: "ask", status: "waiting" },
    ] as const;
    const report = {
      ...REPORT,
      status: "suspended",
      summary: { ...summary, status: "suspended", nodes, requests: [request] },
    } as const;
    const { visits } = await createRunReport({ ...SOURCES, report, events: hasEvents ? events : [] });
    expect(visits.map(({ taskId, status }) => [taskId, status])).toEqual([
      ["script", "waiting"],
      ["script/ask#1", "waiting"],
    ]);
    expect(visits.flatMap(({ parts }) => parts).filter(({ type }) => type === "stopped")).toEqual([]);
  },
);
