import { afterEach, beforeEach, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { DefaultSaver, SqliteSaver } from "../../graph/index.ts";
import { runIdIn, TestEnvironment } from "../fixtures/test-environment.ts";
import { FLAKY, GATE, GREET, MODELS, TWO_QUESTIONS } from "../fixtures/workflow-files.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

async function startRun(...args: readonly string[]): Promise<string> {
  return runIdIn((await environment.atomic("run", ...args)).stdout);
}

test("the right answer completes the run", async () => {
  await environment.writeWorkflows({ gate: GATE });
  const runId = await startRun("gate");
  const { exitCode, stdout, stderr } = await environment.atomic("runs", "answer", runId, "YES");
  expect(exitCode).toBe(0);
  expect(environment.normalise(stdout)).toStartWith("completed  gate  run <run>  <ms> in this call\n");
  expect(environment.normalise(stderr)).toBe("▶ gate  run <run>\n✔ approve: yes\n");
  expect((await environment.store.load(runId)).status).toBe("completed");
});

test("an invalid answer is rejected with the valid ones, and the question stays open", async () => {
  await environment.writeWorkflows({ gate: GATE });
  const runId = await startRun("gate");
  const { exitCode, stdout, stderr } = await environment.atomic("runs", "answer", runId, "perhaps");
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toBe(
    [
      'error: The answer to "approve" was rejected: "perhaps" is not one of the options.',
      "       Allowed answers: yes, no.",
      "       (ANSWER_INVALID)",
      "",
    ].join("\n"),
  );
  expect((await environment.store.load(runId)).status).toBe("paused");
  expect((await environment.atomic("runs", "answer", runId, "no")).exitCode).toBe(0);
});

test("without an answer, the question and the commands that answer it are printed", async () => {
  await environment.writeWorkflows({ gate: GATE });
  const runId = runIdIn((await environment.atomic("run", "gate")).stdout);
  expect(await environment.atomic("runs", "answer", runId)).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: [
      "error: The answer is missing.",
      "       Waiting for an answer: Ship it?",
      `         atomic runs answer ${runId} yes --request 'approve#1'`,
      `         atomic runs answer ${runId} no --request 'approve#1'`,
      "       (USAGE)",
      "",
    ].join("\n"),
  });
});

test("of several questions each is answered by its own id or node, in any order", async () => {
  await environment.writeWorkflows({ two: TWO_QUESTIONS });
  const runId = await startRun("two");
  const [approve, count] = ["parallel_1[approve]/approve", "parallel_1[count]/count"];

  const unclear = await environment.atomic("runs", "answer", runId, "yes");
  expect({ exitCode: unclear.exitCode, stderr: unclear.stderr }).toEqual({
    exitCode: 2,
    stderr: [
      `error: The run "${runId}" asks 2 things.`,
      "       Say which one:",
      "       Waiting for an answer: Ship it?",
      `         atomic runs answer ${runId} yes --request '${approve}'`,
      `         atomic runs answer ${runId} no --request '${approve}'`,
      "       Waiting for an answer: How many?",
      '         The answer is JSON of this shape: {"type":"integer","minimum":1,"maximum":9007199254740991}',
      `         atomic runs answer ${runId} '…' --request '${count}'`,
      "       (USAGE)",
      "",
    ].join("\n"),
  });
  const unknown = await environment.atomic("runs", "answer", runId, "yes", "--request", "aprove");
  expect({ exitCode: unknown.exitCode, stderr: unknown.stderr }).toEqual({
    exitCode: 2,
    stderr: `error: There is no open question "aprove".\n       Open questions: ${approve}, ${count}.\n       (REQUEST_UNKNOWN)\n`,
  });
  // A question is known by its node, too, as long as only one of that node is open.
  const misfit = await environment.atomic("runs", "answer", runId, "many", "--request", "count");
  expect(misfit.exitCode).toBe(2);
  expect(misfit.stderr).toStartWith(`error: The answer to "${count}" was rejected: `);

  expect((await environment.atomic("runs", "answer", runId, "3", "--request", count)).exitCode).toBe(3);
  // Only one is left, so that it need not be named.
  expect((await environment.atomic("runs", "answer", runId, "no")).exitCode).toBe(0);
  expect((await environment.store.load(runId)).outputs).toEqual({ prepare: 1, approve: "no", count: 3 });
});

test("a question that was answered elsewhere cannot be answered again", async () => {
  await environment.writeWorkflows({ gate: GATE });
  const runId = await startRun("gate");
  await environment.atomic("runs", "answer", runId, "yes");
  const { exitCode, stderr } = await environment.atomic("runs", "answer", runId, "no", "--request", "approve");
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: `error: The question "approve" of the run "${runId}" has been answered already.\n       Look at the run with: atomic runs show ${runId}\n       (USAGE)\n`,
  });
});

