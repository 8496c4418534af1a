import { afterEach, beforeEach, expect, test } from "bun:test";
import { Keys } from "../fixtures/keys.ts";
import { renderScreen } from "../fixtures/screen.ts";
import { type Call, TestEnvironment } from "../fixtures/test-environment.ts";
import { TYPED } from "../fixtures/workflow-files.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
  await environment.writeWorkflows({ typed: TYPED });
});
afterEach(() => environment.remove());

/** The output of the run: the values that it started with. */
function outputIn(stdout: string): unknown {
  return JSON.parse(stdout.slice(stdout.indexOf("{")));
}

function startInTerminal(...args: readonly string[]): Call {
  return environment.start(args, { isInteractive: true, isTTY: true, columns: 100, env: { NO_COLOR: "1" } });
}

test("inputs are parsed by the workflow's schema, which adds its defaults", async () => {
  const inputs = ["topic=locks", "mode=deep", "isDraft=yes", "tags=a, b", "since=2026-01-02"];
  const { exitCode, stdout } = await environment.atomic("run", "typed", ...inputs.flatMap((one) => ["--input", one]));
  expect({ exitCode, output: outputIn(stdout) }).toEqual({
    exitCode: 0,
    output: {
      topic: "locks",
      depth: 1,
      mode: "deep",
      isDraft: true,
      tags: ["a", "b"],
      since: "2026-01-02T00:00:00.000Z",
    },
  });
});

test("one error lists everything that is wrong, and no run begins", async () => {
  const inputs = ["topic=x", "depth=0", "isDraft=maybe", "topik=y", "tags=[1]"];
  const { exitCode, stdout, stderr } = await environment.atomic(
    "run",
    "typed",
    ...inputs.flatMap((one) => ["--input", one]),
  );
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: `error: The inputs of "typed" are not valid:
         - The input "isDraft" must be yes or no, not "maybe".
         - The workflow has no input "topik". Did you mean "topic"?
         - The input "topic" must be a text of at least 3 characters.
         - The input "depth" must be a number of at least 1.
         - The input "tags" is invalid: 0 must be a text.
         - The input "mode" is missing (one of fast, deep): How thorough.
       Set inputs with --input NAME=VALUE; see: atomic run typed --help
       (INPUT_INVALID)
`,
  });
  expect((await environment.store.list()).sessions).toEqual([]);
});

test.each([
  { title: "in a pipe", options: [], isInteractive: false },
  { title: "with --json in a terminal", options: ["--json"], isInteractive: true },
  { title: "of a plan", options: ["--plan"], isInteractive: false },
])("missing inputs are one error $title", async ({ options, isInteractive }) => {
  const call = environment.start(["run", "typed", ...options], { isInteractive, isTTY: isInteractive });
  const { exitCode, stdout, stderr } = await call.ended;
  expect(exitCode).toBe(2);
  const text = isInteractive ? JSON.parse(stdout).message : stderr.replaceAll("\n       ", "\n");
  expect(text).toContain(
    [
      'The inputs of "typed" are not valid:',
      '  - The input "topic" is missing (text): What to look for.',
      '  - The input "mode" is missing (one of fast, deep): How thorough.',
      "Set inputs with --input NAME=VALUE; see: atomic run typed --help",
    ].join("\n"),
  );
});

test("a single problem is one sentence, and a prompt needs an input of this name", async () => {
  const given = ["--input", "topic=locks", "--input", "mode=fast"];
  const { exitCode, stderr } = await environment.atomic("run", "typed", "Do it", ...given);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr:
      "error: The workflow takes no prompt.\n" +
      "       Its inputs: topic, depth, mode, isDraft, tags, since.\n" +
      "       Set inputs with --input NAME=VALUE; see: atomic run typed --help\n" +
      "       (INPUT_INVALID)\n",
  });
  await environment.writeWorkflows({ typed: TYPED.replaceAll("topic", "prompt") });
  const prompted = await environment.atomic("run", "typed", "Do it", "--input", "mode=fast");
  expect(outputIn(prompted.stdout)).toMatchObject({ prompt: "Do it", mode: "fast" });
});

test("an input that the state lacks is an error that names it", async () => {
  await environment.writeWorkflows({ typed: TYPED.replace('topic: annotation(""),', "") });
  const { exitCode, stderr } = await environment.atomic("run", "typed", "--input", "topic=abc", "--input", "mode=fast");
  expect(exitCode).toBe(2);
  expect(stderr).toStartWith('error: The state has no field "topic".');
});

test("a check that throws says that it is the workflow's own", async () => {
  const broken = TYPED.replace(".min(3)", '.refine(() => { throw new Error("no network"); })');
  await environment.writeWorkflows({ typed: broken });
  const { exitCode, stderr } = await environment.atomic("run", "typed", "--input", "topic=abc", "--input", "mode=fast");
  expect({ exitCode, stderr: stderr.split("\n").slice(0, 2) }).toEqual({
    exitCode: 2,
    stderr: [
      "error: The workflow's own check of its inputs failed: no network.",
      '       Pass other values, or correct "inputs" in its file.',
    ],
  });
});

test("a terminal prompts for missing inputs one by one, and again after an invalid answer", async () => {
  const call = startInTerminal("run", "typed", "--input", "tags=a");
  const { stderr, stdin } = call;
  await stderr.waitFor("topic: What to look for (text)");
  stdin.write(`x${Keys.enter}`);
  await stderr.waitFor('The input "topic" must be a text of at least 3 characters.');
  stdin.write(`locks${Keys.enter}`);
  await stderr.waitFor("depth: How many rounds (whole number; Enter: 1)");
  stdin.write(`two${Keys.enter}`);
  await stderr.waitFor('The input "depth" must be a whole number, not "two".');
  stdin.write(Keys.enter);
  await stderr.waitFor("mode: How thorough");
  await stderr.waitFor("● fast");
  stdin.write(Keys.down);
  await stderr.waitFor("● deep");
  stdin.write(Keys.enter);
  await stderr.waitFor("● no (default)");
  stdin.write(Keys.enter);
  await stderr.waitFor("since (text or JSON; Enter: leave it out)");
  stdin.write(Keys.enter);
  const { exitCode, stdout } = await call.ended;
  expect({ exitCode, output: outputIn(stdout) }).toEqual({
    exitCode: 0,
    output: { topic: "locks", depth: 1, mode: "deep", isDraft: false, tags: ["a"], since: null },
  });
});

test("a required text cannot be left empty, and leaving with Ctrl+C starts no run", async () => {
  const call = startInTerminal("run", "typed");
  await call.stderr.waitFor("topic: What to look for (text)");
  call.stdin.write(Keys.enter);
  await call.stderr.waitFor('The input "topic" needs a value; Ctrl+C leaves.');
  call.stdin.write(Keys.ctrlC);
  const { exitCode, stdout } = await call.ended;
  expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: "" });
  expect(renderScreen(call.stderr.text).at(-1)).toBe("No run was started.");
  expect((await environment.store.list()).sessions).toEqual([]);
});

test("there is no prompt when nothing required is missing, or when a given value is wrong", async () => {
  const complete = startInTerminal("run", "typed", "--input", "topic=abc", "--input", "mode=fast");
  expect((await complete.ended).exitCode).toBe(0);
  const wrong = startInTerminal("run", "typed", "--input", "depth=0");
  expect((await wrong.ended).exitCode).toBe(2);
  expect(wrong.stderr.text).toContain('The input "depth" must be a number of at least 1.');
});
