import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runIdIn, TestEnvironment } from "../fixtures/test-environment.ts";
import { ENDLESS, GATE, TWO_QUESTIONS } from "../fixtures/workflow-files.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
  await environment.writeWorkflows({ gate: GATE, two: TWO_QUESTIONS, endless: ENDLESS });
});
afterEach(() => environment.remove());

async function startRun(...args: readonly string[]): Promise<string> {
  return runIdIn((await environment.atomic("run", ...args)).stdout);
}

const atomic = (...args: readonly string[]) => environment.atomic(...args);

test("watching a run that waits shows what it did and asks, with exit code 3", async () => {
  const id = await startRun("gate");
  const { exitCode, stdout, stderr } = await atomic("runs", "watch", id);
  expect({ exitCode, stderr: environment.normalise(stderr) }).toEqual({
    exitCode: 3,
    stderr: "▶ gate  run <run>\n✔ prepare  <ms>\n",
  });
  expect(stdout).toContain(`  atomic runs answer ${id} yes --request 'approve#1'\n`);
});

test("a run is followed while another process executes it, and Ctrl+C leaves it alone", async () => {
  const run = environment.start(["run", "endless"]);
  await run.stderr.waitFor("waiting");
  const watching = environment.start(["runs", "watch", "last"]);
  await watching.stderr.waitFor("waiting");
  const id = runIdIn(watching.stderr.text);
  watching.signal();
  expect(await watching.ended).toMatchObject({
    exitCode: 130,
    stderr: expect.stringContaining(
      `No longer watched; the run ${id} continues. Watch it again: atomic runs watch ${id}\n`,
    ),
  });
  const second = environment.start(["runs", "watch", id, "--json"]);
  await second.stdout.waitFor("waiting");
  run.signal();
  expect((await run.ended).exitCode).toBe(130);
  const { exitCode, stdout } = await second.ended;
  const types = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).type);
  expect({ exitCode, first: types[0], last: types.at(-1) }).toEqual({
    exitCode: 130,
    first: "run-start",
    last: "run-end",
  });
});

test("without the record of its events, a run's end is shown without its time", async () => {
  const id = await startRun("gate");
  const { sessionDir } = await environment.store.load(id);
  const path = join(sessionDir, "events.jsonl");
  const end = (await readFile(path, "utf8")).split("\n").find((line) => line.includes('"run-end"'));
  await writeFile(path, `${end}\n`);
  expect((await atomic("runs", "watch", id)).stdout).toStartWith(`suspended  gate  run ${id}\n`);
  await rm(path);
  expect((await atomic("runs", "watch", id)).stdout).toStartWith(`suspended  gate  run ${id}\n`);
});

test("a link in the place of a run's events ends watching and reports with one error, and gets no events", async () => {
  const id = await startRun("gate");
  const path = join((await environment.store.load(id)).sessionDir, "events.jsonl");
  await environment.writeProject({ "precious.txt": "precious" });
  await rm(path);
  await symlink(join(environment.project, "precious.txt"), path);
  for (const command of ["watch", "report"]) {
    const { exitCode, stderr } = await atomic("runs", command, id);
    expect({ exitCode, stderr: stderr.replaceAll(/\s+/g, " ") }).toEqual({
      exitCode: 1,
      stderr: `error: The events of the run cannot be read from ${path}: it is a link. Move it away: the run itself does not need it. (EVENTS_UNREADABLE) `,
    });
  }
  expect((await atomic("runs", "answer", id, "yes")).exitCode).toBe(0);
  expect(await environment.read("project/precious.txt")).toBe("precious");
});

test("a run whose process died is reported as interrupted", async () => {
  const id = await startRun("gate");
  await environment.store.update(id, (session) => ({ ...session, status: "running", hasBegun: false }));
  await rm(join((await environment.store.load(id)).sessionDir, "journal.db"), { force: true });
  const { sessionDir } = await environment.store.load(id);
  await rm(join(sessionDir, "journal.db-wal"), { force: true });
  expect(await atomic("runs", "watch", id)).toMatchObject({ exitCode: 1 });
});