test("a damaged journal is called that, and not the list of runs", async () => {
  await environment.writeWorkflows({ gate: GATE });
  const runId = await startRun("gate");
  const folder = environment.store.directoryOf(runId);
  await writeFile(join(folder, "journal.db"), "no database at all".repeat(300));
  for (const args of [["show"], ["resume"], ["cancel"]]) {
    const { exitCode, stderr } = await environment.atomic("runs", ...args, runId);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: [
        `error: The journal of the run "${runId}" is damaged at entry 1 (file is not a database), so the run can be neither shown nor resumed.`,
        `       Its folder is ${folder}`,
        "       Restore journal.db there from a backup, or start a new run: atomic run WORKFLOW",
        "       (JOURNAL_CORRUPT)",
        "",
      ].join("\n"),
    });
  }
});

test("a journal that is damaged in the middle resumes as the error says", async () => {
  await environment.writeWorkflows({ gate: GATE });
  const runId = await startRun("gate");
  const path = join(environment.store.directoryOf(runId), "journal.db");
  const database = new DatabaseSync(path);
  database.exec("UPDATE entries SET body = body || ' ' WHERE position % 4294967296 = 3");
  database.close();
  const { stderr } = await environment.atomic("runs", "resume", runId);
  expect(stderr).toContain(`  await new SqliteSaver({ path: "${path}" }).truncate("${runId}", 2);\n`);
  await new SqliteSaver({ path }).truncate(runId, 2);
  expect((await environment.atomic("runs", "resume", runId)).exitCode).toBe(3);
  expect((await environment.atomic("runs", "answer", runId, "yes")).exitCode).toBe(0);
});

test("a run without a pending question cannot be answered", async () => {
  await environment.writeWorkflows({ flaky: FLAKY });
  const runId = await startRun("flaky");
  const { exitCode, stderr } = await environment.atomic("runs", "answer", runId, "yes");
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: `error: The run "${runId}" has no pending question: it is failed.\n       Look at it with: atomic runs show ${runId}\n       (USAGE)\n`,
  });
});

test("a completed run is not resumed", async () => {
  await environment.writeWorkflows({ greet: GREET });
  const runId = await startRun("greet", "--agent", "scripted");
  const { exitCode, stdout, stderr } = await environment.atomic("runs", "resume", runId);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toBe(
    `error: The run "${runId}" is completed; there is nothing left to do.\n       Start a new run.\n       (RUN_FINISHED)\n`,
  );
  expect((await environment.store.load(runId)).status).toBe("completed");
});

test("a failed run resumes at the failed node, once the cause is gone", async () => {
  await environment.writeWorkflows({ flaky: FLAKY });
  const runId = await startRun("flaky");
  const again = await environment.atomic("runs", "resume", runId);
  expect(again.exitCode).toBe(1);
  expect((await environment.store.load(runId)).error?.message).toBe("It is not repaired. Repair it.");

  await environment.write({ "project/repaired": "" });
  const { exitCode, stdout, stderr } = await environment.atomic("runs", "resume", runId);
  expect(exitCode).toBe(0);
  expect(environment.normalise(stdout)).toStartWith("completed  flaky  run <run>");
  expect(environment.normalise(stderr)).toBe("▶ flaky  run <run>\n✔ second (attempt 3)  <ms>\n");
  expect(await environment.store.load(runId)).toMatchObject({
    status: "completed",
    nodeHistory: ["first", "second"],
    outputs: { first: 1, second: 2 },
  });
});

test("a model is one of the agent it was set for: nodes of another agent, and a resume with another, do not get it", async () => {
  await environment.writeWorkflows({ models: MODELS });
  await environment.write({
    "home/.atomic/config.json": JSON.stringify({
      agents: { opencode: { model: "a/b" }, copilot: { model: "gpt" } },
    }),
  });
  const started = await environment.atomic("run", "models", "--agent", "scripted", "--model", "small");
  expect(started.stdout).toContain("small, small, its own, its own");
  await environment.write({ "project/repaired": "" });
  const runId = runIdIn(started.stdout);
  const outputsOf = async () => (await environment.store.load(runId)).outputs;
  await environment.atomic("runs", "resume", runId, "--agent", "opencode");
  expect(await outputsOf()).toEqual({ models: ["a/b", "its own", "a/b", "its own"] });
});

test("a run is resumed with the model it was started with", async () => {
  await environment.writeWorkflows({ models: MODELS });
  const started = await environment.atomic("run", "models", "--agent", "scripted", "--model", "small");
  await environment.write({ "project/repaired": "" });
  const runId = runIdIn(started.stdout);
  await environment.atomic("runs", "resume", runId);
  expect((await environment.store.load(runId)).outputs).toEqual({ models: ["small", "small", "its own", "its own"] });
});

