import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { findProjectPlaces } from "./project-places.ts";

let home: string;

beforeEach(async () => {
  home = await realpath(await mkdtemp(path.join(tmpdir(), "atomic-places-")));
});
afterEach(() => rm(home, { recursive: true }));

/** Makes folders and files; a name that ends with a slash is a folder. */
async function make(...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const file = path.join(home, name);
    await mkdir(name.endsWith("/") ? file : path.dirname(file), { recursive: true });
    if (!name.endsWith("/")) await writeFile(file, "");
  }
}

const at = (...names: readonly string[]): readonly string[] => names.map((name) => path.join(home, name));

test("a folder within a repository belongs to the whole of it", async () => {
  await make("app/.git/HEAD", "app/part/");
  const { readable, gitFolders, guarded } = findProjectPlaces(path.join(home, "app/part"), home);
  expect({ readable, gitFolders }).toEqual({ readable: at("app/part", "app"), gitFolders: at("app/.git") });
  expect(guarded).toEqual(expect.arrayContaining([...at("app/.git/hooks", "app/.claude", "app/part/.atomic")]));
});

test("a home folder that is a repository is not a project", async () => {
  await make(".git/HEAD", "app/");
  const { readable, gitFolders } = findProjectPlaces(path.join(home, "app"), home);
  expect({ readable, gitFolders }).toEqual({ readable: at("app"), gitFolders: [] });
});

test.each(["secret", "other/.git"])("a .git file opens no other folder, such as %s", async (folder) => {
  await make("app/", "secret/HEAD", "other/.git/HEAD", "other/.git/objects/", "other/.git/refs/");
  await writeFile(path.join(home, "app/.git"), `gitdir: ${home}/${folder}\n`);
  expect(findProjectPlaces(path.join(home, "app"), home).gitFolders).toEqual([]);
});

test.each(["app/.git", "git/gitdir"])("a pipe %s keeps nobody waiting", async (pipe) => {
  await make("app/", "git/HEAD", "git/objects/", "git/refs/", "git/gitdir", "git/commondir");
  await writeFile(path.join(home, "app/.git"), `gitdir: ${home}/git\n`);
  await writeFile(path.join(home, "git/gitdir"), `${home}/app/.git\n`);
  await rm(path.join(home, pipe));
  expect(Bun.spawnSync(["mkfifo", path.join(home, pipe)]).exitCode).toBe(0);
  expect(findProjectPlaces(path.join(home, "app"), home).gitFolders).toEqual([]);
});

test("a submodule has its folder in the repository around it", async () => {
  await make("app/.git/modules/lib/HEAD", "app/.git/modules/lib/objects/", "app/.git/modules/lib/refs/", "app/lib/");
  await writeFile(path.join(home, "app/lib/.git"), "gitdir: ../.git/modules/lib\n");
  expect(findProjectPlaces(path.join(home, "app/lib"), home).gitFolders).toEqual(at("app/.git/modules/lib"));
});

test("an empty .git stands for a missing one", async () => {
  await make("app/.git/", "app/part/");
  const { root, gitFolders, guarded } = findProjectPlaces(path.join(home, "app"), home);
  expect({ root, gitFolders }).toEqual({ root: undefined, gitFolders: [] });
  expect(guarded).toContain(path.join(home, "app/.git"));
});

test.each([".git", ".git/commondir"])("a pipe in the place of %s keeps nobody waiting", async (name) => {
  await make(name === ".git" ? "app/" : "app/.git/HEAD");
  execFileSync("mkfifo", [path.join(home, "app", name)]);
  expect(findProjectPlaces(path.join(home, "app"), home).readable).toEqual(at("app"));
});
