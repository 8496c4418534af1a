import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { waitUntil } from "../../testkit/conformance/wait-until.ts";
import { AtomicProcess, type AtomicResult } from "./fixtures/atomic-process.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

/** Works until the file that its prompt names exists. */
const HOLD = `import { annotation, defineState, graph, shellNode } from "@bastani/atomic/graph";
const State = defineState({ prompt: annotation("") });
const hold = shellNode({ id: "hold", command: ({ prompt }) => "until test -e " + prompt + "; do sleep 0.05; done" });
export default () => graph(State).start(hold).end().compile();
`;

/** Starts another run from a step. */
const OUTER = `import { graph, shellNode } from "@bastani/atomic/graph";
export default () =>
  graph().start(shellNode({ id: "inner", command: "atomic run hold now --trust" })).end().compile();
`;

/** Suspended at once, due a second later. */
const GATE = `import { graph, waitNode } from "@bastani/atomic/graph";
export default () =>
  graph()
    .start(waitNode({ id: "gate", prompt: "Ship?", autoApprove: { afterMs: 1_000 } }))
    .end()
    .compile({ autoApproveWaitMs: 0 });
`;

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await Sandbox.create();
  await sandbox.write({
    ".atomic/workflows/hold.ts": HOLD,
    ".atomic/workflows/outer.ts": OUTER,
    ".atomic/workflows/gate.ts": GATE,
    ".gitignore": "later\n",
    now: "",
  });
});

afterEach(() => sandbox.remove());

async function startHolder(): Promise<AtomicProcess> {
  const run = sandbox.start(["run", "hold", "later", "--trust", "--json"]);
  await run.waitFor(({ type }) => type === "node-start");
  return run;
}

async function release(run: AtomicProcess): Promise<void> {
  await sandbox.write({ later: "" });
  expect((await run.ended).exitCode).toBe(0);
}

test("runs of one repository work one at a time, wherever in it they are called; those of another worktree beside them", async () => {
  await sandbox.write({ "src/index.ts": "" });
  await sandbox.commitAll();
  await sandbox.shell("git worktree add -q ../other");
  const holder = await startHolder();
  const at = (folder: string): Promise<AtomicResult> =>
    new AtomicProcess({
      program: "atomic",
      args: ["run", "hold", "now", "--trust"],
      workingDirectory: join(sandbox.project, folder),
      env: sandbox.env,
    }).ended;
  expect(await at("src")).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("(WORKING_TREE_BUSY)") });
  expect(await at("../other")).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("completed  hold") });
  await release(holder);
});

test("what a step starts works within its run", async () => {
  const { exitCode, stderr } = await sandbox.atomic("run", "outer", "--trust");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining("✔ inner") });
});

test("a run that was killed holds nothing", async () => {
  const holder = await startHolder();
  holder.kill("SIGKILL");
  await holder.ended;
  expect((await sandbox.atomic("run", "hold", "now", "--trust")).exitCode).toBe(0);
});

test("of many calls at the same moment, one works; each of the others names it", async () => {
  const calls = Array.from({ length: 6 }, () => sandbox.start(["run", "hold", "later", "--trust", "--json"]));
  const first = await Promise.any(
    calls.map(async (call) => {
      await call.waitFor(({ type }) => type === "node-start");
      return call;
    }),
  );
  const others = await Promise.all(calls.filter((call) => call !== first).map(({ ended }) => ended));
  for (const { exitCode, stdout, stderr } of others) {
    expect(exitCode).toBe(2);
    expect(stdout + stderr).toMatch(/The run [0-9a-z]{12} \(hold\) works in/);
  }
  await release(first);
});

test("runs due leaves a run alone while another works there, and resumes the due runs of one project one by one", async () => {
  const ids = new Set<string>();
  for (let count = 0; count < 3; count++) {
    const { events } = await sandbox.atomic("run", "gate", "--trust", "--json");
    ids.add(events[0]?.runId ?? "");
  }
  const holder = await startHolder();
  const dueAt = Date.now() + 2_000;
  await waitUntil(() => Date.now() > dueAt, "the clock does not run");
  expect(await sandbox.atomic("runs", "due")).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  await release(holder);
  const { exitCode, stdout, stderr } = await sandbox.atomic("runs", "due");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const words = stdout
    .trim()
    .split("\n")
    .map((line) => line.split(" ")[0]);
  expect(words).toEqual(["resumed", "completed", "resumed", "completed", "resumed", "completed"]);
  expect(new Set(stdout.match(/\b[0-9a-z]{12}\b/g))).toEqual(ids);
});