test("resuming a run that waits asks the same again", async () => {
  await environment.writeWorkflows({ gate: GATE });
  const runId = await startRun("gate");
  const { exitCode, stdout } = await environment.atomic("runs", "resume", runId);
  expect(exitCode).toBe(3);
  expect(stdout).toContain(`  atomic runs answer ${runId} yes --request 'approve#1'\n`);
});

test("a run is meant by the beginning of its id, where only one begins like that", async () => {
  await environment.writeWorkflows({ gate: GATE });
  const [one, two] = ["1aaaaaaaaaaa", "1aaaabbbbbbb"];
  for (const id of [one, two])
    await environment.store.create({ id, workflowName: "gate", projectDirectory: environment.project, input: {} });
  const ambiguous = await environment.atomic("runs", "resume", "1aaaa");
  expect({ exitCode: ambiguous.exitCode, stderr: ambiguous.stderr }).toEqual({
    exitCode: 2,
    stderr: `error: 2 runs begin with "1aaaa": ${one}, ${two}.\n       Type more of the identifier.\n       (WORKFLOW_SESSION_AMBIGUOUS)\n`,
  });
  expect((await environment.atomic("runs", "resume", "1aaaab")).exitCode).toBe(3);
  const unknown = await environment.atomic("runs", "resume", "1aaaac");
  expect({ exitCode: unknown.exitCode, stderr: unknown.stderr }).toEqual({
    exitCode: 2,
    stderr: `error: No run is named "1aaaac".\n       Perhaps you mean: ${two}, ${one}.\n       (WORKFLOW_SESSION_NOT_FOUND)\n`,
  });
  const short = await environment.atomic("runs", "resume", "../x");
  expect({ exitCode: short.exitCode, stderr: short.stderr }).toEqual({
    exitCode: 2,
    stderr:
      'error: "../x" cannot identify a session.\n       Use 4 to 64 lower-case letters, digits, "-" and "_".\n       (WORKFLOW_SESSION_ID_INVALID)\n',
  });
});

test("a run whose process died before its first step begins when it is resumed, with the input it was given", async () => {
  await environment.writeWorkflows({ greet: GREET });
  const { sessionId } = await environment.store.create({
    workflowName: "greet",
    projectDirectory: environment.project,
    input: { prompt: "Ada" },
    agent: "scripted",
  });
  const { exitCode, stderr } = await environment.atomic("runs", "resume", sessionId);
  expect(exitCode).toBe(0);
  expect(environment.normalise(stderr)).toStartWith(
    "▶ greet  run <run>\n▸ Greet\n  │ Scripted answer to: Greet Ada 1\n✔ Greet",
  );
  expect((await environment.store.load(sessionId)).status).toBe("completed");
});

test("a run keeps its own project, settings and permissions when it is resumed from elsewhere", async () => {
  await environment.writeWorkflows({ greet: GREET });
  await environment.write({
    "project/.atomic/config.json": '{ "agent": "scripted", "model": "project/model" }',
    "elsewhere/.atomic/config.json": '{ "agent": "nonsense" }',
  });
  const { sessionId } = await environment.store.create({
    workflowName: "greet",
    projectDirectory: environment.project,
    input: {},
  });
  const call = environment.start(["runs", "resume", sessionId], { workingDirectory: "elsewhere" });
  expect((await call.ended).exitCode).toBe(0);
});

test("a workflow that is gone is said to be gone", async () => {
  await environment.writeWorkflows({ greet: GREET });
  const { sessionId } = await environment.store.create({
    workflowName: "removed-one",
    projectDirectory: environment.project,
    input: {},
  });
  const { exitCode, stderr } = await environment.atomic("runs", "resume", sessionId);
  expect(exitCode).toBe(2);
  expect(stderr).toStartWith('error: There is no workflow "removed-one".\n');
});

test("a budget applies to all processes of a run, until a later one sets another", async () => {
  await environment.writeWorkflows({ two: TWO_QUESTIONS });
  const run = await environment.atomic("run", "two", "--agent", "scripted", "--max-tokens", "5", "--json");
  const { runId } = JSON.parse(run.stdout.split("\n", 1)[0] ?? "");
  expect((await environment.store.load(runId)).settings?.budget).toEqual({ maxTokens: 5 });
  await environment.atomic("runs", "resume", runId, "--max-cost", "2");
  expect((await environment.store.load(runId)).settings?.budget).toEqual({ maxTokens: 5, maxCostUsd: 2 });
  await environment.atomic("runs", "resume", runId, "--max-tokens", "9");
  expect((await environment.store.load(runId)).settings?.budget).toEqual({ maxTokens: 9, maxCostUsd: 2 });
});

