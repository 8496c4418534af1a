import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { runIdIn, TestEnvironment } from "../fixtures/test-environment.ts";
import { ENDLESS, FLAKY, GATE, GREET } from "../fixtures/workflow-files.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
const NOTHING_SPENT = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

async function startRun(...args: readonly string[]): Promise<string> {
  return runIdIn((await environment.atomic("run", ...args)).stdout);
}

test("without runs the list says how to start one", async () => {
  expect(await environment.atomic("runs", "list")).toEqual({
    exitCode: 0,
    stdout: 'There are no runs yet. Start one with: atomic run WORKFLOW "what to do"\n',
    stderr: "",
  });
  expect((await environment.atomic("runs", "list", "--json")).stdout).toBe("[]\n");
});

test("the list has a line for each run, newest first", async () => {
  await environment.writeWorkflows({ gate: GATE, flaky: FLAKY, greet: GREET });
  await startRun("greet", "Say hello to\nwhoever comes along the whole long way", "--agent", "scripted");
  await startRun("flaky");
  await startRun("gate");
  const { exitCode, stdout } = await environment.atomic("runs", "list");
  expect(exitCode).toBe(0);
  expect(environment.normalise(stdout).replace(/ +/g, " ")).toBe(
    [
      "RUN WORKFLOW STATUS STARTED (UTC) AGENT PROJECT PROMPT",
      "<run> gate suspended <time> opencode <root>/project",
      "<run> flaky failed <time> opencode <root>/project",
      "<run> greet completed <time> scripted <root>/project Say hello to whoever comes along the wh…",
      "",
    ].join("\n"),
  );
});

test("in a terminal no line of the list is wider than it, as far as the cells are not; in a pipe each run is a line", async () => {
  await environment.writeWorkflows({ gate: GATE });
  const runId = await startRun("gate");
  const call = environment.start(["runs", "list"], { isTTY: true, columns: 40 });
  expect(environment.normalise((await call.ended).stdout)).toStartWith(
    "RUN           WORKFLOW  STATUS\n  STARTED (UTC)        AGENT\n  PROJECT",
  );
  expect((await environment.start(["runs", "show", runId], { isTTY: true, columns: 40 }).ended).stdout).toContain(
    "\n  USAGE  ERROR\nprepare  completed",
  );
  const piped = await environment.start(["runs", "list"], { columns: 40 }).ended;
  expect(piped.stdout.split("\n")).toHaveLength(3);
});

test("as JSON the list has everything but the outputs and the history of the nodes", async () => {
  await environment.writeWorkflows({ gate: GATE });
  const runId = await startRun("gate", "--input", "topic=x", "--deny", "fetch");
  const { stdout } = await environment.atomic("runs", "list", "--json");
  expect(JSON.parse(stdout)).toEqual([
    {
      runId,
      workflowName: "gate",
      projectDirectory: environment.project,
      sessionDir: environment.store.directoryOf(runId),
      input: { topic: "x" },
      agent: "opencode",
      settings: {
        permissions: { rules: [] },
        permissionFlags: { allow: [], deny: ["fetch"], isYolo: false },
        workingDirectory: environment.project,
      },
      owner: { pid: process.pid, startedAt: TIME },
      createdAt: TIME,
      lastUpdated: TIME,
      status: "suspended",
    },
  ]);
});

test("a run whose process died is interrupted, and one whose file is broken is a warning", async () => {
  const { sessionId } = await environment.store.create({
    workflowName: "gate",
    projectDirectory: environment.project,
    input: {},
  });
  await environment.write({ "home/.atomic/workflows/sessions/broken1/session.json": "{" });
  const { exitCode, stdout, stderr } = await environment.atomic("runs", "list");
  expect(exitCode).toBe(0);
  expect(stdout).toContain(`${sessionId}  gate      interrupted  `);
  const path = join(environment.store.directoryOf("broken1"), "session.json");
  expect(stderr).toStartWith(`warning: ${path}: `);
  const json = await environment.atomic("runs", "list", "--json");
  expect(JSON.parse(json.stdout)).toMatchObject([{ runId: sessionId, status: "interrupted" }]);
  expect(json.stderr).toBe(stderr);
});

