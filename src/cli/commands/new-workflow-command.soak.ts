import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, readdir, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { TestEnvironment } from "../fixtures/test-environment.ts";
import { GREET } from "../fixtures/workflow-files.ts";

const TYPESCRIPT = fileURLToPath(new URL("../../../node_modules/typescript", import.meta.url));

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

async function files(): Promise<readonly string[]> {
  return (await readdir(join(environment.project, ".atomic/workflows"))).toSorted();
}

test("a new workflow says how to check and run it, and both work", async () => {
  expect(await environment.atomic("workflows", "new", "review-tests")).toEqual({
    exitCode: 0,
    stdout: `Created .atomic/workflows/review-tests.ts

Check it:  atomic workflows verify review-tests --trust
Run it:    atomic run review-tests "the tests" --agent scripted --trust
`,
    stderr: "",
  });
  const modules = join(environment.project, "node_modules");
  await mkdir(join(modules, ".bin"), { recursive: true });
  await symlink(TYPESCRIPT, join(modules, "typescript"));
  await symlink("../typescript/bin/tsc", join(modules, ".bin/tsc"));
  const verified = await environment.atomic("workflows", "verify", "review-tests", "--trust");
  expect({ ...verified, stdout: environment.normalise(verified.stdout) }).toEqual({
    exitCode: 0,
    stdout: "ok  review-tests  <root>/project/.atomic/workflows/review-tests.ts\nTypes: checked\n",
    stderr: `Trusted ${environment.project}.\n`,
  });
  const run = await environment.atomic(
    "run",
    "review-tests",
    "the tests",
    "--agent",
    "scripted",
    "--input",
    "rounds=2",
  );
  expect(run.exitCode).toBe(0);
  expect(run.stderr).toContain("✔ suggest #2");
}, 60_000);

test("a new workflow in a trusted project is no change to report, other files are", async () => {
  await environment.writeWorkflows({});
  expect((await environment.atomic("workflows", "list")).stderr).toBe("");
  await environment.writeProject({ ".atomic/tools/_helper.ts": "export const a = 1;" });
  expect((await environment.atomic("workflows", "new", "hello")).stderr).toBe(
    "note: 1 file is new or has changed since you trusted this project: .atomic/tools/_helper.ts.\n",
  );
  expect((await environment.atomic("workflows", "list")).stderr).toBe("");
});

test("a file is never overwritten, whatever its extension", async () => {
  await environment.writeWorkflows({ greet: GREET });
  await environment.write({ "project/.atomic/workflows/old.mjs": "export default 1;" });
  for (const [name, file] of [
    ["greet", "greet.ts"],
    ["old", "old.mjs"],
    // The alias of another workflow.
    ["HELLO", "greet.ts"],
  ] as const) {
    const { exitCode, stdout, stderr } = await environment.atomic("workflows", "new", name);
    expect({ exitCode, stdout, stderr: environment.normalise(stderr) }).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: `error: There is already a workflow "${name}": <root>/project/.atomic/workflows/${file}.\n       Choose another name, or change that file.\n       (WORKFLOW_EXISTS)\n`,
    });
  }
  await symlink("gone", join(environment.project, ".atomic/workflows/linked.ts"));
  expect((await environment.atomic("workflows", "new", "linked")).stderr).toContain("(WORKFLOW_EXISTS)");
  expect(await files()).toEqual(["greet.ts", "linked.ts", "old.mjs"]);
  expect(await environment.read("project/.atomic/workflows/greet.ts")).toBe(GREET);
});

test.each(["../evil", "a b", "", ".hidden", "_helper", "ü", "a".repeat(65)])("%p is no name", async (name) => {
  expect(await environment.atomic("workflows", "new", name)).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: `error: "${name}" cannot name a workflow.\n       Use letters, digits, "-" and "_", at most 64, such as "review-changes".\n       (USAGE)\n`,
  });
  expect(await files()).toEqual([]);
});

test("the name of a built-in or a user's workflow is possible, and said", async () => {
  await environment.writeWorkflows({});
  await environment.write({ "home/.atomic/workflows/mine.ts": GREET });
  const { exitCode, stdout } = await environment.atomic("workflows", "new", "mine");
  expect({ exitCode, second: stdout.split("\n").slice(0, 2) }).toEqual({
    exitCode: 0,
    second: ["Created .atomic/workflows/mine.ts", 'It takes the place of the workflow "mine" in this project.'],
  });
  const json = await environment.atomic("workflows", "new", "ralph", "--json");
  expect(JSON.parse(json.stdout)).toEqual({
    workflow: "ralph",
    path: join(environment.project, ".atomic/workflows/ralph.ts"),
  });
});

test.each([".atomic", ".atomic/workflows"])("nothing is written through a link %s out of the project", async (link) => {
  const outside = join(environment.root, "outside");
  await mkdir(outside);
  const path = join(environment.project, link);
  await rm(path, { recursive: true });
  await mkdir(dirname(path), { recursive: true });
  await symlink(outside, path);
  const { exitCode, stderr } = await environment.atomic("workflows", "new", "review");
  expect({ exitCode, stderr: environment.normalise(stderr) }).toEqual({
    exitCode: 2,
    stderr: `error: <root>/project/${link} leads out of the project, to <root>/outside.\n       Replace the link with a folder: workflows outside are not loaded.\n       (USAGE)\n`,
  });
  expect(await readdir(outside)).toEqual([]);
});

test("in the home the user's own folder is used, a linked one too", async () => {
  const outside = join(environment.root, "dotfiles");
  await mkdir(outside);
  await symlink(outside, join(environment.atomicHome, "workflows"));
  const { ended } = environment.start(["workflows", "new", "review"], { workingDirectory: "home" });
  expect((await ended).exitCode).toBe(0);
  expect(await readdir(outside)).toEqual(["review.ts"]);
});
