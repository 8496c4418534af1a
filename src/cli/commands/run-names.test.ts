import { afterEach, beforeEach, expect, test } from "bun:test";
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
    line: "Known workflows: good, ralph, loop, review, tidy.",
  });
});
