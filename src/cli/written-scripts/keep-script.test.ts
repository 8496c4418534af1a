import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createScriptServices } from "./create-script-services.ts";
import { findTaken, keepScript } from "./keep-script.ts";

let root = "";
let place = { projectDirectory: "", atomicHome: "" };

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-keep-")));
  place = { projectDirectory: join(root, "project"), atomicHome: join(root, "home") };
  await mkdir(place.projectDirectory);
});
afterEach(() => rm(root, { recursive: true }));

test("a script is kept among the project's workflows, and a second time only where the text is the same", async () => {
  expect(await keepScript(place, "greet", "one")).toBe(".atomic/workflows/greet.js");
  expect(await keepScript(place, "greet", "one")).toBe(".atomic/workflows/greet.js");
  const error = await keepScript(place, "greet", "two").catch((reason: Error) => reason);
  expect(error).toMatchObject({
    code: "SCRIPT_FILE_EXISTS",
    message: "There is already a file .atomic/workflows/greet.js. Move it, and resume the run.",
  });
  expect(await readFile(join(place.projectDirectory, ".atomic/workflows/greet.js"), "utf8")).toBe("one");
});

test.each([".atomic", ".atomic/workflows"])("a link in the place of %s gets nothing", async (name) => {
  await mkdir(join(root, "elsewhere"));
  await mkdir(join(place.projectDirectory, ".atomic"), { recursive: true });
  await rm(join(place.projectDirectory, name), { recursive: true, force: true });
  await symlink(join(root, "elsewhere"), join(place.projectDirectory, name));
  await expect(keepScript(place, "greet", "one")).rejects.toThrow("leads out of the project, to");
});

test("a name that was taken after the check is not used a second time", async () => {
  const { projectDirectory } = place;
  await mkdir(join(projectDirectory, ".atomic/workflows"), { recursive: true });
  await writeFile(join(projectDirectory, ".atomic/workflows/greet.ts"), "");
  await expect(keepScript(place, "greet", "one")).rejects.toThrow(
    "There is already a file .atomic/workflows/greet.ts.",
  );
});

test("a file in the place of the folder is named", async () => {
  await mkdir(join(place.projectDirectory, ".atomic"));
  await writeFile(join(place.projectDirectory, ".atomic/workflows"), "");
  await expect(keepScript(place, "greet", "one")).rejects.toThrow("because a file is in its place. Move the file.");
});

test("names of files, of scripts for Claude Code, and of Atomic's own workflows are taken", async () => {
  const { projectDirectory } = place;
  for (const path of [".atomic/workflows/a.ts", ".claude/workflows/b.js"]) {
    await mkdir(join(projectDirectory, path, ".."), { recursive: true });
    await writeFile(join(projectDirectory, path), "");
  }
  expect([
    findTaken(projectDirectory, "a"),
    findTaken(projectDirectory, "b"),
    findTaken(projectDirectory, "c"),
  ]).toEqual([".atomic/workflows/a.ts", ".claude/workflows/b.js", undefined]);
  const services = createScriptServices({
    workspace: { atomicHome: place.atomicHome },
    projectDirectory,
    workingDirectory: projectDirectory,
    permissions: { rules: [{ effect: "deny", tools: ["shell"] }] },
  });
  expect([await services.findTaken("Loop"), await services.findTaken("a"), await services.findTaken("c")]).toEqual([
    "a workflow of Atomic's own has it",
    ".atomic/workflows/a.ts",
    undefined,
  ]);
  expect(await services.effectOf("npm test")).toBe("deny");
});
