import { afterEach, beforeEach, expect, test } from "bun:test";
import type { HumanRequest, JsonSchema } from "../contracts/index.ts";
import { parseAnswer } from "./execute-run.ts";
import { Keys } from "./fixtures/keys.ts";
import { renderScreen } from "./fixtures/screen.ts";
import { type Call, runIdIn, TestEnvironment } from "./fixtures/test-environment.ts";
import { ENDLESS, GATE, GREET, TWO_QUESTIONS } from "./fixtures/workflow-files.ts";

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
  { title: "yes or no", schema: { type: "boolean" }, text: "true", expected: true },
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

test("a question is put to the person at the terminal, and the run goes on with the answer", async () => {
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
  expect(stdout).toContain(`  atomic runs answer ${runIdIn(stdout)} yes\n`);
  expect((await environment.store.load(runIdIn(stdout))).status).toBe("paused");
});

test("an answer that does not fit is explained and asked for again; several questions are asked one by one", async () => {
  await environment.writeWorkflows({ two: TWO_QUESTIONS });
  const call = startInTerminal("run", "two");
  await call.stderr.waitFor("Enter: confirm");
  call.stdin.write(Keys.enter);
  await call.stderr.waitFor("◆  How many?");
  const beforeWrong = call.stderr.text.length;
  call.stdin.write(`many${Keys.enter}`);
  await call.stderr.waitFor('error: The answer to "parallel_1[count]/count" was refused: ', beforeWrong);
  const beforeRight = call.stderr.text.length;
  await call.stderr.waitFor("◆  How many?", beforeRight);
  call.stdin.write(`3${Keys.enter}`);
  const { exitCode, stdout } = await call.ended;
  expect(exitCode).toBe(0);
  expect((await environment.store.load(runIdIn(stdout))).outputs).toEqual({ prepare: 1, approve: "yes", count: 3 });
});

test.each([
  { title: "in a pipe", isTTY: false },
  { title: "above the lines that move", isTTY: true },
])("the first Ctrl+C says that a second one leaves at once, and that says how to go on: $title", async ({ isTTY }) => {
  await environment.writeWorkflows({ endless: ENDLESS });
  const call = environment.start(["run", "endless"], { isTTY, columns: 100, env: { NO_COLOR: "1" } });
  await call.stderr.waitFor("waiting");
  call.signal();
  call.signal();
  expect(call.stderr.text).toEndWith(
    `Left at once. Go on with the run: atomic runs resume ${runIdIn(call.stderr.text)}\n`,
  );
  const { exitCode, stdout, stderr } = await call.ended;
  expect(exitCode).toBe(130);
  expect(renderScreen(environment.normalise(stderr))).toEqual([
    "▶ endless  run <run>",
    "· waiting",
    "Stopping what runs; press Ctrl+C again to leave at once.",
    "Left at once. Go on with the run: atomic runs resume <run>",
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
])("whether a project is trusted is asked with its files named: $title", async ({ keys, exitCode }) => {
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