test("a run that spent its budget resumes only with a larger one", async () => {
  await environment.writeWorkflows({ greet: GREET });
  const call = (...args: readonly string[]) => environment.atomic(...args);
  const first = await call("run", "greet", "Ada", "--agent", "scripted", "--max-tokens", "5");
  const runId = runIdIn(first.stdout);
  const again = await call("runs", "resume", runId);
  const enough = await call("runs", "resume", runId, "--max-tokens", "1000");
  expect([first, again, enough].map(({ exitCode }) => exitCode)).toEqual([1, 1, 0]);
});

test("a workflow is built with the configuration of the call, also when its run is resumed", async () => {
  const source = GATE.replace(
    "export default () =>",
    'export const defaultConfig = { question: "Ship it?", rounds: 1 };\nexport default (config) =>',
  )
    .replace('prompt: "Ship it?"', "prompt: config.question")
    .replace("=> ({ answer })", "=> ({ answer: answer + config.rounds })")
    .replace(".compile()", ".compile({ output: ({ answer }) => answer })");
  await environment.writeWorkflows({ gate: source });
  const asked = await environment.atomic("run", "gate", "--config", "question=Sure?", "--config", "rounds=3");
  expect(asked.stdout).toContain("Sure?");
  const runId = runIdIn(asked.stdout);
  const { exitCode, stdout } = await environment.atomic("runs", "answer", runId, "yes");
  expect([exitCode, stdout.trimEnd().split("\n").at(-1)]).toEqual([0, "yes3"]);
  expect((await environment.store.load(runId)).settings?.workflowConfig).toEqual({ question: "Sure?", rounds: 3 });
  const wrong = await environment.atomic("run", "gate", "--config", "qestion=Sure?");
  expect([wrong.exitCode, wrong.stderr.split("\n")[0]]).toEqual([
    2,
    'error: The workflow "gate" has no setting "qestion".',
  ]);
});

/** Two questions, one after the other. */
const KEEP_AND_DEPLOY = `import { graph, waitNode } from "@bastani/atomic/graph";
export default () =>
  graph()
    .start(waitNode({ id: "keep", prompt: "Keep?" }))
    .then(waitNode({ id: "deploy", prompt: "Deploy?" }))
    .end()
    .compile();
`;

test("an answer that names no question is not for one that was asked after the command was called", async () => {
  await environment.writeWorkflows({ two: KEEP_AND_DEPLOY });
  const runId = await startRun("two");
  const startedAt = Date.now() - 60_000;
  for (const name of [[], ["--request", "keep"]]) {
    const { exitCode, stderr } = await environment.start(["runs", "answer", runId, "yes", ...name], { startedAt })
      .ended;
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: [
        "error: The question was asked after this command was called.",
        "       If it is meant, name it:",
        "       Waiting for an answer: Keep?",
        `         atomic runs answer ${runId} yes --request 'keep#1'`,
        `         atomic runs answer ${runId} no --request 'keep#1'`,
        "       (USAGE)",
        "",
      ].join("\n"),
    });
  }
  const named = ["runs", "answer", runId, "yes", "--request", "keep#1"];
  expect((await environment.start(named, { startedAt }).ended).exitCode).toBe(3);
  const again = await environment.atomic(...named);
  expect(again.exitCode).toBe(2);
  expect(again.stderr).toContain('The question "keep#1" of the run');
  expect(again.stderr).toContain("has been answered already.");
});

test("answers that are given at the same time are all taken", async () => {
  await environment.writeWorkflows({ two: TWO_QUESTIONS });
  const runId = await startRun("two");
  await Promise.all([
    environment.atomic("runs", "answer", runId, "yes", "--request", "approve"),
    environment.atomic("runs", "answer", runId, "3", "--request", "count"),
  ]);
  const { status, outputs } = await environment.store.load(runId);
  expect({ status, outputs }).toEqual({ status: "completed", outputs: { prepare: 1, approve: "yes", count: 3 } });
});

test("an answer waits for a process that holds the run and takes none", async () => {
  await environment.writeWorkflows({ gate: GATE });
  const runId = await startRun("gate");
  const saver = new DefaultSaver({ directory: environment.store.directoryOf(runId), owner: "process 1" });
  const journal = await saver.open(runId, "resume");
  const answering = environment.start(["runs", "answer", runId, "yes"]);
  // It has found the run held when it has left its answer there.
  while ((await saver.mailbox.receive(runId)).length === 0) await new Promise((resolve) => setImmediate(resolve));
  await journal.close();
  expect((await answering.ended).exitCode).toBe(0);
});

test("an answer that starts with a dash needs -- before it", async () => {
  const { exitCode, stderr } = await environment.atomic("runs", "answer", "1aaaaaaaaaaa", "-x");
  expect(exitCode).toBe(2);
  expect(stderr).toStartWith(
    "error: unknown option '-x'\n(Put -- before an answer that starts with a dash: atomic runs answer RUN -- -x)\n",
  );
});
