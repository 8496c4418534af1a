import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { untrustedEnvironment } from "./untrusted-environment.ts";

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-untrusted-")));
  for (const folder of ["home/bin", "home/project/part", "home/project/bin", "elsewhere"])
    await mkdir(join(root, folder), { recursive: true });
  await symlink("home/project", join(root, "project-link"));
  await symlink("home/project/bin", join(root, "bin-link"));
  await symlink("../../elsewhere", join(root, "home/project/out"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** Which of the folders programs are still looked for in. */
function keptOf(folders: readonly string[], { at = "home/project/part", project = "home/project" } = {}): unknown {
  const place = { workingDirectory: join(root, at), projectDirectory: join(root, project) };
  const env = { HOME: `${root}/home/`, PATH: folders.map((folder) => join(root, folder)).join(":") };
  return untrustedEnvironment(env, place).PATH?.replaceAll(`${root}/`, "").split(":");
}

test("no program is looked for in the project, whichever way its folders are written", () => {
  const folders = [
    "home/project",
    "home/project/bin",
    "home/project/gone",
    "home/project/part/../bin",
    "home/project/out",
    "project-link/bin",
    "project-link/out",
    "bin-link",
  ];
  expect(keptOf([...folders, "home/bin", "elsewhere", "home/project-2"])).toEqual([
    "home/bin",
    "elsewhere",
    "home/project-2",
  ]);
  const byLink = { at: "project-link/part", project: "project-link" };
  expect(keptOf([...folders, "home/bin"], byLink)).toEqual(["home/bin"]);
});

test("the home and the root of the file system are no project, so their programs stay", () => {
  expect(keptOf(["home/bin", "elsewhere"], { at: "home", project: "home" })).toEqual(["home/bin", "elsewhere"]);
  const place = { workingDirectory: "/", projectDirectory: "/" };
  expect(untrustedEnvironment({ PATH: "/usr/bin:/bin" }, place).PATH).toBe("/usr/bin:/bin");
});
