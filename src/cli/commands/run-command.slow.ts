import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import process from "node:process";
import { Keys } from "../fixtures/keys.ts";
import { runIdIn, TestEnvironment } from "../fixtures/test-environment.ts";
import { ENDLESS, FLAKY, GATE, GREET, TWO_QUESTIONS } from "../fixtures/workflow-files.ts";

const ACP_AGENT = join(import.meta.dir, "../fixtures/acp-agent.ts");

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

function eventsOf(stdout: string): readonly Readonly<Record<string, unknown>>[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("a run that completes says so, with its id and its folder, and exits with 0", async () => {
  await environment.writeWorkflows({ greet: GREET });
  const { exitCode, stdout, stderr } = await environment.atomic("run", "greet", "Ada", "--agent", "scripted");
  const runId = runIdIn(stdout);
  expect(exitCode).toBe(0);
  expect(environment.normalise(stdout).replace(/\d+ tokens/, "<n> tokens")).toBe(
    'completed  greet  run <run>  <ms>  <n> tokens\nSession: <root>/home/.atomic/workflows/sessions/<run>\n\n{\n  "answer": "Scripted answer to: Greet Ada 1"\n}\n',
  );
  expect(environment.normalise(stderr).replace(/\d+ tokens/, "<n> tokens")).toBe(
    "▶ greet  run <run>\n▸ Greet\n  │ Scripted answer to: Greet Ada 1\n✔ Greet  <ms>  <n> tokens\n",
  );
  expect(await environment.store.load(runId)).toMatchObject({
    status: "completed",
    workflowName: "greet",
    input: { prompt: "Ada" },
    agent: "scripted",
    settings: {
      permissions: { rules: [] },
      permissionFlags: { allow: [], deny: [], isYolo: false },
      workingDirectory: environment.project,
    },
    nodeHistory: ["greet"],
  });
});

test("a workflow is found by its alias, in any case, and from a folder below the project", async () => {
  await environment.writeWorkflows({ greet: GREET });
  await environment.write({ "project/src/deep/x.txt": "" });
  const call = environment.start(["run", "HELLO", "--agent", "scripted", "--json"], {
    workingDirectory: "project/src/deep",
  });
  const { exitCode, stdout } = await call.ended;
  expect({ exitCode, end: eventsOf(stdout).at(-1)?.status }).toEqual({ exitCode: 0, end: "completed" });
});

test("--json prints one event a line: all with type and run, run-start first, run-end last, nothing else", async () => {
  await environment.writeWorkflows({ greet: GREET });
  const { exitCode, stdout, stderr } = await environment.atomic("run", "greet", "Ada", "--agent", "scripted", "--json");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const events = eventsOf(stdout);
  const runId = events[0]?.runId;
  expect(events.map((event) => event.runId)).toEqual(events.map(() => runId));
  expect(events.map((event) => typeof event.type)).toEqual(events.map(() => "string"));
  expect(events[0]).toEqual({ runId, at: expect.any(Number), type: "run-start", workflow: "greet", isResume: false });
  expect(events.at(-1)).toEqual({
    runId,
    at: expect.any(Number),
    type: "run-end",
    status: "completed",
    usage: expect.any(Object),
    usageByAgent: { scripted: expect.any(Object) },
    output: { answer: "Scripted answer to: Greet Ada 1" },
  });
});

test("a run that asks exits with 3 and prints the commands that answer it", async () => {
  await environment.writeWorkflows({ gate: GATE });
  const { exitCode, stdout, stderr } = await environment.atomic("run", "gate", "--input", "topic=x");
  expect(exitCode).toBe(3);
  expect(environment.normalise(stdout)).toBe(
    [
      "suspended  gate  run <run>  <ms>",
      "Waiting for an answer: Ship it?",
      "  atomic runs answer <run> yes --request 'approve#1'",
      "  atomic runs answer <run> no --request 'approve#1'",
      "Session: <root>/home/.atomic/workflows/sessions/<run>",
      "",
    ].join("\n"),
  );
  expect(environment.normalise(stderr)).toBe("▶ gate  run <run>\n✔ prepare  <ms>\n");
});

test("several open questions are told apart by --request, and a shape is shown", async () => {
  await environment.writeWorkflows({ two: TWO_QUESTIONS });
  const { exitCode, stdout } = await environment.atomic("run", "two");
  expect(exitCode).toBe(3);
  expect(environment.normalise(stdout).split("\n").slice(1, -2)).toEqual([
    "Waiting for an answer: Ship it?",
    "  atomic runs answer <run> yes --request 'parallel_1[approve]/approve'",
    "  atomic runs answer <run> no --request 'parallel_1[approve]/approve'",
    "Waiting for an answer: How many?",
    '  The answer is JSON of this shape: {"type":"integer","minimum":1,"maximum":9007199254740991}',
    "  atomic runs answer <run> '…' --request 'parallel_1[count]/count'",
  ]);
});

test("a failed run exits with 1, and prints where and why it failed and how to resume", async () => {
  await environment.writeWorkflows({ flaky: FLAKY });
  const { exitCode, stdout, stderr } = await environment.atomic("run", "flaky");
  expect(exitCode).toBe(1);
  expect(environment.normalise(stdout)).toBe(
    [
      "failed  flaky  run <run>  <ms>",
      'Failed in "second": It is not repaired. Repair it.',
      "  at <root>/project/.atomic/workflows/flaky.ts:12:81",
      "Try again from there: atomic runs resume <run>",
      "Session: <root>/home/.atomic/workflows/sessions/<run>",
      "",
    ].join("\n"),
  );
  expect(environment.normalise(stderr)).toBe(
    "▶ flaky  run <run>\n✔ first  <ms>\n✖ second: It is not repaired. Repair it.\n  at <root>/project/.atomic/workflows/flaky.ts:12:81\n",
  );
});

test("Ctrl+C ends the run in an orderly way: exit code 130, resumable", async () => {
  await environment.writeWorkflows({ endless: ENDLESS });
  const call = environment.start(["run", "endless"]);
  await call.stderr.waitFor("waiting");
  call.signal();
  const { exitCode, stdout } = await call.ended;
  expect(exitCode).toBe(130);
  expect(environment.normalise(stdout)).toBe(
    [
      "cancelled  endless  run <run>  <ms>",
      "Resume it: atomic runs resume <run>",
      "Session: <root>/home/.atomic/workflows/sessions/<run>",
      "",
    ].join("\n"),
  );
  expect((await environment.store.load(runIdIn(stdout))).status).toBe("cancelled");
});

test.each([
  {
    title: "an unknown workflow",
    args: ["run", "gret"],
    message: ['There is no workflow "gret".', 'Did you mean "greet"?', "List them with: atomic workflows list"],
    code: "WORKFLOW_UNKNOWN",
  },
  {
    title: "a workflow unlike any other",
    args: ["run", "zzzzzz"],
    message: [
      'There is no workflow "zzzzzz".',
      "Known workflows: gate, greet, hello, ralph, loop, atomic, review, write.",
      "List them with: atomic workflows list",
    ],
    code: "WORKFLOW_UNKNOWN",
  },
  {
    title: "an unknown agent",
    args: ["run", "greet", "--agent", "opncode"],
    message: [
      'There is no agent "opncode".',
      "Known agents: claude, opencode, copilot, gemini, codex, goose, scripted.",
      'Did you mean "opencode"?',
      'Any other that speaks ACP can be described in config.json below "agents".',
    ],
    code: "AGENT_UNKNOWN",
  },
  {
    title: "an input without a value",
    args: ["run", "gate", "--input", "topic"],
    message: ['"topic" sets nothing.', "Write --input NAME=VALUE."],
    code: "USAGE",
  },
  {
    title: "an unknown input",
    args: ["run", "gate", "--input", "topci=x"],
    message: ['The workflow has no input "topci".', 'Did you mean "topic"?'],
    code: "INPUT_INVALID",
  },
  {
    title: "a value of the wrong kind",
    args: ["run", "gate", "--input", "isDeep=maybe"],
    message: ['The input "isDeep" must be yes or no.', "Write isDeep=yes or isDeep=no (true, false)."],
    code: "INPUT_INVALID",
  },
  {
    title: "an invalid number",
    args: ["run", "greet", "--input", "count=many"],
    message: ['The input "count" must be a number, not "many".'],
    code: "INPUT_INVALID",
  },
  {
    title: "a prompt for a workflow that takes none",
    args: ["run", "gate", "Do it"],
    message: ["The workflow takes no prompt.", "Its inputs, for --input NAME=VALUE: topic, isDeep, answer."],
    code: "INPUT_INVALID",
  },
  {
    title: "an invalid permission",
    args: ["run", "gate", "--allow", "nonsense"],
    message: [
      '"nonsense" is not a permission.',
      "Write KIND, KIND:PATH or shell:COMMAND; kinds: read, edit, shell, fetch, mcp, agent, other.",
    ],
    code: "USAGE",
  },
])("$title ends with exit code 2 and what to do, and no run is left", async ({ args, message, code }) => {
  await environment.writeWorkflows({ gate: GATE, greet: GREET });
  const { exitCode, stdout, stderr } = await environment.atomic(...args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  const [first, ...more] = [...message, `(${code})`];
  expect(stderr).toBe([`error: ${first}`, ...more.map((line) => `       ${line}`), ""].join("\n"));

  const json = await environment.atomic(...args, "--json");
  expect({ exitCode: json.exitCode, stderr: json.stderr }).toEqual({ exitCode: 2, stderr: "" });
  expect(eventsOf(json.stdout)).toEqual([{ type: "error", runId: null, code, message: message.join(" ") }]);
  expect(await environment.store.list()).toEqual({ sessions: [], problems: [] });
});

test("broken settings are listed in whole before anything begins", async () => {
  await environment.writeWorkflows({ gate: GATE });
  await environment.write({ "home/.atomic/config.json": '{ "agnet": "opencode", "model": "" }' });
  const { exitCode, stderr } = await environment.atomic("run", "gate");
  expect(exitCode).toBe(2);
  expect(environment.normalise(stderr)).toBe(
    [
      "error: The settings in <root>/home/.atomic/config.json cannot be used:",
      '         - line 1: model: "" is not possible. Write a text that is not empty.',
      '         - line 1: agnet: unknown key, with the value "opencode". Did you mean "agent"? Possible keys: agent, model, models, permissions, limits, sandbox, agents, hooks, notifications, ui.',
      "       Correct the file.",
      "       (CONFIG_INVALID)",
      "",
    ].join("\n"),
  );
  expect(await environment.store.list()).toEqual({ sessions: [], problems: [] });
});

test("settings give the agent and the model, and flags come before them", async () => {
  await environment.writeWorkflows({ greet: GREET });
  await environment.write({ "home/.atomic/config.json": '{ "agent": "scripted", "model": "a/b" }' });
  const configured = runIdIn((await environment.atomic("run", "greet")).stdout);
  expect(await environment.store.load(configured)).toMatchObject({ agent: "scripted", model: "a/b" });
  const called = runIdIn((await environment.atomic("run", "greet", "--model", "c/d", "--allow", "edit")).stdout);
  expect(await environment.store.load(called)).toMatchObject({
    agent: "scripted",
    model: "c/d",
    settings: { permissions: { rules: [] }, permissionFlags: { allow: ["edit"], deny: [], isYolo: false } },
  });
});

test("--agent scripted takes the place of every agent that the workflow names", async () => {
  const text = `import { agentNode, graph, subagentNode } from "@bastani/atomic/graph";
export default () => graph()
  .start(agentNode({ id: "plan", agentType: "claude", buildMessage: "Plan" }))
  .then(subagentNode({ id: "work", agentName: "explore", agentType: "copilot", task: "Work" }))
  .then(agentNode({ id: "check", agentType: "opencode", buildMessage: "Check" }))
  .end().compile();
`;
  await environment.writeWorkflows({ vendors: text });
  const { exitCode, stdout } = await environment.atomic("run", "vendors", "--agent", "scripted", "--json");
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const said = events.filter(({ type, event }) => type === "agent" && event.type === "text-delta");
  const answers = Map.groupBy(said, ({ nodeId }) => nodeId);
  expect({ exitCode, nodes: [...answers.keys()] }).toEqual({ exitCode: 0, nodes: ["plan", "work", "check"] });
});

test("the project's own settings hold only when the project is trusted", async () => {
  await environment.write({ "project/.atomic/config.json": '{ "agent": "nonsense" }' });
  const untrusted = await environment.atomic("run", "ralph", "x", "--agent", "scripted");
  expect(untrusted.exitCode).toBe(0);
  await environment.writeWorkflows({ greet: GREET });
  const trusted = await environment.atomic("run", "greet");
  expect({ exitCode: trusted.exitCode, stderr: trusted.stderr }).toEqual({
    exitCode: 2,
    stderr: [
      `error: There is no agent "nonsense", which ${environment.project}/.atomic/config.json names.`,
      "       Known agents: claude, opencode, copilot, gemini, codex, goose, scripted.",
      '       Any other that speaks ACP can be described in config.json below "agents".',
      "       (AGENT_UNKNOWN)",
      "",
    ].join("\n"),
  });
});

test("a model that fails in a run is followed by the next of models.fallback at once", async () => {
  await environment.writeWorkflows({ greet: GREET });
  const agents = { mine: { command: process.execPath, args: [ACP_AGENT, "--crash", "a"], ungated: true } };
  await environment.write({ "home/.atomic/config.json": JSON.stringify({ agents, models: { fallback: ["b"] } }) });
  const { exitCode, stdout } = await environment.atomic("run", "greet", "--agent", "mine", "--model", "a", "--json");
  expect(exitCode).toBe(0);
  const events = eventsOf(stdout);
  expect(events.filter(({ event }) => JSON.stringify(event)?.includes("text-delta"))).toMatchObject([
    { type: "agent", nodeId: expect.any(String), event: { type: "text-delta", text: "This is b." } },
  ]);
  expect(events.filter(({ type }) => type === "node-error")).toEqual([]);
}, 30_000);

test("the budget of a workflow's file applies to its runs, and an option replaces it", async () => {
  await environment.writeWorkflows({ greet: GREET.replace(".compile()", ".compile({ budget: { maxTokens: 1 } })") });
  const own = await environment.atomic("run", "greet", "--agent", "scripted");
  const raised = await environment.atomic("run", "greet", "--agent", "scripted", "--max-tokens", "10000");
  expect([own.exitCode, raised.exitCode]).toEqual([1, 0]);
  expect(own.stdout).toContain("The run used more than the 1 tokens of its budget.");
});

test("a run that exceeds its budget fails, and resumes with a larger one", async () => {
  await environment.writeWorkflows({ greet: GREET });
  const first = await environment.atomic("run", "greet", "--agent", "scripted", "--trust", "--max-tokens", "1");
  expect(first.exitCode).toBe(1);
  expect(first.stdout).toContain("The run used more than the 1 tokens of its budget.");
  const resumed = await environment.atomic("runs", "resume", runIdIn(first.stdout), "--max-tokens", "10000");
  expect(resumed.exitCode).toBe(0);
});

test.each([{ path: ".atomic/workflows/greet.ts" }, { path: "./.atomic/../.atomic/workflows/greet.ts" }])(
  "a workflow is run by its file, too: $path",
  async ({ path }) => {
    await environment.writeWorkflows({ greet: GREET });
    const { exitCode, stdout } = await environment.atomic("run", path, "Ada", "--agent", "scripted");
    expect(exitCode).toBe(0);
    expect(stdout).toStartWith("completed  greet  run ");
  },
);

test("a workflow of another project, and a folder, are called that", async () => {
  await environment.writeWorkflows({ greet: GREET });
  await environment.write({ "an other/.atomic/workflows/mine.ts": GREET });
  const other = await environment.atomic("run", "../an other/.atomic/workflows/mine.ts", "--agent", "scripted");
  expect(other.exitCode).toBe(2);
  expect(environment.normalise(other.stderr)).toBe(
    [
      'error: "../an other/.atomic/workflows/mine.ts" belongs to another project.',
      "       Run it there: cd '<root>/an other' && atomic run mine",
      "       (USAGE)",
      "",
    ].join("\n"),
  );
  const folder = await environment.atomic("run", ".atomic/workflows", "--agent", "scripted");
  expect(folder.exitCode).toBe(2);
  expect(folder.stderr).toStartWith('error: ".atomic/workflows" is a folder.\n');
});

test.each([
  { title: "yes", keys: [Keys.down, Keys.enter], exitCode: 0, trusted: ["<root>/other"] },
  { title: "no", keys: [Keys.enter], exitCode: 2, trusted: [] },
])("a person is asked about the folder of a file that is elsewhere: $title", async ({ keys, exitCode, trusted }) => {
  await environment.write({ "other/mine.ts": GREET });
  const args = ["run", "../other/mine.ts", "--agent", "scripted"];
  const call = environment.start(args, { isInteractive: true, isTTY: true, columns: 200 });
  await call.stderr.waitFor("● No");
  expect(environment.normalise(call.stderr.text)).toContain(
    "Do you trust <root>/other, for Atomic and all agents, from now on?",
  );
  for (const key of keys) {
    call.stdin.write(key);
    if (key === Keys.down) await call.stderr.waitFor("● Yes");
  }
  expect((await call.ended).exitCode).toBe(exitCode);
  const { stdout } = await environment.atomic("trust", "list", "--json");
  const paths = JSON.parse(stdout).map(({ path }: { readonly path: string }) => environment.normalise(path));
  expect(paths).toEqual(trusted);
});

test("running a broken file by its path reports its error", async () => {
  await environment.writeWorkflows({ broken: "export const x = 1;" });
  const { exitCode, stderr } = await environment.atomic("run", ".atomic/workflows/broken.ts");
  expect(exitCode).toBe(2);
  expect(stderr).toContain("The file has no default export");
});

test.each([
  { title: "as an argument", prompt: "", input: "" },
  { title: "of blanks", prompt: " \t ", input: "" },
  { title: "from a pipe", prompt: "-", input: "\n" },
])("an empty prompt $title is a wrong call, and no run begins", async ({ prompt, input }) => {
  await environment.writeWorkflows({ greet: GREET });
  const call = environment.start(["run", "greet", prompt, "--agent", "scripted"]);
  call.stdin.end(input);
  expect(await call.ended).toEqual({
    exitCode: 2,
    stdout: "",
    stderr:
      'error: The prompt is empty.\n       Say what to do: atomic run greet "…", or leave it out where the workflow needs none.\n       (USAGE)\n',
  });
  expect((await environment.store.list()).sessions).toEqual([]);
});
