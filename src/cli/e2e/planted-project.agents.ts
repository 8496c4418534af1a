import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type PlantedProject, plantProject } from "../fixtures/planted-project.ts";
import { ATOMIC } from "./fixtures/atomic-process.ts";

let root: string;
let planted: PlantedProject;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-planted-")));
  for (const folder of ["home", "tmp"]) await mkdir(join(root, folder));
  await symlink(ATOMIC, join(root, "atomic"));
  planted = await plantProject({
    folder: join(root, "project"),
    marksFolder: join(root, "marks"),
    searchPath: process.env.PATH ?? "",
  });
});
afterEach(() => rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));

interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Calls Atomic by a link, in the planted project. */
async function atomic(args: readonly string[], searchPath = planted.searchPath): Promise<Result> {
  const env = { PATH: searchPath, HOME: join(root, "home"), TMPDIR: join(root, "tmp") };
  const options = { cwd: planted.folder, env, timeout: 60_000 };
  return await promisify(execFile)(join(root, "atomic"), [...args], options).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: Result) => error,
  );
}

test("the project is planted: running its programs leaves a mark", async () => {
  const env = { PATH: planted.searchPath };
  await promisify(execFile)("/usr/bin/git", ["status"], { cwd: planted.folder, env });
  await promisify(execFile)("/bin/sh", ["-c", "uname; opencode"], { cwd: planted.folder, env }).catch(() => undefined);
  expect(await planted.listMarks()).toEqual(["bin-opencode", "bin-uname", "git-fsmonitor"]);
});

const NOT_LOADED = "Not loaded, because this project is not trusted: ";

test.each([
  { args: ["--version"], code: 0, says: "" },
  { args: ["doctor"], code: 0, says: "not trusted" },
  { args: ["doctor", "--json"], code: 0, says: "not trusted" },
  { args: ["workflows", "list"], code: 0, says: "1 workflow file of this project was not loaded" },
  { args: ["tools", "list"], code: 0, says: "1 tool file of this project was not loaded" },
  { args: ["tools", "run", "x"], code: 2, says: "(PROJECT_UNTRUSTED)" },
  { args: ["hooks", "list"], code: 0, says: "no: the project is not trusted" },
  { args: ["runs", "list"], code: 0, says: "There are no runs yet." },
  { args: ["permissions", "list"], code: 0, says: "ask     default  everything else" },
  { args: ["permissions", "why", "git status"], code: 3, says: "requires approval" },
  { args: ["permissions", "why", "--search"], code: 0, says: "The search leaves out:" },
  { args: ["trust"], code: 0, says: "is not trusted." },
  {
    args: ["-p", "hello", "--agent", "scripted"],
    code: 0,
    says: `${NOT_LOADED}.atomic/config.json, .atomic/tools, .claude/settings.json, .claude/settings.local.json, .github/hooks (2 more). Trust`,
  },
  {
    args: ["-p", "hello", "--agent", "scripted", "--json"],
    code: 0,
    says: `${NOT_LOADED}.atomic/config.json, .atomic/tools, .claude/settings.json, .claude/settings.local.json, .github/hooks (2 more). Trust`,
  },
  {
    args: ["run", "ralph", "Do it", "--agent", "scripted"],
    code: 0,
    says: `${NOT_LOADED}.atomic/config.json, .atomic/workflows, .atomic/tools, .atomic/agents, .claude/settings.json (4 more). Trust`,
  },
  { args: ["run", "x", "--agent", "scripted"], code: 2, says: "(PROJECT_UNTRUSTED)" },
  { args: ["demo", "--agent", "scripted", "--no-color"], code: 0, says: "The same tests now" },
])("nothing of an untrusted project is executed by: atomic $args", async ({ args, code, says }) => {
  const result = await atomic(args);
  expect(await planted.listMarks()).toEqual([]);
  expect({ code: result.code, says: `${result.stdout}${result.stderr}` }).toEqual({
    code,
    says: expect.stringContaining(says),
  });
});

test.each([{ args: ["doctor"] }, { args: ["-p", "hello", "--agent", "scripted"] }])(
  "nor where npx has put the project's programs in front: atomic $args",
  async ({ args }) => {
    expect((await atomic(args, planted.npxSearchPath)).code).toBe(0);
    expect(await planted.listMarks()).toEqual([]);
  },
);
