import { afterEach, beforeEach, expect, test } from "bun:test";
import { copyFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runIdIn, TestEnvironment } from "../fixtures/test-environment.ts";
import { GATE, GREET } from "../fixtures/workflow-files.ts";

/** Works until it is cancelled. */
const WORK = `import { graph, toolNode } from "@bastani/atomic/graph";
const work = toolNode({
  id: "work",
  execute: (_, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
});
export default () => graph().start(work).end().compile();
`;

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
  await environment.writeWorkflows({ gate: GATE, greet: GREET });
});
afterEach(() => environment.remove());

async function startRun(...args: readonly string[]): Promise<string> {
  return runIdIn((await environment.atomic("run", ...args)).stdout);
}

const names = async () => (await environment.store.list()).sessions.map(({ sessionId }) => sessionId);

test("the history has each moment of a run, with the step", async () => {
  const id = await startRun("gate");
  await environment.atomic("runs", "edit", id, "--set", "topic=locks");
  await environment.atomic("runs", "answer", id, "yes");
  const { exitCode, stdout, stderr } = await environment.atomic("runs", "history", id.slice(0, 6));
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const rows = environment.normalise(stdout).trimEnd().split("\n");
  expect(rows.map((row) => row.replace(/^\d+/, "#").replace(/ {2,}/g, "  "))).toEqual([
    "MOMENT  TIME (UTC)  STEP  WHAT",
    "#  <time>  the run starts",
    "#  <time>  prepare  done",
    "#  <time>  approve  asks: Ship it?",
    "#  <time>  the state is edited: topic",
    "#  <time>  approve  has its answer: yes",
  ]);
});

test("as JSON the history has the sequence numbers that fork() takes", async () => {
  const id = await startRun("gate");
  const { stdout } = await environment.atomic("runs", "history", "last", "--json");
  expect(JSON.parse(stdout)).toEqual({
    runId: id,
    moments: [
      { sequence: expect.any(Number), at: expect.any(Number), type: "start", nodeId: "", taskId: "" },
      { sequence: expect.any(Number), at: expect.any(Number), type: "node", nodeId: "prepare", taskId: "prepare" },
      {
        sequence: expect.any(Number),
        at: expect.any(Number),
        type: "request",
        nodeId: "approve",
        taskId: "approve",
        question: "Ship it?",
      },
    ],
  });
});

test("a run whose journal is gone has no history: the error says so", async () => {
  const id = await startRun("gate");
  await rm(join((await environment.store.load(id)).sessionDir, "journal.db"), { force: true });
  const { exitCode, stderr } = await environment.atomic("runs", "history", id);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("(JOURNAL_MISSING)");
});

test.each([
  { title: "empty", lose: (path: string) => writeFile(path, "") },
  {
    title: "another run's",
    lose: async (path: string) => {
      const { sessionDir } = await environment.store.load(await startRun("gate"));
      await copyFile(join(sessionDir, "journal.db"), path);
    },
  },
])("a run whose journal is $title has no report, and runs show and runs due say so", async ({ lose }) => {
  const id = await startRun("gate");
  const { sessionDir } = await environment.store.load(id);
  await lose(join(sessionDir, "journal.db"));
  expect((await environment.atomic("runs", "show", id)).exitCode).toBe(1);
  const { exitCode, stderr } = await environment.atomic("runs", "report", id);
  expect([exitCode, stderr.includes("(JOURNAL_MISSING)")]).toEqual([1, true]);
  expect(await Bun.file(join(sessionDir, "report.html")).exists()).toBe(false);
  const due = await environment.atomic("runs", "due");
  expect([due.exitCode, due.stderr]).toEqual([
    1,
    expect.stringContaining(`warning: The run ${id} cannot be read: The journal of the run "${id}" in `),
  ]);
});

test("finished runs are deleted, several in one call, each once", async () => {
  const [first, second, third] = [
    await startRun("greet", "--agent", "scripted"),
    await startRun("greet", "--agent", "scripted"),
    await startRun("greet", "--agent", "scripted"),
  ];
  expect(await environment.atomic("runs", "delete", first, second, first)).toEqual({
    exitCode: 0,
    stdout: `deleted  run ${first}\ndeleted  run ${second}\n`,
    stderr: "",
  });
  expect(await names()).toEqual([third]);
  const { stdout } = await environment.atomic("runs", "delete", "last", "--json");
  expect(JSON.parse(stdout)).toEqual({ type: "deleted", runId: third });
});

test("a run that waits is deleted only with --force; nothing is deleted before all are checked", async () => {
  const done = await startRun("greet", "--agent", "scripted");
  const waiting = await startRun("gate");
  expect(await environment.atomic("runs", "delete", done, waiting)).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: [
      `error: The run "${waiting}" is suspended, and can be resumed: atomic runs show ${waiting}.`,
      `       Delete it all the same: atomic runs delete ${waiting} --force`,
      "       (RUN_UNFINISHED)",
      "",
    ].join("\n"),
  });
  expect((await names()).toSorted()).toEqual([done, waiting].toSorted());
  expect((await environment.atomic("runs", "delete", done, waiting, "--force")).exitCode).toBe(0);
  expect(await names()).toEqual([]);
});

test("a run that a process executes is not deleted, not even with --force", async () => {
  await environment.writeWorkflows({ work: WORK });
  const call = environment.start(["run", "work"]);
  await call.stderr.waitFor("▶ work");
  const id = runIdIn(call.stderr.text);
  const { exitCode, stderr } = await environment.atomic("runs", "delete", id, "--force");
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: expect.stringContaining(`error: The run "${id}" is being executed by process ${process.pid}.`),
  });
  call.signal();
  expect((await call.ended).exitCode).toBe(130);
  expect((await environment.atomic("runs", "delete", id)).stderr).toContain("is cancelled, and can be resumed");
  expect((await environment.atomic("runs", "delete", id, "--force")).exitCode).toBe(0);
});

test("runs history calls a step that was skipped so", async () => {
  await environment.writeWorkflows({
    step: `import { graph, toolNode } from "@bastani/atomic/graph";
const fails = { id: "fails", execute: () => { throw new Error("It broke."); }, retry: { maxAttempts: 1 } };
export default () => graph().start(toolNode(fails)).end().compile();
`,
  });
  const step = runIdIn((await environment.atomic("run", "step")).stdout);
  expect((await environment.atomic("runs", "skip", step, "fails")).exitCode).toBe(0);
  const { stdout } = await environment.atomic("runs", "history", step);
  expect(stdout).toMatch(/fails +skipped/);
  const { moments } = JSON.parse((await environment.atomic("runs", "history", step, "--json")).stdout);
  expect(moments.at(-1)).toMatchObject({ type: "node", nodeId: "fails", isSkipped: true });
});
