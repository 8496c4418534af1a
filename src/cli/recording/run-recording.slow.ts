import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Keys } from "../fixtures/keys.ts";
import { runIdIn, TestEnvironment } from "../fixtures/test-environment.ts";

/** Asks an agent and, unless the input says otherwise, once more; a failure of the second turn is handled. */
const POEM = `import { annotation, defineState, graph, nodes } from "@bastani/atomic/graph";
const State = defineState({ prompt: annotation("the sea"), isShort: annotation(false) });
const { agentNode, toolNode } = nodes(State);
const write = agentNode({ id: "write", buildMessage: ({ prompt }) => "Write about " + prompt });
const rate = agentNode({ id: "rate", buildMessage: ({ prompt }) => "Rate " + prompt });
const forgive = toolNode({ id: "forgive", execute: () => undefined });
export default () =>
  graph(State).start(write).if(({ isShort }) => !isShort).then(rate).catch(forgive).endif().end().compile();
`;

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
  await environment.writeWorkflows({ poem: POEM });
});
afterEach(() => environment.remove());

const record = (...args: readonly string[]) => environment.atomic("run", "poem", "--agent", "scripted", ...args);

test("a recording, which only its owner can read, answers a replay with the same usage and no agent", async () => {
  const recorded = await record("--record", "recordings/poem.jsonl");
  expect(recorded.exitCode).toBe(0);
  expect((await stat(join(environment.project, "recordings/poem.jsonl"))).mode & 0o777).toBe(0o600);
  // Without --agent, the replay stands for the agent that was recorded.
  const replayed = await environment.atomic("run", "poem", "--replay", "recordings/poem.jsonl");
  expect({ exitCode: replayed.exitCode, stderr: replayed.stderr.match(/│.*/g) }).toEqual({
    exitCode: 0,
    stderr: ["│ Scripted answer to: Write about the sea", "│ Scripted answer to: Rate the sea"],
  });
});

test("a replay that differs fails, also where the workflow handles the failure, and names the first prompt", async () => {
  const { stdout } = await record("--record", "poem.jsonl");
  const text = (await environment.read("project/poem.jsonl")).replace("Rate the sea", "Rate the hills");
  await environment.writeProject({ "poem.jsonl": text });
  const { exitCode, stderr } = await environment.atomic("run", "poem", "--replay", "poem.jsonl");
  expect(exitCode).toBe(1);
  expect(stderr).toEndWith(
    [
      `error: The prompt of "rate" is not the one in the recording of the run ${runIdIn(stdout)}:`,
      "         -Rate the hills",
      "         +Rate the sea",
      "       Undo the change, or record the run again.",
      "       (REPLAY_PROMPT_CHANGED)",
      "",
    ].join("\n"),
  );
});

test("--deny edit also denies the changes in a recording", async () => {
  await record("--record", "poem.jsonl");
  const change = '"changes":[{"path":"denied.txt","type":"file","text":"x"}]';
  const text = (await environment.read("project/poem.jsonl")).replaceAll('"changes":[]', change);
  await environment.writeProject({ "poem.jsonl": text });
  const { exitCode, stdout } = await environment.atomic("run", "poem", "--replay", "poem.jsonl", "--deny", "edit");
  expect(exitCode).toBe(1);
  expect(stdout).toContain(
    'Failed in "write": The replay would change "denied.txt". Denied by the rule "edit". Replay it without that rule, or record the run again with it.\n',
  );
  expect(await readdir(environment.project)).not.toContain("denied.txt");
});

test("a damaged recording is a usage error: nothing runs", async () => {
  await record("--record", "poem.jsonl");
  const text = (await environment.read("project/poem.jsonl")).replace('"settings":{}', '"settings":null');
  await environment.writeProject({ "poem.jsonl": text });
  const { exitCode, stdout, stderr } = await environment.atomic("run", "poem", "--replay", "poem.jsonl");
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr.replaceAll(/\n +/g, " ")).toContain('cannot be read: in line 3, "settings" is missing or wrong. Name');
});

test("turns that a replay did not need are a warning", async () => {
  await record("--record", "poem.jsonl");
  const { exitCode, stderr } = await environment.atomic(
    "run",
    "poem",
    "--input",
    "isShort=true",
    "--replay",
    "poem.jsonl",
  );
  expect(exitCode).toBe(0);
  expect(stderr).toContain("The run did not need 1 turn of the recording: rate\n");
});

