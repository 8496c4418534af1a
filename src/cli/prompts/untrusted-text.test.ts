import { afterEach, beforeEach, expect, test } from "bun:test";
import { type CallResult, runIdIn, TestEnvironment } from "../fixtures/test-environment.ts";

/** A window title, a bell, a cleared screen, a C1 control, a turned direction of writing, a return to the line's start. */
const EVIL = "\\u001b]0;owned\\u0007\\u001b[2J\\u009b31m\\u202e\\r";

/** Says evil things wherever a workflow can say something. */
const WORKFLOW = `import { agentNode, annotation, askUserNode, defineState, graph, shellNode, toolNode } from "@bastani/atomic/graph";
export const description = "de${EVIL}scription";
const State = defineState({ prompt: annotation(""), fails: annotation(false) });
export default () =>
  graph(State)
    .start(agentNode({ id: "agent", name: "ag${EVIL}ent", buildMessage: ({ prompt }) => prompt }))
    .then(shellNode({ id: "shell", name: "sh${EVIL}ell", command: ": 'sh${EVIL}ell'" }))
    .then(toolNode({
      id: "tool",
      name: "to${EVIL}ol",
      execute: (_, { emit, state }) => {
        emit({ type: "log", message: "lo${EVIL}g" });
        emit({ type: "agent", event: { type: "permission-denied", sessionId: "s", denied: { toolName: "x", kind: "shell", title: "de${EVIL}nied", reason: "rea${EVIL}son" } } });
        if (state.fails) throw new Error("fai${EVIL}lure\\nsecond${EVIL} line");
        return 1;
      },
    }))
    .then(askUserNode({
      id: "ask",
      name: "as${EVIL}k",
      options: { question: "que${EVIL}stion", header: "hea${EVIL}der", options: [{ label: "op${EVIL}tion", description: "x${EVIL}" }] },
    }))
    .end()
    .compile();
`;

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
  await environment.writeWorkflows({ evil: WORKFLOW });
});
afterEach(() => environment.remove());

/** The characters of an output that a terminal could act on. */
function dangerOf({ stdout, stderr }: CallResult): readonly string[] {
  return `${stdout}${stderr}`.match(/[^\P{Control}\n\t]|\p{Bidi_Control}/gu) ?? [];
}

async function call(...args: readonly string[]): Promise<CallResult> {
  const result = await environment.atomic(...args);
  expect(dangerOf(result)).toEqual([]);
  return result;
}

test("what a workflow says is harmless while it runs, where it waits, and in every list", async () => {
  const run = await call("run", "evil", "pro\u001b[2J\u202empt", "--agent", "scripted");
  expect(run.exitCode).toBe(3);
  for (const text of ["▸ agent", "✔ shell", "· log", "⊘ denied: denied (reason)"]) expect(run.stderr).toContain(text);
  expect(run.stdout).toContain("Waiting for an answer: question\n");
  const runId = runIdIn(run.stdout);
  expect((await call("runs", "show", runId)).stdout).toContain("Waiting for an answer: question\n");
  expect((await call("workflows", "list")).stdout).toContain("  description\n");
  await call("runs", "list");
  expect((await call("runs", "answer", runId, "no\u001b[2J")).exitCode).toBe(2);
});

test("the reason of a failure is harmless", async () => {
  const { exitCode, stdout, stderr } = await call("run", "evil", "x", "--agent", "scripted", "--input", "fails=true");
  expect(exitCode).toBe(1);
  expect(stdout).toContain('Failed in "tool": failure\nsecond line\n');
  expect(stderr).toContain("✖ tool: failure\n");
  expect((await call("runs", "show", runIdIn(stdout))).stdout).toContain('Failed in "tool": failure\nsecond line\n');
});

test("JSON lines are harmless too, and lose nothing", async () => {
  const { exitCode, stdout } = await call("run", "evil", "x", "--agent", "scripted", "--json");
  expect(exitCode).toBe(3);
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(events.find(({ type }) => type === "log").message).toBe(JSON.parse(`"lo${EVIL}g"`));
  const runId = events[0].runId;
  for (const args of [
    ["runs", "show", runId],
    ["runs", "list"],
    ["workflows", "list"],
  ])
    await call(...args, "--json");
});

test("a file that fails to load is described without what it says to the terminal", async () => {
  await environment.writeWorkflows({ broken: `throw new Error("bro${EVIL}ken");` });
  expect((await call("run", "broken")).stderr).toContain("threw Error: broken");
  expect((await call("workflows", "list")).stderr).toContain("threw Error: broken");
  expect((await call("doctor")).stdout).toContain("threw Error: broken");
});

test("with colours and moving lines nothing but our own sequences is left", async () => {
  const options = { isTTY: true, columns: 60, env: { NO_COLOR: "1" } };
  const { exitCode, stderr } = await environment.start(["run", "evil", "x", "--agent", "scripted"], options).ended;
  expect(exitCode).toBe(3);
  const foreign = stderr.replace(/(?!\n)\p{Control}(?:[78]|\[(?:\?2026[hl]|\?25[hl]|\d*A|G|J))/gu, "");
  expect(dangerOf({ exitCode, stdout: "", stderr: foreign })).toEqual([]);
});
