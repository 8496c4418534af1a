import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Keys } from "../fixtures/keys.ts";
import { TestEnvironment } from "../fixtures/test-environment.ts";

const TSC = fileURLToPath(new URL("../../../node_modules/.bin/tsc", import.meta.url));

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

const FILES = [
  ".atomic/config.jsonc",
  ".atomic/workflows/suggest.ts",
  ".atomic/tools/count_text.ts",
  ".atomic/config.schema.json",
  ".atomic/tsconfig.json",
  ".gitignore",
];

async function init(...args: readonly string[]) {
  const { exitCode, stdout, stderr } = await environment.atomic("init", "--json", ...args);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const { files }: { files: { path: string; status: string }[] } = JSON.parse(stdout);
  return Object.fromEntries(files.map(({ path, status }) => [path, status]));
}

test("what it writes runs, loads and type-checks at once", async () => {
  expect(await init("--yes")).toEqual(Object.fromEntries(FILES.map((path) => [path, "created"])));
  const run = await environment.atomic("run", "suggest", "--agent", "scripted", "--trust");
  expect({ exitCode: run.exitCode, stdout: run.stdout }).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("Scripted answer to: Suggest one change to this project about: this project"),
  });
  expect(await environment.atomic("tools", "run", "count_text", "--args", '{"text": "one two"}')).toEqual({
    exitCode: 0,
    stdout: "lines: 1, words: 2, characters: 7\n",
    stderr: "",
  });
  expect((await environment.atomic("config", "get", "permissions.rules")).stdout).toBe("[]\n");
  const types = Bun.spawn([TSC, "-p", join(environment.project, ".atomic/tsconfig.json")], { stdout: "pipe" });
  const output = await new Response(types.stdout).text();
  expect(
    output.split("\n").filter((line) => /(?:^|\/)(?:workflows|tools)\/(?:suggest|count_text)\.ts/.test(line)),
  ).toEqual([]);
  expect(output).not.toContain("TS2307");
}, 120_000);

test("nothing is overwritten, and what was kept is said", async () => {
  const own = {
    ".atomic/config.json": '{ "model": "mine" }',
    ".atomic/workflows/suggest.mjs": "// mine",
    ".atomic/tools/count_text.ts": "// mine",
    ".atomic/config.schema.json": "{}",
    ".atomic/tsconfig.json": '{ "files": [] }',
    ".gitignore": "/.atomic/tsconfig.json\nresearch/checkpoints",
  };
  await environment.writeProject(own);
  expect(await init("--yes")).toEqual({
    ".atomic/config.json": "kept",
    ".atomic/workflows/suggest.mjs": "kept",
    ".atomic/tools/count_text.ts": "kept",
    ".atomic/config.schema.json": "kept",
    ".atomic/tsconfig.json": "kept",
    ".gitignore": "updated",
  });
  for (const [path, text] of Object.entries(own)) {
    const expected = path === ".gitignore" ? `${text}\n\n# Atomic\n.atomic/config.schema.json\n` : text;
    expect(await environment.read(`project/${path}`)).toBe(expected);
  }
});

test("a second call keeps everything, and renews only its own files for editors", async () => {
  await init("--yes");
  const schema = JSON.parse(await environment.read("project/.atomic/config.schema.json"));
  await environment.writeProject({ ".atomic/config.schema.json": JSON.stringify({ ...schema, title: "old" }) });
  expect(await init("--yes")).toEqual({
    ...Object.fromEntries(FILES.map((path) => [path, "kept"])),
    ".atomic/config.schema.json": "updated",
  });
  expect(JSON.parse(await environment.read("project/.atomic/config.schema.json"))).toEqual(schema);
});

test("in a trusted project, what it wrote is no change to report", async () => {
  await environment.trustProject();
  await environment.atomic("workflows", "list");
  const { stdout } = await environment.atomic("init", "--yes", "--agent", "claude");
  expect(environment.normalise(stdout)).toBe(`<root>/project
${FILES.map((path) => `  created  ${path}`).join("\n")}

Run the workflow:  atomic run suggest --agent scripted
Call the tool:     atomic tools run count_text --args '{"text": "one two"}'
See all settings:  atomic config list --all
`);
  expect((await environment.atomic("workflows", "list")).stderr).toBe("");
  expect((await environment.atomic("config", "get", "agent")).stdout).toBe("claude\n");
});

test("without a terminal and without --yes it is an error, and nothing is written", async () => {
  expect(await environment.atomic("init")).toEqual({
    exitCode: 2,
    stdout: "",
    stderr:
      "error: The questions of atomic init need a terminal.\n       To use the defaults instead: atomic init --yes\n       (USAGE)\n",
  });
  expect(await readdir(join(environment.project, ".atomic"))).toEqual(["workflows"]);
});

test("a person chooses the agent, the name of the workflow, and no tool", async () => {
  const { stdin, stderr, ended } = environment.start(["init", "--json"], { isTTY: true, isInteractive: true });
  await stderr.waitFor("Which agent");
  stdin.write(`${Keys.down}${Keys.enter}`);
  await stderr.waitFor("name of the first workflow");
  stdin.write(`hello${Keys.enter}`);
  await stderr.waitFor("Write a tool");
  stdin.write(`${Keys.down}${Keys.enter}`);
  const { exitCode, stdout } = await ended;
  expect({ exitCode, ...JSON.parse(stdout) }).toMatchObject({ exitCode: 0, workflow: "hello" });
  expect(await environment.read("project/.atomic/config.jsonc")).toContain('  "agent": "claude",\n');
  expect(await readdir(join(environment.project, ".atomic"))).not.toContain("tools");
}, 30_000);

test("Ctrl+C writes nothing", async () => {
  const { stdin, stderr, ended } = environment.start(["init"], { isTTY: true, isInteractive: true });
  await stderr.waitFor("Which agent");
  stdin.write(Keys.ctrlC);
  expect((await ended).exitCode).toBe(130);
  expect(await readdir(join(environment.project, ".atomic"))).toEqual(["workflows"]);
}, 30_000);

test("nothing is written through a link out of the project", async () => {
  await mkdir(join(environment.root, "outside"));
  await symlink(join(environment.root, "outside"), join(environment.project, ".atomic/tools"));
  const { exitCode, stderr } = await environment.atomic("init", "--yes");
  expect(exitCode).toBe(2);
  expect(environment.normalise(stderr)).toStartWith("error: <root>/project/.atomic/tools leads out of the project");
  expect(await readdir(join(environment.root, "outside"))).toEqual([]);
});
