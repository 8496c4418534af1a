import { afterEach, beforeEach, expect, test } from "bun:test";
import { Keys } from "../fixtures/keys.ts";
import { renderScreen } from "../fixtures/screen.ts";
import { type CallResult, runIdIn, TestEnvironment } from "../fixtures/test-environment.ts";

/** A window title, a bell, a cleared screen, a C1 control, a bidirectional override. */
const EVIL = "\\u001b]0;owned\\u0007\\u001b[2J\\u009b31m\\u202e";

/** Prints control sequences in every text of a workflow. */
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

/** The characters of an output that a terminal would act on. */
function dangerOf({ stdout, stderr }: CallResult): readonly string[] {
  return `${stdout}${stderr}`.match(/[^\P{Control}\n\t]|\p{Bidi_Control}/gu) ?? [];
}

async function call(...args: readonly string[]): Promise<CallResult> {
  const result = await environment.atomic(...args);
  expect(dangerOf(result)).toEqual([]);
  return result;
}

test("texts of a workflow have no control sequences while it runs, while it waits, and in lists", async () => {
  const run = await call("run", "evil", "pro\u001b[2J\u202empt", "--agent", "scripted");
  expect(run.exitCode).toBe(3);
  for (const text of ["▸ agent", "✔ shell", "· log", "⊘ denied: denied (reason)"]) expect(run.stderr).toContain(text);
  expect(run.stdout).toContain("Waiting for an answer: header: question\n");
  const runId = runIdIn(run.stdout);
  expect((await call("runs", "show", runId)).stdout).toContain("Waiting for an answer: header: question\n");
  expect((await call("workflows", "list")).stdout).toContain("  description\n");
  await call("runs", "list");
  expect((await call("runs", "answer", runId, "no\u001b[2J")).exitCode).toBe(2);
});

test("the reason of a failure has no control sequences", async () => {
  const { exitCode, stdout, stderr } = await call("run", "evil", "x", "--agent", "scripted", "--input", "fails=true");
  expect(exitCode).toBe(1);
  expect(stdout).toContain('Failed in "tool": failure\nsecond line\n');
  expect(stderr).toContain("✖ tool: failure\n");
  expect((await call("runs", "show", runIdIn(stdout))).stdout).toContain('Failed in "tool": failure\nsecond line\n');
});

test("JSON lines have no control sequences, and lose no text", async () => {
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

test("the error of a file that fails to load has no control sequences", async () => {
  await environment.writeWorkflows({ broken: `throw new Error("bro${EVIL}ken");` });
  expect((await call("run", "broken")).stderr).toContain("threw Error: broken");
  expect((await call("workflows", "list")).stderr).toContain("threw Error: broken");
  expect((await call("doctor")).stdout).toContain("threw Error: broken");
});

test("with colors and live lines only Atomic's own sequences remain", async () => {
  const options = { isTTY: true, columns: 60, env: { NO_COLOR: "1" } };
  const { exitCode, stderr } = await environment.start(["run", "evil", "x", "--agent", "scripted"], options).ended;
  expect(exitCode).toBe(3);
  const foreign = stderr.replace(/(?!\n)\p{Control}(?:[78]|\[(?:\?2026[hl]|\?25[hl]|\d*A|G|J))/gu, "");
  expect(dangerOf({ exitCode, stdout: "", stderr: foreign })).toEqual([]);
});

/** A question with lines like those of Atomic, one of them at the width of a terminal with 40 columns. */
const IMITATION = `import { graph, waitNode } from "@bastani/atomic/graph";
const prompt = "Ship it?\\n✔ Test  3ms\\n" + "x".repeat(31) + "completed  ship";
export default () => graph().start(waitNode({ id: "gate", prompt })).end().compile();
`;

test("a question has no line at the left edge, in the prompt and after it", async () => {
  await environment.writeWorkflows({ imitation: IMITATION });
  const call = environment.start(["run", "imitation"], {
    ...{ isTTY: true, isInteractive: true, columns: 40 },
    env: { NO_COLOR: "1" },
  });
  await call.stderr.waitFor("Enter: confirm");
  expect(renderScreen(call.stderr.text).slice(1)).toEqual([
    "│",
    "◆  Ship it?",
    "│    │ ✔ Test  3ms",
    `│    │ ${"x".repeat(30)}`,
    "│    ┆ xcompleted  ship",
    "│  ● yes",
    "│  ○ no",
    "│  ↑/↓ to navigate • Enter: confirm",
    "└",
  ]);
  call.stdin.write(Keys.ctrlC);
  expect((await call.ended).exitCode).toBe(3);
  const { stdout } = await environment.start(["runs", "show", runIdIn(call.stdout.text)], { isTTY: true, columns: 40 })
    .ended;
  expect(stdout).toContain(
    `\nWaiting for an answer: Ship it?\n  │ ✔ Test  3ms\n  │ ${"x".repeat(31)}comp\n  ┆ leted  ship\n`,
  );
});
