import { afterEach, beforeEach, expect, test } from "bun:test";
import type { HumanRequest, JsonSchema } from "../contracts/index.ts";
import { DefaultSaver } from "../graph/index.ts";
import { Keys } from "./fixtures/keys.ts";
import { renderScreen } from "./fixtures/screen.ts";
import { type Call, runIdIn, TestEnvironment } from "./fixtures/test-environment.ts";
import { ENDLESS, GATE, GREET, TWO_QUESTIONS } from "./fixtures/workflow-files.ts";
import { parseAnswer } from "./prompts/parse-answer.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

/** A call with a person at the terminal. */
function startInTerminal(...args: readonly string[]): Call {
  return environment.start(args, { isInteractive: true, isTTY: true, columns: 100, env: { NO_COLOR: "1" } });
}

function requestOf(schema?: JsonSchema): HumanRequest {
  return { id: "q", nodeId: "q", question: "?", askedAt: 0, ...(schema === undefined ? {} : { schema }) };
}

test.each([
  { title: "text without a schema stays text", schema: undefined, text: "5", expected: "5" },
  { title: "text for a schema of text stays text", schema: { type: "string" }, text: "true", expected: "true" },
  { title: "a number", schema: { type: "integer" }, text: "5", expected: 5 },
  { title: "true or false", schema: { type: "boolean" }, text: "true", expected: true },
  { title: "yes or no", schema: { type: "boolean" }, text: "no", expected: false },
  { title: "an object", schema: { type: "object" }, text: '{"a": [1]}', expected: { a: [1] } },
  { title: "null", schema: { anyOf: [] }, text: "null", expected: null },
  {
    title: "what is no JSON is left to the schema's own complaint",
    schema: { type: "integer" },
    text: "five",
    expected: "five",
  },
])("an answer is read as its question wants it: $title", ({ schema, text, expected }) => {
  expect(parseAnswer(requestOf(schema), text)).toEqual(expected);
});

test("the person at the terminal answers a question, and the run continues with the answer", async () => {
  await environment.writeWorkflows({ gate: GATE });
  const call = startInTerminal("run", "gate");
  await call.stderr.waitFor("Enter: confirm");
  call.stdin.write(Keys.down);
  await call.stderr.waitFor("● no");
  call.stdin.write(Keys.enter);
  const { exitCode, stdout } = await call.ended;
  expect(exitCode).toBe(0);
  expect(environment.normalise(stdout)).toStartWith("completed  gate  run <run>");
  // The input mapper puts the answer into the state; what was answered is in the journal.
  expect(call.stderr.text).toContain("✔ approve: no\n");
});

test("the printed command answers with an option that starts with a dash", async () => {
  const gate = GATE.replace('prompt: "Ship it?"', 'prompt: "Ship it?", options: [{ label: "--force" }]');
  await environment.writeWorkflows({ gate });
  const { stdout } = await environment.atomic("run", "gate");
  const [, words = ""] = / {2}atomic (.*)\n/.exec(stdout) ?? [];
  const answered = await environment.atomic(...words.split(" ").map((word) => word.replaceAll("'", "")));
  expect(answered).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("✔ approve: --force\n") });
});

test("questions are drawn on stderr: stdout may lead into a file", async () => {
  await environment.writeWorkflows({ gate: GATE });
  const call = startInTerminal("run", "gate");
  await call.stderr.waitFor("Enter: confirm");
  call.stdin.write(Keys.enter);
  const { stdout } = await call.ended;
  expect(stdout).not.toContain("Ship it?");
});

test("a question that is left with Ctrl+C stays open: exit code 3 and the commands that answer it", async () => {
  await environment.writeWorkflows({ gate: GATE });
  const call = startInTerminal("run", "gate");
  await call.stderr.waitFor("Enter: confirm");
  call.stdin.write(Keys.ctrlC);
  const { exitCode, stdout } = await call.ended;
  expect(exitCode).toBe(3);
  expect(stdout).toContain(`  atomic runs answer ${runIdIn(stdout)} yes --request 'approve#1'\n`);
  expect((await environment.store.load(runIdIn(stdout))).status).toBe("paused");
});

test("a signal ends a call that shows a question: exit code 130, and the question stays open", async () => {
  await environment.writeWorkflows({ gate: GATE });
  const call = startInTerminal("run", "gate");
  await call.stderr.waitFor("Enter: confirm");
  call.signal();
  const { exitCode, stdout } = await call.ended;
  expect(exitCode).toBe(130);
  expect(stdout).toContain(`  atomic runs answer ${runIdIn(stdout)} yes --request 'approve#1'\n`);
  expect((await environment.store.load(runIdIn(stdout))).status).toBe("paused");
});

