import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { guardNestedRepositories, type NestedRepositoriesOptions } from "./nested-repositories.ts";

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), "atomic-nested-")));
});
afterEach(() => rm(root, { recursive: true }));

async function makeGitFolder(name: string): Promise<void> {
  await mkdir(path.join(root, name), { recursive: true });
  await writeFile(path.join(root, name, "HEAD"), "ref: refs/heads/main\n");
}

async function makeGitFile(name: string, folder: string): Promise<void> {
  await mkdir(path.dirname(path.join(root, name)), { recursive: true });
  await writeFile(path.join(root, name), `gitdir: ${folder}\n`);
}

async function makeGitFiles(count: number, nameOf: (index: number) => string): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, index) => makeGitFile(nameOf(index), "nowhere")));
}

async function find(options: Partial<NestedRepositoriesOptions> = {}) {
  const { gitFolders, guarded, workTrees } = await guardNestedRepositories([path.join(root, "app")], {
    known: [path.join(root, "app/.git")],
    ...options,
  });
  const short = (files: readonly string[]) => files.map((file) => path.relative(root, file));
  return { gitFolders: short(gitFolders), guarded: short(guarded), workTrees: short(workTrees) };
}

test("guards the settings of every repository in a folder, except the one that the caller guards", async () => {
  for (const name of ["app/.git", "app/deps/one/.git", "app/two/.git", "app/two/part/.git"]) await makeGitFolder(name);
  const { gitFolders, guarded, workTrees } = await find();
  expect(gitFolders).toEqual(["app/two/.git", "app/deps/one/.git", "app/two/part/.git"]);
  expect(workTrees).toEqual(["app/two", "app/deps/one", "app/two/part"]);
  expect(guarded).toEqual(expect.arrayContaining(gitFolders.flatMap((name) => [`${name}/config`, `${name}/hooks`])));
});

test("a .git file is guarded, and the folder that it names if that is in the folder", async () => {
  await makeGitFolder("app/store");
  await makeGitFolder("app/.git/worktrees/known");
  await makeGitFolder("elsewhere");
  await makeGitFile("app/inside/.git", "../store");
  await makeGitFile("app/known/.git", "../.git/worktrees/known");
  await makeGitFile("app/outside/.git", "../../elsewhere");
  const { gitFolders, guarded } = await find();
  expect(gitFolders).toEqual(["app/store"]);
  expect(guarded).toEqual(expect.arrayContaining(["app/inside/.git", "app/known/.git", "app/outside/.git"]));
  expect(guarded.filter((name) => name.startsWith("elsewhere"))).toEqual([]);
});

test("a .git that is a link is guarded, and nothing in node_modules is searched", async () => {
  await makeGitFolder("elsewhere");
  await makeGitFolder("app/node_modules/one/.git");
  await mkdir(path.join(root, "app/linked"));
  await symlink(path.join(root, "elsewhere"), path.join(root, "app/linked/.git"));
  const guarded = ["app/linked/.git", "app/linked/commondir"];
  expect(await find()).toEqual({ gitFolders: [], guarded, workTrees: ["app/linked"] });
});

test("repositories above the limit become read-only as a whole", async () => {
  for (const name of ["a", "b", "c"]) await makeGitFolder(`app/${name}/.git`);
  const { gitFolders, guarded } = await find({ maxRepositories: 2 });
  expect(gitFolders).toEqual(["app/a/.git", "app/b/.git"]);
  expect(guarded).toContain("app/c/.git");
});

test("a git folder in another one's place is guarded, too", async () => {
  await makeGitFolder("app");
  await makeGitFile("app/a/.git", "..");
  await makeGitFolder("app/deps/own/.git");
  expect((await find()).guarded).toContain("app/deps/own/.git/config");
});

test("a worktree's repository is guarded, and git works in its worktrees", async () => {
  for (const name of ["one", "two"]) {
    await makeGitFolder(`app/.bare/worktrees/${name}`);
    await writeFile(path.join(root, `app/.bare/worktrees/${name}/commondir`), "../..\n");
    await makeGitFile(`app/${name}/.git`, `../.bare/worktrees/${name}`);
  }
  await makeGitFolder("app/.bare");
  await makeGitFolder("app/.bare/worktrees/gone");
  const { gitFolders, guarded } = await find();
  expect(gitFolders).toEqual(["app/.bare"]);
  expect(guarded).toEqual(
    expect.arrayContaining(
      ["config", "hooks", "worktrees/one/commondir", "worktrees/two/gitdir", "worktrees/gone"].map(
        (name) => `app/.bare/${name}`,
      ),
    ),
  );
  expect(guarded).not.toContain("app/.bare/worktrees");
});

test("folders with .git entries above the limit of mounts become read-only", async () => {
  await makeGitFolder("app/deps/own/.git");
  await makeGitFiles(600, (count) => `app/planted/deep/${count}/.git`);
  const { gitFolders, guarded, workTrees } = await find({ maxMounts: 60 });
  expect(guarded.filter((name) => !name.startsWith("app/deps/own/"))).toEqual(["app/planted/deep"]);
  expect({ gitFolders, workTrees }).toEqual({ gitFolders: ["app/deps/own/.git"], workTrees: ["app/deps/own"] });
});

test("too many folders with .git entries are an error that names one", async () => {
  await makeGitFiles(500, (count) => `app/${count}/.git`);
  expect((await find({ maxMounts: 0 })).guarded).toHaveLength(500);
  await makeGitFile("app/one-more/.git", "nowhere");
  await expect(find({ maxMounts: 0 })).rejects.toThrow(
    `The setting sandbox.writeRoots cannot be used: the folders that the agent can write to contain too many repositories to protect them all: 501 are left over, such as "${root}/app/0". List all with: find . -name .git. Remove those that you do not know, move the others into one folder, or choose smaller folders.`,
  );
});

test("the folders around .git entries above the limit count, too", async () => {
  await makeGitFiles(200, (count) => `app/${count}/a/b/.git`);
  const { guarded } = await find({ maxMounts: 0 });
  expect({ first: guarded[0], count: guarded.length }).toEqual({ first: "app/0/a", count: 200 });
});

test("too many folders are an error", async () => {
  for (const name of ["a", "b", "c"]) await mkdir(path.join(root, "app", name), { recursive: true });
  await expect(find({ maxFolders: 4 })).resolves.toBeDefined();
  await expect(find({ maxFolders: 3 })).rejects.toThrow(
    "the folders that the agent can write to contain more than 3 folders. Choose smaller ones.",
  );
});
