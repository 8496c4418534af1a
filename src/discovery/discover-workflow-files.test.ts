import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { MAX_FILE_BYTES } from "../system/index.ts";
import { discoverWorkflowFiles } from "./discover-workflow-files.ts";

let root = "";
let folders = { projectDirectory: "", homeDirectory: "" };
let local = "";
let global = "";

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-discover-")));
  folders = { projectDirectory: join(root, "project"), homeDirectory: join(root, "home") };
  local = join(folders.projectDirectory, ".atomic", "workflows");
  global = join(folders.homeDirectory, "workflows");
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function write(folder: string, ...names: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of names) await writeFile(join(folder, name), "export default () => 1;");
}

test("folders that do not exist give nothing and no problem", async () => {
  expect(await discoverWorkflowFiles(folders)).toEqual({ files: [], problems: [] });
});

test("project files come before the user's, each folder in alphabetical order", async () => {
  await write(local, "b.ts", "a.mts");
  await write(global, "d.js", "c.mjs");
  const { files, problems } = await discoverWorkflowFiles(folders);
  expect(problems).toEqual([]);
  expect(files).toEqual([
    { path: join(local, "a.mts"), realPath: join(local, "a.mts"), source: "local" },
    { path: join(local, "b.ts"), realPath: join(local, "b.ts"), source: "local" },
    { path: join(global, "c.mjs"), realPath: join(global, "c.mjs"), source: "global" },
    { path: join(global, "d.js"), realPath: join(global, "d.js"), source: "global" },
  ]);
});

test("declarations, tests, helpers, hidden files, other kinds and subfolders are passed over", async () => {
  await write(
    local,
    "x.d.ts",
    "x.d.mts",
    "x.test.ts",
    "x.test.js",
    "_helper.ts",
    ".hidden.ts",
    "notes.md",
    "data.json",
    "_view.tsx",
    "x.test.tsx",
  );
  await write(join(local, "lib"), "deep.ts");
  expect(await discoverWorkflowFiles(folders)).toEqual({ files: [], problems: [] });
});

test.each(["x.tsx", "x.jsx", "x.cts", "x.cjs"])("code of a kind that is not loaded is a problem: %s", async (name) => {
  await write(local, name);
  expect(await discoverWorkflowFiles(folders)).toEqual({
    files: [],
    problems: [
      {
        path: join(local, name),
        message: "Workflow files end in .ts, .mts, .js or .mjs; this one is not loaded",
        remedy: `Rename it to x.ts, or to _${name} if it is a helper.`,
        severity: "error",
      },
    ],
  });
});

test("in the home folder the one workflows folder is the user's, and is listed once", async () => {
  const home = { projectDirectory: root, homeDirectory: join(root, ".atomic") };
  await write(join(root, ".atomic", "workflows"), "mine.ts");
  const path = join(root, ".atomic", "workflows", "mine.ts");
  expect(await discoverWorkflowFiles(home)).toEqual({
    files: [{ path, realPath: path, source: "global" }],
    problems: [],
  });
});

test("a link to a file inside the project is followed", async () => {
  await write(join(folders.projectDirectory, "scripts"), "flow.ts");
  await mkdir(local, { recursive: true });
  await symlink("../../scripts/flow.ts", join(local, "flow.ts"));
  expect((await discoverWorkflowFiles(folders)).files).toEqual([
    { path: join(local, "flow.ts"), realPath: join(folders.projectDirectory, "scripts", "flow.ts"), source: "local" },
  ]);
});

test("links that leave the root, are broken or form a cycle are problems, and the other files are found", async () => {
  await write(join(root, "outside"), "evil.ts");
  await write(local, "good.ts");
  await symlink(join(root, "outside", "evil.ts"), join(local, "evil.ts"));
  await symlink(join(root, "nowhere.ts"), join(local, "gone.ts"));
  await symlink("round.ts", join(local, "round.ts"));
  const { files, problems } = await discoverWorkflowFiles(folders);
  expect(files.map((file) => file.path)).toEqual([join(local, "good.ts")]);
  expect(problems.map(({ path, message }) => [path, message.replace(/(cannot be read).*/, "$1")])).toEqual([
    [join(local, "evil.ts"), `The link leads out of its root, to ${join(root, "outside", "evil.ts")}.`],
    [join(local, "gone.ts"), "The link points to nothing."],
    [join(local, "round.ts"), "It cannot be read"],
  ]);
});

test("the project's folder may not be a link that leaves the project, the user's may", async () => {
  await write(join(root, "elsewhere"), "flow.ts");
  await mkdir(join(folders.projectDirectory, ".atomic"), { recursive: true });
  await mkdir(folders.homeDirectory, { recursive: true });
  await symlink(join(root, "elsewhere"), local);
  expect((await discoverWorkflowFiles(folders)).problems.map((problem) => problem.path)).toEqual([
    join(local, "flow.ts"),
  ]);
  await rm(local);
  await symlink(join(root, "elsewhere"), global);
  expect(await discoverWorkflowFiles(folders)).toEqual({
    files: [{ path: join(global, "flow.ts"), realPath: join(root, "elsewhere", "flow.ts"), source: "global" }],
    problems: [],
  });
});

test("a file over the limit is a problem, one of exactly the limit is not", async () => {
  await mkdir(global, { recursive: true });
  await writeFile(join(global, "large.ts"), " ".repeat(MAX_FILE_BYTES + 1));
  await writeFile(join(global, "limit.ts"), " ".repeat(MAX_FILE_BYTES));
  const { files, problems } = await discoverWorkflowFiles(folders);
  expect(files.map((file) => file.path)).toEqual([join(global, "limit.ts")]);
  expect(problems).toEqual([
    {
      path: join(global, "large.ts"),
      message: "The file has 1048577 bytes; at most 1048576 are loaded.",
      remedy: "Move data out of it, into files that the code reads.",
      severity: "error",
    },
  ]);
});

test("a folder with the name of a workflow file and a file in place of the folder are problems", async () => {
  await mkdir(join(local, "folder.ts"), { recursive: true });
  await mkdir(folders.homeDirectory, { recursive: true });
  await writeFile(global, "not a folder");
  const { files, problems } = await discoverWorkflowFiles(folders);
  expect(files).toEqual([]);
  expect(problems.map(({ path, message }) => [path, message.slice(0, 18)])).toEqual([
    [join(local, "folder.ts"), "This is not a regu"],
    [global, "It cannot be read:"],
  ]);
});

// The superuser may read everything, so there is nothing to see.
test.skipIf(userInfo().uid === 0)("a folder that may not be read is a problem", async () => {
  await write(local, "a.ts");
  await chmod(local, 0o000);
  const { problems } = await discoverWorkflowFiles(folders);
  await chmod(local, 0o700);
  expect(problems.map((problem) => problem.path)).toEqual([local]);
});