test("a failed run is shown with its nodes, the reason, and how to resume", async () => {
  await environment.writeWorkflows({ flaky: FLAKY });
  const runId = await startRun("flaky");
  const { exitCode, stdout } = await environment.atomic("runs", "show", runId);
  expect(exitCode).toBe(0);
  expect(environment.normalise(stdout).replace(/<ms> +/, "<ms> ")).toBe(
    [
      "Run       <run>",
      "Workflow  flaky",
      "Status    failed",
      "Started   <time> UTC",
      "Agent     opencode",
      "Project   <root>/project",
      "Session   <root>/home/.atomic/workflows/sessions/<run>",
      "",
      "NODE    STATUS     TIME  ATTEMPTS  USAGE  ERROR",
      "first   completed  <ms> 1",
      "second  failed           1                It is not repaired. Repair it.",
      "",
      'Failed in "second": It is not repaired. Repair it.',
      "  at <root>/project/.atomic/workflows/flaky.ts:12:81",
      "",
      "Try again from there: atomic runs resume <run>",
      "",
    ].join("\n"),
  );
});

test("where no process executes the run, a node that had begun has stopped, and one whose turn had not come has not begun", async () => {
  await environment.writeWorkflows({ endless: ENDLESS, flaky: FLAKY.replace("compile()", "compile({ maxSteps: 1 })") });
  const rowOf = async (runId: string, node: string): Promise<string | undefined> =>
    (await environment.atomic("runs", "show", runId)).stdout.split("\n").find((line) => line.startsWith(node));
  const call = environment.start(["run", "endless"]);
  await call.stderr.waitFor("waiting");
  const endless = runIdIn(call.stderr.text);
  expect(await rowOf(endless, "wait")).toMatch(/^wait +started +1$/);
  call.signal();
  await call.ended;
  expect(await rowOf(endless, "wait")).toMatch(/^wait +stopped +1$/);
  expect(await rowOf(await startRun("flaky"), "second")).toMatch(/^second +not begun +0$/);
});

test("a node that sleeps is shown with the moment at which it wakes, until its run is cancelled", async () => {
  const nap = `import { graph, sleepNode } from "@bastani/atomic/graph";
const nap = sleepNode({ id: "nap", until: new Date("2100-01-01T06:00:00Z") });
export default () => graph().start(nap).end().compile();
`;
  await environment.writeWorkflows({ nap });
  const call = environment.start(["run", "nap", "--json"]);
  await call.stdout.waitFor('"sleep"');
  const runId = runIdIn(call.stdout.text);
  const rowOf = async (): Promise<string | undefined> =>
    (await environment.atomic("runs", "show", runId)).stdout.split("\n").find((line) => line.startsWith("nap"));
  expect(await rowOf()).toMatch(/^nap +sleeping until 2100-01-01 06:00:00 UTC +1$/);
  call.signal();
  expect((await call.ended).exitCode).toBe(130);
  expect(await rowOf()).toMatch(/^nap +stopped +1$/);
});

test("a node that waits before its next attempt is shown with the time of that", async () => {
  const busy = `import { graph, toolNode } from "@bastani/atomic/graph";
const retry = { maxAttempts: 2, backoffMs: 3_600_000, maxBackoffMs: 3_600_000, jitter: 0 };
const busy = toolNode({ id: "busy", retry, execute: () => { throw new Error("Busy"); } });
export default () => graph().start(busy).end().compile();
`;
  await environment.writeWorkflows({ busy });
  const call = environment.start(["run", "busy"]);
  await call.stderr.waitFor("again in");
  const runId = runIdIn(call.stderr.text);
  const { stdout } = await environment.atomic("runs", "show", runId);
  expect(stdout).toMatch(/\nbusy +started, next attempt \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC +1 +Busy\n/);
  call.signal();
  await call.ended;
});