test("a signal ends a call that waits for the process that has gone on with its run: exit code 130", async () => {
  await environment.writeWorkflows({ gate: GATE.replace(".end()", LONG) });
  const call = startInTerminal("run", "gate");
  await call.stderr.waitFor("Enter: confirm");
  const runId = runIdIn(call.stderr.text);
  const other = environment.start(["runs", "answer", runId, "yes"]);
  await call.stderr.waitFor("Another process has resumed the run");
  call.signal();
  expect((await call.ended).exitCode).toBe(130);
  other.signal();
  expect((await other.ended).exitCode).toBe(130);
});

test("an answer that comes while another process holds the run waits for that, and is taken", async () => {
  await environment.writeWorkflows({ free: FREE });
  const call = startInTerminal("run", "free");
  await call.stderr.waitFor("◆  What?");
  const runId = runIdIn(call.stderr.text);
  const saver = new DefaultSaver({ directory: environment.store.directoryOf(runId), owner: "process 1" });
  const journal = await saver.open(runId, "resume");
  call.stdin.write(`first${Keys.enter}`);
  // It has found the run held when it has left its answer there.
  while ((await saver.mailbox.receive(runId)).length === 0) await new Promise((resolve) => setImmediate(resolve));
  await journal.close();
  expect((await call.ended).exitCode).toBe(0);
  expect((await environment.store.load(runId)).outputs).toEqual({ ask: "first" });
});

test("each answer is given to the run at once: none is lost when the next question is left", async () => {
  await environment.writeWorkflows({ two: TWO_QUESTIONS });
  const call = startInTerminal("run", "two");
  await call.stderr.waitFor("Enter: confirm");
  call.stdin.write(Keys.enter);
  await call.stderr.waitFor("◆  How many?");
  call.stdin.write(Keys.ctrlC);
  const { exitCode, stdout } = await call.ended;
  expect(exitCode).toBe(3);
  expect(stdout).not.toContain("Ship it?");
  expect(stdout).toContain("Waiting for an answer: How many?");
  const shown = await environment.atomic("runs", "show", runIdIn(stdout));
  expect(shown.stdout).toMatch(/^parallel_1\[approve\]\/approve +completed/m);
});

test("a question that was answered elsewhere meanwhile is not said to be open when another one is left", async () => {
  await environment.writeWorkflows({ two: TWO_QUESTIONS });
  const call = startInTerminal("run", "two");
  await call.stderr.waitFor("Enter: confirm");
  const runId = runIdIn(call.stderr.text);
  expect((await environment.atomic("runs", "answer", runId, "3", "--request", "count")).exitCode).toBe(3);
  call.stdin.write(Keys.ctrlC);
  const { stdout } = await call.ended;
  expect(stdout).toContain("Waiting for an answer: Ship it?");
  expect(stdout).not.toContain("How many?");
});

/** Asks, and then fails beside the open question. */
const FAILING = TWO_QUESTIONS.replace(
  /askUserNode\(.*\)/,
  'toolNode({ id: "fails", execute: () => { throw new Error("It broke."); }, retry: { maxAttempts: 1 } })',
).replace(".compile()", ".compile({ maxConcurrency: 1 })");

test("a failed run asks no question", async () => {
  await environment.writeWorkflows({ failing: FAILING });
  const { exitCode, stdout, stderr } = await startInTerminal("run", "failing").ended;
  expect(exitCode).toBe(1);
  expect(stdout).toContain(`Try again from there: atomic runs resume ${runIdIn(stdout)}`);
  expect(stderr).not.toContain("◆");
});

test("a question that wants JSON shows its shape, and what is none is called that", async () => {
  await environment.writeWorkflows({
    shaped: FREE.replace("} })", "}, schema: z.object({ a: z.number() }) })").replace(
      "import",
      'import { z } from "zod";\nimport',
    ),
  });
  const call = startInTerminal("run", "shaped");
  await call.stderr.waitFor("The answer is JSON of this shape:");
  call.stdin.write(`{"a":1${Keys.enter}`);
  await call.stderr.waitFor('The answer to "ask" was rejected: it is not JSON (');
  await call.stderr.waitFor("◆  What?", call.stderr.text.indexOf("it is not JSON ("));
  call.stdin.write(`{"a":1}${Keys.enter}`);
  const { exitCode, stdout, stderr } = await call.ended;
  expect(exitCode).toBe(0);
  // It is still there when the next question has been drawn.
  expect(renderScreen(stderr).join("\n")).toContain('error: The answer to "ask" was rejected: it is not JSON (');
  expect((await environment.store.load(runIdIn(stdout))).outputs).toEqual({ ask: { a: 1 } });
});