test("a folder receives a file for each run", async () => {
  await mkdir(join(environment.project, "recordings"));
  const ids = [
    runIdIn((await record("--record", "recordings")).stdout),
    runIdIn((await record("--record", "recordings/")).stdout),
  ];
  expect((await readdir(join(environment.project, "recordings"))).toSorted()).toEqual(
    ids.map((id) => `${id}.jsonl`).toSorted(),
  );
});

test.each([
  {
    args: ["--record", "a", "--replay", "b"],
    problem: "--record and --replay exclude each other: a replay asks no agent. Leave one out.",
  },
  {
    args: ["--record", "old.jsonl"],
    problem: 'The file "old.jsonl" exists. Name another one for --record, or a folder, or delete it.',
  },
  { args: ["--record", "old.jsonl/new"], problem: 'The recording "old.jsonl/new" cannot be written' },
  { args: ["--replay", "no.jsonl"], problem: "cannot be read: there is no such file", isReplay: true },
  { args: ["--replay", "old.jsonl"], problem: "cannot be read: it is no recording of Atomic", isReplay: true },
])("$args is a usage error: nothing runs", async ({ args, problem, isReplay = false }) => {
  await environment.writeProject({ "old.jsonl": "old\n" });
  // A replay names no agent.
  const { exitCode, stdout, stderr } = await (isReplay ? environment.atomic("run", "poem", ...args) : record(...args));
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr.replaceAll(/\n +/g, " ")).toContain(problem);
  expect((await environment.store.list()).sessions).toEqual([]);
});

test("runs compare shows two runs side by side, recordings among them, and the prompts that differ", async () => {
  const first = runIdIn((await record("--record", "first.jsonl")).stdout);
  const second = runIdIn((await record("--input", "prompt=the hills", "--input", "isShort=true")).stdout);
  const { exitCode, stdout } = await environment.atomic("runs", "compare", "first.jsonl", second);
  expect(exitCode).toBe(0);
  const lines = stdout
    .replaceAll(first, "<first>")
    .replaceAll(second, "<second>")
    .replaceAll(/\d+(?:\.\d+)?m?s\b/g, "<time>")
    .replaceAll(/\d+ tokens/g, "<count> tokens")
    .split("\n")
    .map((line) => line.replaceAll(/(?<=\S) {2,}/g, "  ").trimEnd());
  expect(lines.map((line) => line.replace(/^ {4,}/, "  "))).toEqual([
    "  first.jsonl  <second>",
    "run  <first>  <second>",
    "workflow  poem  poem",
    "outcome  completed  completed",
    "agents  scripted  scripted",
    "time  <time>  <time>",
    expect.stringMatching(/^tokens {2}\d+ {2}\d+$/),
    "attempts  2  1",
    "",
    "NODE  FIRST  SECOND",
    "write  completed, <time>, <count> tokens  completed, <time>, <count> tokens",
    "rate  completed, <time>, <count> tokens  –",
    "",
    "Prompt 1 of write differs:",
    "  -Write about the sea",
    "  +Write about the hills",
    "",
    "Only the first run has prompt 1 of rate.",
    "",
  ]);
  const json = await environment.atomic("runs", "compare", first, second, "--json");
  expect(JSON.parse(json.stdout)).toMatchObject({
    runs: [{ runId: first, status: "completed", hasPrompts: true }, { runId: second }],
    nodes: [
      { nodeId: "write", prompts: [{ number: 1, prompts: ["Write about the sea", "Write about the hills"] }] },
      { nodeId: "rate" },
    ],
  });
});

/** Asks an agent, then a person, then the agent again. */
const TWO = `import { annotation, defineState, graph, nodes } from "@bastani/atomic/graph";
const State = defineState({ prompt: annotation("the sea"), choice: annotation("") });
const { agentNode, askUserNode } = nodes(State);
const write = agentNode({ id: "write", buildMessage: ({ prompt }) => "Write about " + prompt });
const ask = askUserNode({ id: "ask", options: { question: "Rate it?" }, outputMapper: (choice) => ({ choice: String(choice) }) });
const rate = agentNode({ id: "rate", buildMessage: ({ choice }) => "Rate it: " + choice });
export default () => graph(State).start(write).then(ask).then(rate).end().compile();
`;

async function startTwo(...args: readonly string[]): Promise<string> {
  await environment.writeWorkflows({ two: TWO });
  const { exitCode, stdout } = await environment.atomic("run", "two", ...args);
  expect(exitCode).toBe(3);
  return runIdIn(stdout);
}

const answer = (runId: string, ...args: readonly string[]) =>
  environment.atomic("runs", "answer", runId, "yes", "--request", "ask#1", ...args);