test("a node within which something waits is waiting: a script that asks, and a workflow that waits in another one", async () => {
  const asks = `import { script } from "@bastani/atomic/graph";
export default script(async ({ ask }) => await ask("Publish it?"));
`;
  const outer = `import { graph, subgraphNode } from "@bastani/atomic/graph";
export default () => graph().start(subgraphNode({ id: "inner", subgraph: "gate" })).end().compile();
`;
  await environment.writeWorkflows({ gate: GATE, asks, outer });
  const rowsOf = async (workflow: string): Promise<readonly string[]> => {
    const { stdout } = await environment.atomic("runs", "show", await startRun(workflow));
    const [, table = ""] = stdout.split("\n\n");
    return table
      .split("\n")
      .slice(1)
      .map((line) => line.replace(/ +/g, " "));
  };
  expect(await rowsOf("asks")).toEqual(["script waiting 1", "script[1]/ask Publish it? waiting 1"]);
  expect(await rowsOf("outer")).toEqual([
    "inner waiting 1",
    expect.stringMatching(/^inner\/prepare completed \S+ 1$/),
    "inner/approve waiting 1",
  ]);
});

test("what a run was started with is shown in a line each", async () => {
  await environment.writeWorkflows({ greet: GREET });
  const runId = await startRun("greet", "the\n world", "--input", "count=3", "--agent", "scripted");
  const { stdout } = await environment.atomic("runs", "show", runId);
  expect(stdout).toContain("\nPrompt    the world\nInput     count=3\n");
});

test("a waiting run is shown with its question and the commands that answer it", async () => {
  await environment.writeWorkflows({ gate: GATE });
  const runId = await startRun("gate");
  const { stdout } = await environment.atomic("runs", "show", runId.slice(0, 10));
  const lines = environment.normalise(stdout).split("\n");
  expect(lines[2]).toBe("Status    suspended");
  expect(lines.slice(7)).toEqual([
    "",
    expect.stringMatching(/^NODE {5}STATUS {5}TIME/),
    expect.stringMatching(/^prepare {2}completed {2}<ms>/),
    "approve  waiting          1",
    "",
    "Waiting for an answer: Ship it?",
    "  atomic runs answer <run> yes --request 'approve#1'",
    "  atomic runs answer <run> no --request 'approve#1'",
    "",
  ]);
});

test("a run that several agents worked on is shown with the usage of each", async () => {
  const mixed = `import { graph } from "@bastani/atomic/graph";
const used = (inputTokens, more) => ({ inputTokens, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, ...more });
const node = (id, uses) => ({
  id,
  type: "tool",
  execute: ({ emit }) => {
    for (const [agentType, usage] of uses) emit({ type: "usage", usage, agentType });
    return {};
  },
});
export default () =>
  graph()
    .start(node("plan", [["claude", used(1500, { costUsd: 0.25 })]]))
    .then(node("build", [["opencode", used(700)], ["copilot", used(300)]]))
    .end()
    .compile();
`;
  await environment.writeWorkflows({ mixed });
  const { stdout: ended } = await environment.atomic("run", "mixed");
  const agents = ["  claude    1.5k tokens, $0.2500", "  copilot   300 tokens", "  opencode  700 tokens"];
  expect(environment.normalise(ended).split("\n")).toEqual([
    "completed  mixed  run <run>  <ms>  2.5k tokens, $0.2500",
    ...agents,
    "Session: <root>/home/.atomic/workflows/sessions/<run>",
    "",
  ]);
  const runId = runIdIn(ended);
  const { stdout } = await environment.atomic("runs", "show", runId);
  expect(
    environment
      .normalise(stdout)
      .replaceAll(/<ms> +/g, "<ms> ")
      .split("\n")
      .slice(7),
  ).toEqual([
    "Usage     2.5k tokens, $0.2500",
    ...agents,
    "",
    expect.stringMatching(/^NODE {3}STATUS {5}TIME/),
    "plan   completed  <ms> 1         1.5k tokens, $0.2500",
    "build  completed  <ms> 1         1.0k tokens",
    "",
  ]);
  const claude = { ...NOTHING_SPENT, inputTokens: 1_500, costUsd: 0.25 };
  const usageByAgent = {
    claude,
    opencode: { ...NOTHING_SPENT, inputTokens: 700 },
    copilot: { ...NOTHING_SPENT, inputTokens: 300 },
  };
  const json = JSON.parse((await environment.atomic("runs", "show", runId, "--json")).stdout);
  expect(json).toMatchObject({ usage: { ...NOTHING_SPENT, inputTokens: 2_500, costUsd: 0.25 }, usageByAgent });
  expect(json.nodes[0].usageByAgent).toEqual({ claude });
  const events = (await environment.atomic("run", "mixed", "--json")).stdout.trim().split("\n");
  expect(JSON.parse(events.at(-1) ?? "")).toMatchObject({ type: "run-end", usageByAgent });
});

