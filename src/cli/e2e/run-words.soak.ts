import { afterAll, beforeAll, expect, test } from "bun:test";
import { Sandbox } from "./fixtures/sandbox.ts";

let sandbox: Sandbox;

const IMPORTS =
  'import { agentNode, annotation, defineState, graph, subgraphNode, toolNode } from "@bastani/atomic/graph";\n';

const ECHO = `${IMPORTS}const State = defineState({ prompt: annotation(""), said: annotation("") });
export default () => graph(State)
  .start(toolNode({ id: "say", execute: (_, { state }) => { console.log(JSON.stringify(state.prompt)); } }))
  .end().compile();
`;

const looping = (maxIterations: number): string => `${IMPORTS}export default () => graph()
  .loop(toolNode({ id: "turn", execute: () => 1 }), { id: "rounds", until: (_, { iteration }) => iteration === 5, maxIterations: ${maxIterations}, onMaxIterations: "fail" })
  .end().compile();
`;

const MANY = `${IMPORTS}export default () => graph()
  .map(() => ["src/a.ts", { path: "src/b.ts" }], toolNode({ id: "check", execute: () => 1 }), { id: "each", concurrency: 1 })
  .end().compile();
`;

const OUTER = `${IMPORTS}const inner = graph().start(toolNode({ id: "first", execute: () => 1 })).then(toolNode({ id: "last", execute: () => 2 })).end().compile();
export default () => graph().start(subgraphNode({ id: "inside", subgraph: inner })).then(toolNode({ id: "after", execute: () => 3 })).end().compile();
`;

const SPENDER = `${IMPORTS}export default () => graph().start(agentNode({ id: "ask", buildMessage: "Hello" })).end().compile();
`;

beforeAll(async () => {
  sandbox = await Sandbox.create();
  await sandbox.write({
    ".atomic/workflows/echo.ts": ECHO,
    ".atomic/workflows/looping.ts": looping(2),
    ".atomic/workflows/many.ts": MANY,
    ".atomic/workflows/outer.ts": OUTER,
    ".atomic/workflows/spender.ts": SPENDER,
  });
  await sandbox.atomic("trust", "add");
});

afterAll(async () => {
  await sandbox.remove();
});

function runIdOf(stdout: string): string {
  return /run ([0-9a-z]{12})/.exec(stdout)?.[1] ?? "";
}

test("a prompt of - is standard input", async () => {
  const child = Bun.spawn(["/bin/sh", "-c", "printf 'one\\ntwo\\n' | atomic run echo -"], {
    cwd: sandbox.project,
    env: { ...sandbox.env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  expect(await new Response(child.stderr).text()).toContain('· "one\\ntwo"\n');
  expect(await child.exited).toBe(0);
});

test("the demo rejects an agent that it cannot use", async () => {
  expect(await sandbox.atomic("demo", "--agent", "claude")).toMatchObject({
    exitCode: 2,
    stdout: "",
    stderr: `error: The demo is played by opencode or scripted, and not by "claude".
       Have that one work for real: atomic -p "…" --agent claude
       (USAGE)
`,
  });
});

test("a loop at its limit says what to change, and resumes after the change", async () => {
  const failed = await sandbox.atomic("run", "looping");
  const runId = runIdOf(failed.stdout);
  expect(failed.stdout.split("\n").slice(1, 4)).toEqual([
    'Failed in "rounds": The loop "rounds" ran 2 times without reaching its end. Check its "until", or set maxIterations.',
    "  (GRAPH_LOOP_LIMIT)",
    `Raise maxIterations or correct the loop's condition in the workflow's file, then resume it: atomic runs resume ${runId}`,
  ]);
  await sandbox.write({ ".atomic/workflows/looping.ts": looping(9) });
  expect((await sandbox.atomic("runs", "resume", runId)).exitCode).toBe(0);
});

test("an exceeded budget names its option", async () => {
  const { exitCode, stdout } = await sandbox.atomic("run", "spender", "--agent", "scripted", "--max-tokens", "1");
  expect(exitCode).toBe(1);
  expect(stdout.split("\n").slice(1, 4)).toEqual([
    "Failed: The run used more than the 1 tokens of its budget.",
    "  (RUN_LIMIT)",
    `Raise the limit, then resume it: atomic runs resume ${runIdOf(stdout)} --max-tokens N`,
  ]);
  const shown = await sandbox.atomic("runs", "show", runIdOf(stdout));
  expect(shown.stdout).toEndWith(`: atomic runs resume ${runIdOf(stdout)} --max-tokens N\n`);
});

test("the items of a map are told apart", async () => {
  const { stderr } = await sandbox.atomic("run", "many");
  expect(stderr.replace(/\d+ms/g, "MS").split("\n").slice(1)).toEqual([
    "✔ check (src/a.ts)  MS",
    '✔ check ({"path":"src/b.ts"})  MS',
    "",
  ]);
});

test("a subgraph that has ended is completed, and four characters are enough to name a run", async () => {
  const runId = runIdOf((await sandbox.atomic("run", "outer")).stdout);
  const { stdout } = await sandbox.atomic("runs", "show", runId.slice(0, 4), "--json");
  const { nodes } = JSON.parse(stdout);
  expect(nodes.map(({ taskId, status }: { taskId: string; status: string }) => [taskId, status])).toEqual([
    ["inside", "completed"],
    ["inside/first", "completed"],
    ["inside/last", "completed"],
    ["after", "completed"],
  ]);
});
