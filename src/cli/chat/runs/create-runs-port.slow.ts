import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { NO_USAGE } from "../../../contracts/index.ts";
import type { RunsPort } from "../../../tui/index.ts";
import { runIdIn, TestEnvironment } from "../../fixtures/test-environment.ts";
import { ENDLESS, GATE, GREET } from "../../fixtures/workflow-files.ts";
import { createRunsPort } from "./create-runs-port.ts";

let environment: TestEnvironment;
let port: RunsPort;
/** What the port prints. */
let printed: () => string;

beforeEach(async () => {
  environment = await TestEnvironment.create();
  await environment.writeWorkflows({ gate: GATE, greet: GREET, endless: ENDLESS });
  const { environment: described, stdout, stderr } = environment.describe(["chat"]);
  printed = () => stdout.text + stderr.text;
  port = createRunsPort(described);
});
afterEach(async () => {
  expect(printed()).toBe("");
  await environment.remove();
});

async function startRun(...args: readonly string[]): Promise<string> {
  return runIdIn((await environment.atomic("run", ...args)).stdout);
}

/** Starts a run that has no end, and waits until its step works. */
async function startEndless() {
  const call = environment.start(["run", "endless"]);
  await call.stderr.waitFor("waiting");
  return { id: runIdIn(call.stderr.text), call };
}

test("the list has the runs, newest first, with what each was started with", async () => {
  const first = await startRun("greet", "all the\nworld", "--agent", "scripted");
  const second = await startRun("gate");
  const about = { projectDirectory: environment.project, startedAt: expect.any(Number), execution: expect.any(String) };
  expect(await port.list()).toEqual([
    { id: second, workflow: "gate", state: "suspended", prompt: "", agent: "opencode", ...about },
    { id: first, workflow: "greet", state: "completed", prompt: "all the world", agent: "scripted", ...about },
  ]);
  expect((await port.list({ limit: 1 })).map(({ id }) => id)).toEqual([second]);
});

test("a run is read with its question, its tasks and its usage", async () => {
  const id = await startRun("gate");
  const task = { id: "1", name: "Write", status: "passing" };
  const next = { id: "2", name: "Test", status: "pending", dependencies: ["1"] };
  const tasksFile = join(environment.store.directoryOf(id), "tasks.json");
  await writeFile(tasksFile, JSON.stringify({ version: "1.0", tasks: [task, next] }));
  expect(await port.load(id)).toMatchObject({
    ...{ id, workflow: "gate", state: "suspended", usage: NO_USAGE, tasksFile },
    tasks: [task, { id: "2", name: "Test", status: "pending", dependsOn: ["1"] }],
    requests: [{ id: "approve", question: "Ship it?" }],
  });
});

test("a run that does not exist is an error that names it", async () => {
  await expect(port.load("0vr8z8579gzr")).rejects.toThrow('"0vr8z8579gzr"');
});

test("a run with a damaged journal is listed as unreadable, counted, and read with what to try", async () => {
  const id = await startRun("gate");
  const folder = environment.store.directoryOf(id);
  await writeFile(join(folder, "journal.db"), "no database at all".repeat(300));
  expect((await port.list()).map(({ state }) => state)).toEqual(["unreadable"]);
  expect([await port.loadInbox(), await port.countUnreadable?.()]).toEqual([[], 1]);
  await expect(port.load(id)).rejects.toThrow(
    [
      `The journal of the run "${id}" is damaged at entry 1 (file is not a database), so the run can be neither shown nor resumed.`,
      `Its folder is ${folder}`,
      "Restore journal.db there from a backup, or start a new run: atomic run WORKFLOW",
    ].join("\n"),
  );
});

test("the steps of a built-in workflow are those of its graph", async () => {
  const { sessionId } = await environment.store.create({
    workflowName: "ralph",
    projectDirectory: environment.project,
    input: {},
    owner: { pid: 1, startedAt: "2026-01-01T00:00:00.000Z" },
  });
  const { steps } = await port.load(sessionId);
  expect(steps[0]).toEqual({ nodeId: "read-goal", name: "Read the goal", nodeType: "tool", depth: 0 });
  expect(steps.find(({ nodeId }) => nodeId === "tasks-workers")).toEqual({
    ...{ nodeId: "tasks-workers", name: "tasks-workers", nodeType: "map", depth: 2 },
    strategy: "all",
  });
});

test("the events of a run that has ended are its whole record", async () => {
  const id = await startRun("greet", "you", "--agent", "scripted");
  const types = (await Array.fromAsync(port.follow(id, new AbortController().signal))).map(({ type }) => type);
  expect([types[0], types.at(-1)]).toEqual(["run-start", "run-end"]);
  expect(types).toContain("agent");
});