test("as JSON a run has its session, its nodes and its open questions", async () => {
  await environment.writeWorkflows({ gate: GATE });
  const runId = await startRun("gate");
  const { stdout } = await environment.atomic("runs", "show", runId, "--json");
  expect(JSON.parse(stdout)).toEqual({
    runId,
    workflowName: "gate",
    projectDirectory: environment.project,
    sessionDir: environment.store.directoryOf(runId),
    input: {},
    agent: "opencode",
    settings: {
      permissions: { rules: [] },
      permissionFlags: { allow: [], deny: [], isYolo: false },
      workingDirectory: environment.project,
    },
    owner: { pid: process.pid, startedAt: TIME },
    createdAt: TIME,
    lastUpdated: TIME,
    status: "suspended",
    outputs: { prepare: "ready" },
    requests: [
      {
        id: "approve#1",
        nodeId: "approve",
        question: "Ship it?",
        options: [{ label: "yes" }, { label: "no" }],
        askedAt: expect.any(Number),
      },
    ],
    nodes: [
      {
        taskId: "prepare",
        nodeId: "prepare",
        status: "completed",
        attempts: 1,
        durationMs: expect.any(Number),
        endedAt: expect.any(Number),
        usage: NOTHING_SPENT,
      },
      { taskId: "approve", nodeId: "approve", status: "waiting", attempts: 1, usage: NOTHING_SPENT },
    ],
    usage: NOTHING_SPENT,
  });
});

test("a run that died before its first step says so, and can be begun", async () => {
  const { sessionId } = await environment.store.create({
    workflowName: "gate",
    projectDirectory: environment.project,
    input: {},
  });
  const { stdout } = await environment.atomic("runs", "show", sessionId);
  expect(environment.normalise(stdout).split("\n").slice(2)).toEqual([
    "Status    interrupted",
    "Started   <time> UTC",
    "Project   <root>/project",
    "Session   <root>/home/.atomic/workflows/sessions/<run>",
    "",
    "It ended before its first step.",
    "",
    "Resume it: atomic runs resume <run>",
    "",
  ]);
});

test("an unknown run is an error, as JSON too", async () => {
  const { exitCode, stdout, stderr } = await environment.atomic("runs", "show", "abcdef");
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: 'error: No run is named "abcdef".\n       There are no runs yet.\n       (WORKFLOW_SESSION_NOT_FOUND)\n',
  });
  expect(JSON.parse((await environment.atomic("runs", "show", "abcdef", "--json")).stdout)).toEqual({
    type: "error",
    runId: null,
    code: "WORKFLOW_SESSION_NOT_FOUND",
    message: 'No run is named "abcdef". There are no runs yet.',
  });
});
