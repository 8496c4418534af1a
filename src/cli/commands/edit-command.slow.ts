import { afterAll, beforeAll, expect, test } from "bun:test";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { runIdIn, TestEnvironment } from "../fixtures/test-environment.ts";

const EDITABLE = `import { annotation, defineState, graph, Reducers, toolNode, waitNode } from "@bastani/atomic/graph";
const State = defineState({
  topic: annotation("none"),
  count: annotation(1),
  isDeep: annotation(false),
  notes: annotation([], Reducers.concat),
  when: annotation(new Date(0)),
  plan: annotation(null),
});
export default () =>
  graph(State)
    .start(toolNode({ id: "begin", execute: () => "", outputMapper: () => ({ notes: ["begun"] }) }))
    .then(waitNode({ id: "gate", inputMapper: () => ({}) }))
    .end()
    .compile({ output: ({ topic, count, isDeep, notes, plan }) => ({ topic, count, isDeep, notes, plan }) });
`;

let environment: TestEnvironment;
let waiting: string;

beforeAll(async () => {
  environment = await TestEnvironment.create();
  await environment.writeWorkflows({ editable: EDITABLE });
  waiting = await startRun();
});
afterAll(() => environment.remove());

const startRun = async (): Promise<string> => runIdIn((await environment.atomic("run", "editable")).stdout);
const edit = (runId: string, ...args: readonly string[]) => environment.atomic("runs", "edit", runId, ...args);
const setting = (runId: string, ...assignments: readonly string[]) =>
  edit(runId, ...assignments.flatMap((text) => ["--set", text]));
const inOneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

test("fields are replaced, and the run resumes with them", async () => {
  const runId = await startRun();
  expect(await setting(runId, "topic=locks", "count=5", "isDeep=yes", 'notes=["by hand"]', 'plan={"a":[1]}')).toEqual({
    exitCode: 0,
    stdout: `edited  topic, count, isDeep, notes, plan  run ${runId}. Open questions keep their text. Resume it: atomic runs resume ${runId}\n`,
    stderr: "",
  });
  const shown = await environment.atomic("runs", "show", runId);
  expect(shown.stdout).toContain("Status    suspended\n");
  const answered = await environment.atomic("runs", "answer", runId, "yes");
  expect(answered.exitCode).toBe(0);
  const { stdout } = await environment.atomic("runs", "show", runId, "--output", "--json");
  const output = { topic: "locks", count: 5, isDeep: true, notes: ["by hand"], plan: { a: [1] } };
  expect(JSON.parse(stdout)).toEqual(output);
  const refused = await setting(runId, "count=6");
  expect([refused.exitCode, inOneLine(refused.stderr)]).toEqual([
    2,
    `error: The run "${runId}" is completed and stays as it is. Start a new run: atomic run WORKFLOW (RUN_NOT_EDITABLE)`,
  ]);
});

test("where the state declares no fields, the engine's own record of outputs is still an object", async () => {
  await environment.writeWorkflows({
    open: `import { graph, waitNode } from "@bastani/atomic/graph";
export default () => graph().start(waitNode({ id: "gate" })).end().compile();
`,
  });
  const runId = runIdIn((await environment.atomic("run", "open")).stdout);
  const { exitCode, stderr } = await setting(runId, "outputs=1");
  expect([exitCode, inOneLine(stderr)]).toEqual([
    2,
    `error: The field "outputs" must be an object. Write it as JSON, for example outputs='{"a": 1}'. (USAGE)`,
  ]);
  expect((await setting(runId, 'outputs={"gate":"yes"}', "own=1")).exitCode).toBe(0);
});

test("a text is taken literally, and --json reports the edited fields", async () => {
  const runId = await startRun();
  const { stdout } = await edit(runId, "--set", "topic=5", "--json");
  expect(JSON.parse(stdout)).toEqual({ type: "edited", runId, fields: ["topic"] });
  await setting(runId, 'topic="in quotes"', "count=3");
  await environment.atomic("runs", "answer", runId, "yes");
  const shown = await environment.atomic("runs", "show", runId, "--output", "--json");
  expect(JSON.parse(shown.stdout)).toMatchObject({ topic: '"in quotes"', count: 3 });
});