test("an invalid answer is explained and requested again; questions appear one by one", async () => {
  await environment.writeWorkflows({ two: TWO_QUESTIONS });
  const call = startInTerminal("run", "two");
  await call.stderr.waitFor("Enter: confirm");
  call.stdin.write(Keys.enter);
  await call.stderr.waitFor("◆  How many?");
  const beforeWrong = call.stderr.text.length;
  call.stdin.write(`many${Keys.enter}`);
  await call.stderr.waitFor('error: The answer to "parallel_1[count]/count" was rejected: ', beforeWrong);
  const beforeRight = call.stderr.text.length;
  await call.stderr.waitFor("◆  How many?", beforeRight);
  call.stdin.write(`3${Keys.enter}`);
  const { exitCode, stdout } = await call.ended;
  expect(exitCode).toBe(0);
  expect((await environment.store.load(runIdIn(stdout))).outputs).toEqual({ prepare: 1, approve: "yes", count: 3 });
});

/** Asks about version 1, 2, … until the answer is yes. */
const VERSIONS = `import { annotation, defineState, graph, toolNode, waitNode } from "@bastani/atomic/graph";
const State = defineState({ version: annotation(0), answer: annotation("") });
export default () =>
  graph(State)
    .loop([
      toolNode({ id: "draft", execute: () => 1, outputMapper: (_, { version }) => ({ version: version + 1 }) }),
      waitNode({
        id: "gate",
        prompt: ({ state: { version } }) => "Publish version " + version + "?",
        options: [{ label: "again" }, { label: "yes" }],
        inputMapper: (answer) => ({ answer }),
      }),
    ], { until: ({ answer }) => answer === "yes" })
    .end()
    .compile();
`;

test("a question that is answered elsewhere is withdrawn, and the next one follows", async () => {
  await environment.writeWorkflows({ versions: VERSIONS });
  const call = startInTerminal("run", "versions");
  await call.stderr.waitFor("Publish version 1?");
  await call.stderr.waitFor("Enter: confirm");
  const runId = runIdIn(call.stderr.text);
  const before = call.stderr.text.length;
  expect((await environment.atomic("runs", "answer", runId, "again")).exitCode).toBe(3);
  await call.stderr.waitFor("The question is withdrawn: it was answered elsewhere.\n", before);
  await call.stderr.waitFor("Publish version 2?", before);
  await call.stderr.waitFor("Enter: confirm", call.stderr.text.lastIndexOf("Publish version 2?"));
  call.stdin.write(`yes${Keys.enter}`);
  const { exitCode, stderr } = await call.ended;
  expect(exitCode).toBe(0);
  expect(stderr).toContain("✔ gate#2: yes\n");
});

test("a run that is ended elsewhere ends the call that asks, with the run's exit code", async () => {
  await environment.writeWorkflows({ gate: GATE });
  const call = startInTerminal("run", "gate");
  await call.stderr.waitFor("Enter: confirm");
  const runId = runIdIn(call.stderr.text);
  expect((await environment.atomic("runs", "answer", runId, "yes")).exitCode).toBe(0);
  const { exitCode, stdout, stderr } = await call.ended;
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: `completed  gate  run ${runId}  in another process. Look at it with: atomic runs show ${runId}\n`,
  });
  expect(stderr).toContain("The question is withdrawn: it was answered elsewhere.\n");
});

test("a run that is cancelled elsewhere withdraws its question", async () => {
  await environment.writeWorkflows({ gate: GATE });
  const call = startInTerminal("run", "gate");
  await call.stderr.waitFor("Enter: confirm");
  const runId = runIdIn(call.stderr.text);
  expect((await environment.atomic("runs", "cancel", runId)).exitCode).toBe(0);
  const { exitCode, stdout, stderr } = await call.ended;
  expect({ exitCode, stdout }).toEqual({
    exitCode: 130,
    stdout: `cancelled  gate  run ${runId}  in another process. Resume it: atomic runs resume ${runId}\n`,
  });
  expect(stderr).toContain("The question is withdrawn: the run was cancelled elsewhere.\n");
});

