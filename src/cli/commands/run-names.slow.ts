import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { TestEnvironment } from "../fixtures/test-environment.ts";
import { NAME_PROBLEMS, NAMED_FILES, NAMES } from "../fixtures/workflow-files.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

async function runsIn({ atomicHome }: TestEnvironment): Promise<readonly string[]> {
  return await readdir(join(atomicHome, "workflows", "sessions")).catch(() => []);
}

test("names and static arguments that no step could work with end a run before it starts, all in one error", async () => {
  await environment.writeWorkflows({ names: NAMES });
  await environment.writeProject(NAMED_FILES);
  const rules = [{ effect: "deny", tools: ["shell"], commands: ["rm *"] }];
  await environment.write({ "home/.atomic/config.json": JSON.stringify({ permissions: { rules } }) });
  const { exitCode, stdout, stderr } = await environment.atomic("run", "names", "--agent", "scripted");
  const errors = NAME_PROBLEMS.filter((problem) => problem.startsWith("error: "));
  const lines = errors.map((problem) => problem.replace("error: ", "- "));
  const problems = stderr.split("\n").filter((line) => !line.startsWith("warning: "));
  expect({ exitCode, stdout, text: problems.join(" ").replace(/\s+/g, " ") }).toEqual({
    exitCode: 2,
    stdout: "",
    text: `error: The workflow "names" was not started, because these steps could not work: ${lines.join(" ")} (NODE_USE_INVALID) `,
  });
  expect(await runsIn(environment)).toEqual([]);
});

test("a prompt whose commands require approval does not prevent a run", async () => {
  const look = `import { commandNode, graph } from "@bastani/atomic/graph";
export default () => graph().start(commandNode({ command: "clean" })).end().compile();
`;
  await environment.writeWorkflows({ look });
  await environment.writeProject({ ".claude/commands/clean.md": "Look: !`git log -1`" });
  const { stdout } = await environment.atomic("run", "look", "--agent", "scripted");
  expect(stdout).toStartWith("failed  look  run ");
  expect(await runsIn(environment)).toHaveLength(1);
});

test("the known workflows of an unknown name are those that load, and Claude's scripts", async () => {
  await environment.writeWorkflows({
    wrong: 'export const name = "wrong";\nexport default 5;\n',
    good: 'import { graph, toolNode } from "@bastani/atomic/graph";\nexport const name = "good";\nexport default () => graph().start(toolNode({ id: "a", execute: () => 1 })).end().compile();\n',
  });
  await environment.writeProject({
    ".claude/workflows/tidy.js": 'export const meta = { name: "tidy", description: "Tidies" };\n',
  });
  const { exitCode, stderr } = await environment.atomic("run", "zzzzzz");
  expect({ exitCode, line: stderr.split("\n")[1]?.trim() }).toEqual({
    exitCode: 2,
    line: "Known workflows: good, ralph, loop, atomic, review, write, tidy.",
  });
});

/** A workflow whose first step leaves a file, and whose second runs another workflow. */
function calling(name: string, config = ""): string {
  return `import { graph, shellNode, subgraphNode } from "@bastani/atomic/graph";
export const defaultConfig = { depth: 2 };
export default () =>
  graph()
    .start(shellNode({ id: "first", command: "touch started" }))
    .then(subgraphNode({ id: "second", subgraph: "${name}"${config} }))
    .end()
    .compile();
`;
}

test.each([
  {
    title: "that does not exist",
    workflows: { outer: calling("inner-x"), inner: calling("ralph") },
    problem:
      'The node "second" runs the workflow "inner-x", which does not exist or cannot be loaded. Did you mean "inner"?',
  },
  {
    title: "that a called workflow runs and that does not exist",
    workflows: { outer: calling("inner"), inner: calling("ralphh") },
    problem:
      'The node "second" of the workflow "inner" runs the workflow "ralphh", which does not exist or cannot be loaded. Did you mean "ralph"?',
  },
  {
    title: "that runs itself",
    workflows: { outer: calling("outer") },
    problem: "Workflows run each other in a cycle: outer → outer. Remove one of these steps.",
  },
  {
    title: "that leads back in a cycle",
    workflows: { outer: calling("INNER"), inner: calling("outer") },
    problem: "Workflows run each other in a cycle: outer → inner → outer. Remove one of these steps.",
  },
  {
    title: "that does not compile",
    workflows: { outer: calling("inner"), inner: calling("") },
    problem:
      'The node "second" cannot run the workflow "inner": The workflow "inner" cannot be built: The graph cannot be compiled:',
  },
  {
    title: "that does not have the setting",
    workflows: { outer: calling("inner", ", config: { dpth: 3 }"), inner: calling("ralph") },
    problem: 'The node "second" sets "dpth" of the workflow "inner", which has no such setting. Did you mean "depth"?',
  },
])("a step with a workflow $title ends a run before it starts", async ({ workflows, problem }) => {
  await environment.writeWorkflows(workflows);
  const { exitCode, stdout, stderr } = await environment.atomic("run", "outer", "--agent", "scripted", "--yolo");
  expect({ exitCode, stdout, text: stderr.replace(/\s+/g, " ") }).toEqual({
    exitCode: 2,
    stdout: "",
    text: expect.stringContaining(
      `error: The workflow "outer" was not started, because these steps could not work: - ${problem}`,
    ),
  });
  expect(existsSync(join(environment.project, "started"))).toBe(false);
  expect(await runsIn(environment)).toEqual([]);
});

test("a step runs its workflow as it was checked, whatever earlier steps write", async () => {
  const inner = `import { graph, shellNode } from "@bastani/atomic/graph";
export default () => graph().start(shellNode({ id: "a", command: "touch seen" })).end().compile();
`;
  const outer = calling("inner").replace("touch started", "echo broken > .atomic/workflows/inner.ts");
  await environment.writeWorkflows({ outer, inner });
  expect(await environment.atomic("run", "outer", "--agent", "scripted", "--yolo")).toMatchObject({ exitCode: 0 });
  expect(existsSync(join(environment.project, "seen"))).toBe(true);
});

test("a config that only a run knows does not prevent the run", async () => {
  await environment.writeWorkflows({
    outer: calling("inner", ", config: () => ({ depth: 1 })"),
    inner:
      'import { graph, shellNode } from "@bastani/atomic/graph";\nexport default () => graph().start(shellNode({ id: "a", command: "true" })).end().compile();\n',
  });
  expect((await environment.atomic("run", "outer", "--agent", "scripted")).exitCode).toBe(0);
});

test("an exclusion in a step's tools that excludes nothing prevents a run, and one of a tool in a file does not", async () => {
  const flow = (exclusion: string): string => `import { agentNode, graph } from "@bastani/atomic/graph";
export default () => graph().start(agentNode({ id: "a", buildMessage: "x", tools: ["*", "${exclusion}"] })).end().compile();
`;
  await environment.writeWorkflows({ own: flow("!tasks"), wrong: flow("!wrte") });
  await environment.writeProject({
    ".atomic/tools/tasks.ts": `import { tool } from "@bastani/atomic/plugin";
export default tool({ description: "Tasks", args: {}, execute: async () => "none" });
`,
  });
  expect((await environment.atomic("run", "own", "--agent", "scripted")).exitCode).toBe(0);
  const { exitCode, stderr } = await environment.atomic("run", "wrong", "--agent", "scripted");
  expect(exitCode).toBe(2);
  expect(stderr).toContain(
    'exclude "wrte", which Atomic does not know, so nothing is excluded. Did you mean "!write"?',
  );
});
