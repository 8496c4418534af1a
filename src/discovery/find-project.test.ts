import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProject, findProjectOfFile } from "./find-project.ts";

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-project-")));
  for (const folder of [".git", "home/.git", "home/.atomic", "home/work/.git", "home/work/part", "home/plain", "other"])
    await mkdir(join(root, folder), { recursive: true });
  await symlink("home", join(root, "home-link"));
  await symlink("home/work/part", join(root, "part-link"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

test.each([
  { title: "the root of a project", at: "home/work", project: "home/work" },
  { title: "a folder of it", at: "home/work/part", project: "home/work" },
  { title: "a folder of it, by a link", at: "part-link", project: "home/work" },
  { title: "a folder of it, through the home's link", at: "home-link/work/part/", project: "home/work" },
  { title: "a folder of none, below the home", at: "home/plain", project: "home/plain" },
  { title: "the home itself", at: "home", project: "home" },
  { title: "a project elsewhere", at: "other", project: "." },
  { title: "a folder that is gone", at: "home/work/gone", project: "home/work" },
])("$title, whatever way the home is written", ({ at, project }) => {
  for (const home of ["home", "home/", "home-link", "home-link/", "other/../home"]) {
    expect(findProject(join(root, at), `${root}/${home}`)).toBe(join(root, project));
  }
});

test("the root of the file system is nobody's project but its own", () => {
  expect(findProject("/", join(root, "home"))).toBe("/");
  expect(findProject("/nowhere/at/all", "/")).toBe("/nowhere/at/all");
});

test.each([
  { title: "in the project of the call", path: "home/work/part/a.ts", of: "home/work", project: "home/work" },
  { title: "in a project within it", path: "home/work/a.ts", of: ".", project: "home/work" },
  { title: "in another project", path: "home/work/part/a.ts", of: "home/plain", project: "home/work" },
  { title: "in a call's folder without a mark", path: "home/plain/deep/a.ts", of: "home/plain", project: "home/plain" },
  { title: "in no project", path: "home/plain/a.ts", of: "home/work", project: "home/plain" },
  { title: "below the home, for a call in the home", path: "home/plain/a.ts", of: "home", project: "home/plain" },
  { title: "in the home, for a call in the home", path: "home/a.ts", of: "home", project: "home" },
  { title: "beside a folder with a longer name", path: "home/plainer/a.ts", of: "home/plain", project: "home/plainer" },
])("a file $title", ({ path, of, project }) => {
  const folders = { projectDirectory: join(root, of), userHomeDirectory: join(root, "home") };
  expect(findProjectOfFile(join(root, path), folders)).toBe(join(root, project));
});