test("a fork continues from a moment with a changed state; the original stays as it is", async () => {
  const id = await startRun("gate");
  await atomic("runs", "answer", id, "yes");
  const before = await atomic("runs", "show", id, "--state");
  const forked = await atomic("runs", "fork", id, "--at", "2", "--set", "topic=locks", "--no-run", "--json");
  const { runId } = JSON.parse(forked.stdout);
  expect(forked).toEqual({
    exitCode: 0,
    stdout: `${JSON.stringify({ type: "forked", runId, from: id, at: 2 })}\n`,
    stderr: "",
  });
  expect((await atomic("runs", "resume", runId)).exitCode).toBe(3);
  expect((await atomic("runs", "answer", runId, "no")).exitCode).toBe(0);
  expect(JSON.parse((await atomic("runs", "show", runId, "--state")).stdout)).toMatchObject({
    topic: "locks",
    answer: "no",
  });
  expect(await atomic("runs", "show", id, "--state")).toEqual(before);
  expect((await atomic("runs", "show", runId)).stdout).toContain(`Forked    from ${id} at 2\n`);
  expect((await atomic("runs", "list")).stdout).toContain(`(fork of ${id})`);
});

/** What the reports and the list say that a run works with. */
async function inputOf(id: string): Promise<readonly unknown[]> {
  const { stdout } = await atomic("runs", "show", id);
  const rows: readonly { readonly runId: string; readonly input: unknown }[] = JSON.parse(
    (await atomic("runs", "list", "--json")).stdout,
  );
  return [stdout.match(/^(?:Prompt|Input) .*$/gm), rows.find(({ runId }) => runId === id)?.input];
}

test("a fork is shown with the inputs that it works with, an edited run with those that it was started with", async () => {
  await environment.writeWorkflows({
    ask: `import { annotation, defineState, graph, waitNode } from "@bastani/atomic/graph";
const State = defineState({ prompt: annotation(""), seconds: annotation(1), notes: annotation("") });
export default () => graph(State).start(waitNode({ id: "gate" })).end().compile();
`,
  });
  const id = await startRun("ask", "old", "--input", "seconds=9");
  const started = [["Prompt    old", "Input     seconds=9"], { prompt: "old", seconds: 9 }];
  expect(await inputOf(id)).toEqual(started);
  const set = ["--set", "prompt=new", "--set", "seconds=0", "--set", "notes=n"];
  const fork = JSON.parse((await atomic("runs", "fork", id, "--at", "1", ...set, "--no-run", "--json")).stdout);
  const changed = [["Prompt    new", "Input     seconds=0"], { prompt: "new", seconds: 0 }];
  expect(await inputOf(fork.runId)).toEqual(changed);
  expect(await inputOf(id)).toEqual(started);
  expect((await atomic("runs", "edit", id, ...set)).exitCode).toBe(0);
  expect(await inputOf(id)).toEqual(started);
  const after = JSON.parse((await atomic("runs", "fork", id, "--no-run", "--json")).stdout);
  expect(await inputOf(after.runId)).toEqual(changed);
  const before = JSON.parse((await atomic("runs", "fork", id, "--at", "1", "--no-run", "--json")).stdout);
  expect(await inputOf(before.runId)).toEqual(started);
});

test("what a fork inherited is shown as such, also after the other run is deleted", async () => {
  const id = await startRun("gate");
  await atomic("runs", "answer", id, "yes");
  const forked = await atomic("runs", "fork", id, "--no-run", "--json");
  const { runId, at } = JSON.parse(forked.stdout);
  const again = JSON.parse((await atomic("runs", "fork", runId, "--no-run", "--json")).stdout).runId;
  expect((await atomic("runs", "delete", id)).exitCode).toBe(0);
  const { stdout } = await atomic("runs", "show", runId);
  const rowsOf = (text: string) =>
    text
      .slice(text.indexOf("NODE"))
      .trimEnd()
      .split("\n")
      .map((row) => row.split(/ +/).slice(0, 2).join(" "));
  expect(rowsOf(stdout).slice(0, 3)).toEqual(["NODE STATUS", "prepare inherited", "approve inherited"]);
  expect(rowsOf((await atomic("runs", "show", again)).stdout).slice(1, 3)).toEqual([
    "prepare inherited",
    "approve inherited",
  ]);
  const { inherited } = JSON.parse((await atomic("runs", "show", runId, "--json")).stdout);
  expect(inherited.visits.map(({ taskId, status }: Record<string, string>) => [taskId, status])).toEqual([
    ["prepare", "completed"],
    ["approve", "completed"],
  ]);
  expect((await atomic("runs", "history", runId)).stdout).toContain(`  forked from ${id} at ${at}\n`);
  const report = (await atomic("runs", "report", runId, "--output", "-")).stdout;
  expect(report).toContain(`<dt>Forked from</dt><dd>run <code>${id}</code> at ${at}</dd>`);
  expect(report).toContain("<dt>Steps</dt><dd>2, 2 inherited</dd>");
});