test("an empty answer is rejected and requested again", async () => {
  await environment.writeWorkflows({ free: FREE });
  const call = startInTerminal("run", "free");
  await call.stderr.waitFor("◆  What?");
  const before = call.stderr.text.length;
  call.stdin.write(Keys.enter);
  await call.stderr.waitFor('error: The answer to "ask" was rejected: it is empty.', before);
  await call.stderr.waitFor("◆  What?", before);
  call.stdin.write(`this${Keys.enter}`);
  const { exitCode, stdout } = await call.ended;
  expect(exitCode).toBe(0);
  expect((await environment.store.load(runIdIn(stdout))).outputs).toEqual({ ask: "this" });
});

/** The end of a graph that runs until it is cancelled. */
const LONG = `.then(toolNode({
      id: "wait",
      execute: (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    }))
    .end()`;

const FREE = `import { askUserNode, graph } from "@bastani/atomic/graph";
const question = ["What?", ...Array.from({ length: 60 }, (_, index) => "line " + index)].join("\\n");
export default (config) =>
  graph().start(askUserNode({ id: "ask", options: { question: config?.isLong ? question : "What?" } })).end().compile();
export const defaultConfig = { isLong: false };
`;

test("a long question stands once, with its lines, also when it is left open", async () => {
  await environment.writeWorkflows({ free: FREE });
  const call = startInTerminal("run", "free", "--config", "isLong=true");
  await call.stderr.waitFor("Your answer?");
  call.stdin.write(Keys.escape);
  const { exitCode, stdout, stderr } = await call.ended;
  expect(exitCode).toBe(3);
  expect(stderr.split("line 59")).toHaveLength(2);
  expect(stdout).not.toContain("line 59");
  expect(stdout).toContain("Waiting for an answer: What? line 0 line 1");
});

test.each([
  { title: "in a pipe", isTTY: false },
  { title: "above the lines that move", isTTY: true },
])("the first Ctrl+C says that a second one leaves at once, which prints how to resume: $title", async ({ isTTY }) => {
  await environment.writeWorkflows({ endless: ENDLESS });
  const call = environment.start(["run", "endless"], { isTTY, columns: 100, env: { NO_COLOR: "1" } });
  await call.stderr.waitFor("waiting");
  call.signal();
  call.signal();
  expect(call.stderr.text).toEndWith(
    `Left immediately. Resume the run: atomic runs resume ${runIdIn(call.stderr.text)}\n`,
  );
  const { exitCode, stdout, stderr } = await call.ended;
  expect(exitCode).toBe(130);
  expect(renderScreen(environment.normalise(stderr))).toEqual([
    "▶ endless  run <run>",
    "· waiting",
    "Stopping what runs; press Ctrl+C again to leave at once.",
    "Left immediately. Resume the run: atomic runs resume <run>",
    "⊘ wait: cancelled",
  ]);
  expect(environment.normalise(stdout)).toStartWith("cancelled  endless  run <run>");
});

test("with --json Ctrl+C adds no line to the events", async () => {
  await environment.writeWorkflows({ endless: ENDLESS });
  const call = environment.start(["run", "endless", "--json"]);
  await call.stdout.waitFor('"waiting"');
  call.signal();
  const { exitCode, stdout, stderr } = await call.ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 130, stderr: "" });
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(events.at(-1)).toMatchObject({ type: "run-end", status: "cancelled" });
});

test("--json asks nobody", async () => {
  await environment.writeWorkflows({ gate: GATE });
  const { exitCode, stderr } = await startInTerminal("run", "gate", "--json").ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: "" });
});

test.each([
  { title: "yes", keys: ["y", Keys.enter], exitCode: 0 },
  { title: "the default, no", keys: [Keys.enter], exitCode: 2 },
  { title: "Ctrl+C", keys: [Keys.ctrlC], exitCode: 2 },
])("the trust question names the project's files: $title", async ({ keys, exitCode }) => {
  await environment.write({ "project/.atomic/workflows/greet.ts": GREET });
  const call = startInTerminal("run", "greet", "--agent", "scripted");
  await call.stderr.waitFor("Do you trust");
  expect(call.stderr.text).toContain("  .atomic/workflows/greet.ts");
  for (const key of keys) {
    const before = call.stderr.text.length;
    call.stdin.write(key);
    await call.stderr.waitFor("\n", before);
  }
  expect<number>((await call.ended).exitCode).toBe(exitCode);
  const again = await environment.atomic("run", "greet", "--agent", "scripted");
  expect<number>(again.exitCode).toBe(exitCode);
});