const promptsIn = async (path: string): Promise<readonly string[]> =>
  (await environment.read(path)).match(/(?<="prompt":")[^"]+/g) ?? [];

test.each([{ target: "two.jsonl" }, { target: "recordings/" }])(
  "a run that waits for an answer continues its recording in $target, and is compared as a whole",
  async ({ target }) => {
    const runId = await startTwo("--agent", "scripted", "--record", target);
    expect((await answer(runId)).exitCode).toBe(0);
    const path = target.endsWith("/") ? `${target}${runId}.jsonl` : target;
    expect(await promptsIn(`project/${path}`)).toEqual(["Write about the sea", "Rate it: yes"]);
    const { stdout } = await environment.atomic("runs", "compare", path, runId, "--json");
    const { runs, nodes } = JSON.parse(stdout);
    expect(runs.map(({ status }: { readonly status: string }) => status)).toEqual(["completed", "completed"]);
    expect(nodes.map(({ prompts }: { readonly prompts?: unknown }) => prompts ?? [])).toEqual([[], [], []]);
  },
);

test("a question that is answered in the same terminal does not end the recording", async () => {
  await environment.writeWorkflows({ two: TWO });
  const call = environment.start(["run", "two", "--agent", "scripted", "--record", "two.jsonl"], {
    isTTY: true,
    isInteractive: true,
  });
  await call.stderr.waitFor("◆  Rate it?");
  call.stdin.write(`yes${Keys.enter}`);
  expect((await call.ended).exitCode).toBe(0);
  expect(await promptsIn("project/two.jsonl")).toEqual(["Write about the sea", "Rate it: yes"]);
});

test.each([
  { title: "gone", text: undefined, warning: "is gone." },
  { title: "another file", text: "mine\n", warning: "is not as the run left it: it is no recording of Atomic." },
])("a recording that is $title when the run continues is one warning", async ({ text, warning }) => {
  const runId = await startTwo("--agent", "scripted", "--record", "two.jsonl");
  await rm(join(environment.project, "two.jsonl"));
  if (text !== undefined) await environment.writeProject({ "two.jsonl": text });
  const { exitCode, stderr } = await answer(runId);
  expect(exitCode).toBe(0);
  expect(stderr.match(/The recording .*/g)).toEqual([
    `The recording "${join(environment.project, "two.jsonl")}" ${warning} The rest of the run is not recorded.`,
  ]);
  expect((await readdir(environment.project)).toSorted()).toEqual([
    ".atomic",
    ...(text === undefined ? [] : ["two.jsonl"]),
  ]);
});

test("a replay that waits for an answer stays one: no agent is asked, and none is listed", async () => {
  const recorded = await startTwo("--agent", "scripted", "--record", "two.jsonl");
  await answer(recorded);
  const text = (await environment.read("project/two.jsonl")).replaceAll("Scripted answer to: Rate", "Recorded: Rate");
  await environment.writeProject({ "two.jsonl": text });
  const runId = await startTwo("--replay", "two.jsonl");
  const { exitCode, stderr } = await answer(runId);
  expect({ exitCode, stderr: stderr.match(/│.*/g) }).toEqual({ exitCode: 0, stderr: ["│ Recorded: Rate it: yes"] });
  const { stdout } = await environment.atomic("runs", "list");
  expect(stdout.match(new RegExp(`^${runId}.*`, "m"))?.[0]).toMatch(/ replay /);
});

test("a replay whose recording is gone is an error, and no agent is asked in its place unless it is named", async () => {
  await startTwo("--agent", "scripted", "--record", "two.jsonl");
  const runId = await startTwo("--replay", "two.jsonl");
  await rm(join(environment.project, "two.jsonl"));
  const { exitCode, stdout, stderr } = await answer(runId);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr.replaceAll(/\s+/g, " ")).toContain(
    `error: The run is a replay of "${join(environment.project, "two.jsonl")}", which cannot be read: there is no such file. No agent was called.`,
  );
  expect((await answer(runId, "--agent", "scripted")).exitCode).toBe(0);
  expect((await environment.atomic("runs", "list")).stdout).not.toMatch(/ replay /);
});

test("an empty file is called empty, and no advice would overwrite an existing file", async () => {
  await environment.writeProject({ "empty.jsonl": "" });
  const { stderr } = await environment.atomic("run", "poem", "--replay", "empty.jsonl");
  expect(stderr.replaceAll(/\s+/g, " ")).toContain(
    "cannot be read: it is empty. Name another one, or record the run again, into a new file: atomic run … --record FILE",
  );
});