test("an unknown moment or field creates no run", async () => {
  const id = await startRun("gate");
  const unknown = await atomic("runs", "fork", id, "--at", "99");
  expect(unknown).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: expect.stringContaining(`error: The run "${id}" has no moment 99.`),
  });
  expect(unknown.stderr).toContain("1 (start), 2 (prepare), 3 (approve)");
  const field = await atomic("runs", "fork", id, "--set", "topik=x");
  expect([field.exitCode, field.stderr.includes('"topik"')]).toEqual([2, true]);
  expect(await environment.store.ids()).toEqual([id]);
});

test("a file answers the questions of an unattended run, by node", async () => {
  await environment.writeProject({ "answers.yaml": "approve: yes\ncount: [3, 4]\nother: x\n" });
  const { exitCode, stdout, stderr } = await atomic("run", "two", "--answers", "answers.yaml");
  expect({ exitCode, isCompleted: stdout.startsWith("completed") }).toEqual({ exitCode: 0, isCompleted: true });
  expect(stderr).toContain("No question took these answers of answers.yaml: count (from the answer 2 on), other.\n");
});

test("an answer that does not fit names the file and the node, and leaves the run waiting", async () => {
  await writeFile(join(environment.project, "a.json"), '{ "count": 0, /* any */ "*": "yes" }');
  const { exitCode, stdout, stderr } = await atomic("run", "two", "--answers", "a.json");
  expect([exitCode, stdout.includes("atomic runs answer ")]).toEqual([3, true]);
  expect(stderr).toContain('\nThe answer "count" in a.json does not fit the question of the node "count": ');
});

test("an answer for an unknown node is named with the nearest one that asked, and a missing file with its path", async () => {
  await environment.writeProject({ "answers.yaml": "aprove: yes\n" });
  const { exitCode, stderr } = await atomic("run", "gate", "--answers", "answers.yaml");
  expect([exitCode, stderr.split("\n").find((line) => line.startsWith("No question"))]).toEqual([
    3,
    'No question took these answers of answers.yaml: aprove (did you mean "approve"?).',
  ]);
  expect(await atomic("run", "gate", "--answers", "answer.yaml")).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: expect.stringContaining(`error: --answers names no file: ${environment.project}/answer.yaml.`),
  });
});

test("an answer file that is a list is rejected", async () => {
  await writeFile(join(environment.project, "a.json"), "[1]");
  const stderr = expect.stringContaining("error: --answers a.json must contain an object");
  expect(await atomic("run", "two", "--answers", "a.json")).toMatchObject({ exitCode: 2, stderr });
});

test("a wait that is no duration is rejected before anything starts", async () => {
  const { exitCode, stderr } = await atomic("run", "gate", "--ask", "soon");
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: expect.stringContaining(
      'error: --ask takes a duration such as 30s, 10m or 2h, at most 500h, and not "soon".',
    ),
  });
  expect(await environment.store.ids()).toEqual([]);
});

test.each([
  { call: ["runs", "fork", "last", "--no-run", "--detach"], named: "--no-run and --detach" },
  { call: ["run", "gate", "--replay", "r.jsonl", "--agent", "scripted"], named: "--replay and --agent" },
])("$named exclude each other", async ({ call, named }) => {
  const id = await startRun("gate");
  expect(await atomic(...call)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`error: ${named} exclude each other`),
  });
  expect(await environment.store.ids()).toEqual([id]);
});

test("a fork that no process has executed is not started, and says how to start it", async () => {
  const id = await startRun("gate");
  const { runId } = JSON.parse((await atomic("runs", "fork", id, "--at", "2", "--no-run", "--json")).stdout);
  const start = `Start it: atomic runs resume ${runId}\n`;
  const [list, show, watch] = [
    await atomic("runs", "list"),
    await atomic("runs", "show", runId),
    await atomic("runs", "watch", runId),
  ];
  expect(list.stdout.split("\n").find((line) => line.startsWith(runId))).toContain("  not started  ");
  expect(show.stdout).toContain("\nStatus    not started\n");
  expect(show.stdout).toEndWith(`\n\n${start}`);
  expect(watch.stdout).toStartWith(`not started  gate  run ${runId}`);
  expect(watch.stdout).toContain(start);
  expect(JSON.parse((await atomic("runs", "show", runId, "--json")).stdout).status).toBe("not started");
  expect((await atomic("runs", "resume", runId)).exitCode).toBe(3);
  expect((await atomic("runs", "show", runId)).stdout).toContain("\nStatus    suspended\n");
});