test.each([
  { args: [], problem: "There is nothing to change. Write --set FIELD=VALUE." },
  { args: ["--set", "topic"], problem: '"topic" sets nothing. Write --set FIELD=VALUE.' },
  { args: ["--set", "count=many"], problem: 'The field "count" must be a number, not "many".' },
  { args: ["--set", "count=5", "--set", "count=6"], problem: '"count" is set twice. Omit one of them.' },
  {
    args: ["--set", "isDeep=maybe"],
    problem: 'The field "isDeep" must be yes or no. Write isDeep=yes or isDeep=no (true, false).',
  },
  {
    args: ["--set", "plan=later"],
    problem: `The field "plan" must be a value. Write it as JSON, for example plan='"a text"' or plan='{"a": 1}'.`,
  },
  { args: ["--set", 'when="now"'], problem: 'The field "when" must be a Date, which JSON cannot represent.' },
  {
    args: ["--set", "topc=locks"],
    problem:
      'The state has no field "topc". Did you mean "topic"? Its fields: outputs, topic, count, isDeep, notes, when, plan. Declare it in defineState() or correct the update.',
  },
  {
    args: ["--set", "outputs=5"],
    problem: `The field "outputs" must be an object. Write it as JSON, for example outputs='{"a": 1}'.`,
  },
])("$args changes nothing: $problem", async ({ args, problem }) => {
  const { exitCode, stdout, stderr } = await edit(waiting, ...args);
  expect({ exitCode, stdout, problem: inOneLine(stderr).replace(/ \([A-Z_]+\)$/, "") }).toEqual({
    exitCode: 2,
    stdout: "",
    problem: `error: ${problem}`,
  });
});

test("a run whose project is gone says so instead of looking for its workflow", async () => {
  await environment.write({ "gone/.atomic/workflows/editable.ts": EDITABLE });
  const call = environment.start(["run", "editable", "--trust"], { workingDirectory: "gone" });
  const runId = runIdIn((await call.ended).stdout);
  await rename(join(environment.root, "gone"), join(environment.root, "moved"));
  const { exitCode, stderr } = await setting(runId, "count=5");
  expect([exitCode, inOneLine(stderr)]).toEqual([
    2,
    `error: The run "${runId}" works in ${environment.root}/gone, and that folder is gone. Put it back, or a link to its new place, then call again. To do everything again elsewhere, start a new run there. (PROJECT_MISSING)`,
  ]);
});

test("the log, the history and the report have the edited fields with their values, without secrets", async () => {
  const runId = await startRun();
  const env = { DB_PASSWORD: "hunter2-hunter2-31" };
  const set = ["--set", "topic=key hunter2-hunter2-31", "--set", "count=7"];
  expect((await environment.start(["runs", "edit", runId, ...set], { env }).ended).exitCode).toBe(0);
  const log = await environment.atomic("runs", "show", runId, "--log");
  expect(log.stdout).toContain('  The state was edited: topic = "key [redacted:DB_PASSWORD]", count = 7\n');
  const { moments } = JSON.parse((await environment.atomic("runs", "history", runId, "--json")).stdout);
  expect(moments.at(-1)).toMatchObject({ type: "edit", changes: { topic: "key [redacted:DB_PASSWORD]", count: 7 } });
  expect((await environment.atomic("runs", "history", runId)).stdout).toContain("the state is edited: topic, count");
  const { stdout } = await environment.atomic("runs", "report", runId, "--output", "-");
  expect(stdout).toContain("The state was edited");
  expect(stdout).toContain("<b>topic</b><pre>key [redacted:DB_PASSWORD]</pre><b>count</b><pre>7</pre>");
  const redacted = await environment.atomic("runs", "report", runId, "--output", "-", "--redact");
  expect(redacted.stdout).toContain("<p>topic</p><p>count</p>");
});