test("a run in progress is followed until it is cancelled", async () => {
  const { id, call } = await startEndless();
  const leaving = new AbortController();
  const seen: string[] = [];
  const following = (async () => {
    for await (const event of port.follow(id, leaving.signal)) {
      seen.push(event.type);
      if (event.type === "log") call.signal();
    }
  })();
  await following;
  expect(seen.at(-1)).toBe("run-end");
  expect(await port.load(id)).toMatchObject({ state: "cancelled" });
  await call.ended;
});

test("a step of a run in progress is cancelled, and a run says that it is pausing until the pause is withdrawn", async () => {
  const { id, call } = await startEndless();
  await port.pause(id);
  expect(await port.load(id)).toMatchObject({ state: "pausing" });
  await port.resume(id);
  expect(await port.load(id)).toMatchObject({ state: "running" });
  await port.cancelNode(id, "wait");
  expect((await call.ended).exitCode).toBe(1);
  expect(await port.load(id)).toMatchObject({ state: "failed", error: { nodeId: "wait" } });
});

test("the inbox has the questions and permission requests of all runs, the oldest deadline first", async () => {
  const gate = await startRun("gate");
  const { id, call } = await startEndless();
  const folder = join(environment.store.directoryOf(id), "permission-requests");
  const request = {
    id: "r",
    sessionId: "s",
    kind: "shell",
    toolName: "Bash",
    title: "rm x",
    paths: [],
    command: "rm x",
  };
  const published = { id: "permission-1", request, askedAt: 5, deadline: 9_000_000_000_000 };
  await mkdir(folder);
  await writeFile(join(folder, "permission-1.json"), JSON.stringify(published));
  const expected = [
    {
      ...{ type: "permission", runId: id, workflow: "endless", permissionId: "permission-1" },
      ...{ request, askedAt: 5, deadline: 9_000_000_000_000 },
    },
    {
      ...{ type: "question", runId: gate, workflow: "gate", askedAt: expect.any(Number) },
      request: expect.objectContaining({ id: "approve", question: "Ship it?" }),
    },
  ];
  expect(await port.loadInbox()).toEqual(expected as Awaited<ReturnType<RunsPort["loadInbox"]>>);
  await expect(port.answerPermission(id, "permission-1", "yes")).rejects.toThrow();
  call.signal();
  await call.ended;
  expect((await port.loadInbox()).map(({ runId }) => runId)).toEqual([gate]);
});

/** An agent's own question, as a node's session receives it. */
const ASKING = `import { graph, toolNode } from "@bastani/atomic/graph";
const question = { id: "q", sessionId: "s", question: "Which one?", options: [{ label: "Red" }, { label: "Blue" }], isMultiple: false, step: "worker 2" };
const ask = toolNode({ id: "ask", execute: async (_, { services, signal }) => {
  const answer = await services.sessionConfig.onQuestion(question, { signal });
  return answer.type === "answer" ? answer.values : answer.reason;
} });
export default () => graph().start(ask).end().compile();
`;

test("an agent's own question is in the inbox, and takes an answer from there", async () => {
  await environment.writeWorkflows({ asking: ASKING });
  const run = environment.start(["run", "asking", "--ask", "10m"]);
  await run.stderr.waitFor("Waits for an answer: Which one?");
  const [item] = await port.loadInbox();
  const id = item?.runId ?? "";
  const name = item?.type === "question" ? item.request.id : "";
  expect([item, name]).toEqual([
    {
      ...{ type: "question", runId: id, workflow: "asking", askedAt: expect.any(Number), deadline: expect.any(Number) },
      request: {
        ...{ id: name, nodeId: "worker 2", question: "Which one?", askedAt: expect.any(Number), acceptsText: true },
        options: [{ label: "Red" }, { label: "Blue" }],
      },
    },
    expect.stringMatching(/^agent-question-/),
  ]);
  expect((await environment.atomic("runs", "list", "--waiting")).stdout).toContain(id);
  expect((await environment.atomic("runs", "show", id)).stdout).toContain(
    ["worker 2 asks: Which one?", "  - Red", "  - Blue"].join("\n"),
  );
  await port.answer(id, name, "Green");
  const { exitCode } = await run.ended;
  expect([exitCode, (await environment.store.load(id)).outputs]).toEqual([0, { ask: ["Green"] }]);
  expect(await port.loadInbox()).toEqual([]);
});

test("an agent's own question is answered by a command, too", async () => {
  await environment.writeWorkflows({ asking: ASKING });
  const run = environment.start(["run", "asking", "--ask", "10m"]);
  await run.stderr.waitFor("Waits for an answer: Which one?");
  const id = (await port.loadInbox())[0]?.runId ?? "";
  expect((await environment.atomic("runs", "answer", id, " ")).stderr).toContain("The answer is empty.");
  expect((await environment.atomic("runs", "answer", id, "Blue")).exitCode).toBe(0);
  await run.ended;
  expect((await environment.store.load(id)).outputs).toEqual({ ask: ["Blue"] });
});

test("a question that is no longer open has no answer", async () => {
  const id = await startRun("gate");
  await expect(port.answer(id, "other", "yes")).rejects.toThrow('"other"');
});
