import { afterEach, beforeEach, expect, test } from "bun:test";
import { rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type CallResult, runIdIn, TestEnvironment } from "../fixtures/test-environment.ts";

/** Says something, has a state that JSON cannot say, asks, and fails when the answer is no. */
const TALKING = `import { annotation, defineState, graph, Reducers, toolNode, waitNode } from "@bastani/atomic/graph";
const State = defineState({
  topic: annotation(""),
  seen: annotation(new Map()),
  large: annotation(10n),
  notes: annotation([], Reducers.concat),
  answer: annotation(""),
});
export default () =>
  graph(State)
    .start(toolNode({
      id: "work",
      execute: (_, { emit }) => {
        emit({ type: "log", message: "reading\\n  the file" });
        return 1;
      },
      outputMapper: () => ({ seen: new Map([["a", 1]]), notes: ["first"] }),
    }))
    .then(waitNode({ id: "gate", prompt: "Ship it?", inputMapper: (answer) => ({ answer }) }))
    .then(toolNode({
      id: "ship",
      execute: (_, { state }) => {
        if (state.answer === "no") throw new Error("It is not shipped");
        return "shipped";
      },
      outputMapper: () => ({ notes: ["second"] }),
      retry: { maxAttempts: 1 },
    }))
    .end()
    .compile();
`;

let environment: TestEnvironment;
let runId = "";

beforeEach(async () => {
  environment = await TestEnvironment.create();
  await environment.writeWorkflows({ talk: TALKING });
  runId = runIdIn((await environment.atomic("run", "talk", "--input", "topic=x")).stdout);
});
afterEach(() => environment.remove());

async function stateOf(run: string): Promise<unknown> {
  const { exitCode, stdout } = await environment.atomic("runs", "show", run, "--state");
  expect(exitCode).toBe(0);
  const json = await environment.atomic("runs", "show", run, "--state", "--json");
  expect(json.stdout.split("\n")).toHaveLength(2);
  expect(JSON.parse(json.stdout)).toEqual(JSON.parse(stdout));
  return JSON.parse(stdout);
}

const BASE = { executionId: expect.any(String), lastUpdated: expect.any(String), topic: "x", large: "10" };

test("the state of a run is shown as JSON while it waits, when it has failed, and when it is completed", async () => {
  const atGate = { ...BASE, seen: [["a", 1]], notes: ["first"], answer: "", outputs: {} };
  expect(await stateOf("last")).toEqual(atGate);
  await environment.atomic("runs", "answer", runId, "no");
  const answered = { ...atGate, answer: "no" };
  expect(await stateOf(runId)).toEqual(answered);

  const other = runIdIn((await environment.atomic("run", "talk", "--input", "topic=x")).stdout);
  await environment.atomic("runs", "answer", other, "yes");
  expect(await stateOf(other)).toEqual({
    ...{ ...BASE, seen: [["a", 1]], notes: ["first", "second"], answer: "yes" },
    outputs: {},
  });
});

test("the log of a run has what its steps said, with time and step, line by line", async () => {
  await environment.atomic("runs", "answer", runId, "no");
  const { exitCode, stdout } = await environment.atomic("runs", "show", "last", "--log");
  expect(exitCode).toBe(0);
  expect(environment.normalise(stdout).split("\n")).toEqual([
    "<time>  The run starts.",
    "<time>  work:  reading",
    "<time>  work:    the file",
    "<time>  gate:  Asked: Ship it?",
    "<time>  The run is suspended.",
    "<time>  The run resumes.",
    "<time>  gate:  Answered: no",
    "<time>  ship:  Attempt 1 failed: It is not shipped",
    "<time>  The run is failed: It is not shipped",
    "",
  ]);
  const json = JSON.parse((await environment.atomic("runs", "show", runId, "--log", "--json")).stdout);
  expect(json[1]).toEqual({
    ...{ at: expect.any(Number), type: "log", nodeId: "work", taskId: "work" },
    message: "reading\n  the file",
  });
  const path = join(environment.store.directoryOf(runId), "logs", "run.jsonl");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test.each([
  { flags: ["--state", "--log"], names: "--state and --log" },
  { flags: ["--output", "--log"], names: "--output and --log" },
  { flags: ["--log", "--state", "--output"], names: "--output and --state and --log" },
])("$names exclude each other", async ({ flags, names }) => {
  expect(await environment.atomic("runs", "show", runId, ...flags)).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: `error: ${names} exclude each other.\n       Call once for each.\n       (USAGE)\n`,
  });
});

test("a run that has not begun has no state, and nothing in its log", async () => {
  const about = { workflowName: "talk", projectDirectory: environment.project, input: {} };
  const { sessionId } = await environment.store.create(about);
  expect((await environment.atomic("runs", "show", sessionId, "--log")).stdout).toBe("");
  const { exitCode, stderr } = await environment.atomic("runs", "show", sessionId, "--state");
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: `error: The run "${sessionId}" has no state: it has not begun.\n       (USAGE)\n`,
  });
});

test("without trust in its project the state of a run is not read", async () => {
  await rm(join(environment.atomicHome, "trusted-projects.json"));
  const { exitCode, stderr } = await environment.atomic("runs", "show", runId, "--state");
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`Trust it with: atomic trust add ${environment.project}`);
});

test("the command that trusts a project can be pasted when its folder has a space", async () => {
  await environment.write({ "my project/.atomic/workflows/talk.ts": TALKING });
  const options = { workingDirectory: "my project" };
  const run = runIdIn((await environment.start(["run", "talk", "--trust"], options).ended).stdout);
  await rm(join(environment.atomicHome, "trusted-projects.json"));
  const { stderr } = await environment.start(["runs", "show", run, "--state"], options).ended;
  expect(stderr).toContain(`Trust it with: atomic trust add '${environment.root}/my project'`);
});

test("a run whose project is gone says so instead of looking for its workflow", async () => {
  await rename(environment.project, join(environment.root, "moved"));
  const options = { workingDirectory: "moved" };
  const missing: CallResult = {
    exitCode: 2,
    stdout: "",
    stderr: [
      `error: The run "${runId}" works in ${environment.project}, and that folder is gone.`,
      "       Put it back, or a link to its new place, then call again.",
      "       To do everything again elsewhere, start a new run there.",
      "       (PROJECT_MISSING)",
      "",
    ].join("\n"),
  };
  expect(await environment.start(["runs", "show", runId, "--state"], options).ended).toEqual(missing);
  expect(await environment.start(["runs", "resume", runId], options).ended).toEqual(missing);
  expect(await environment.start(["runs", "answer", runId, "yes"], options).ended).toEqual(missing);
});
