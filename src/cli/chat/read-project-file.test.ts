import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readProjectFile } from "./read-project-file.ts";

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "atomic-read-"));
  await mkdir(join(root, "project/..dots"), { recursive: true });
  await writeFile(join(root, "secret"), "secret");
  await writeFile(join(root, "project/a.ts"), "a");
  await writeFile(join(root, "project/..dots/b.ts"), "b");
  await writeFile(join(root, "project/large"), "x".repeat(1_048_577));
  await symlink(join(root, "secret"), join(root, "project/link"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

test.each<{ title: string; path: string; text: string | undefined }>([
  { title: "relative path", path: "a.ts", text: "a" },
  { title: "file in a folder whose name starts with dots", path: "..dots/b.ts", text: "b" },
  { title: "missing file", path: "none.ts", text: undefined },
  { title: "folder", path: "..dots", text: undefined },
  { title: "large file", path: "large", text: undefined },
  { title: "file outside of the project", path: "../secret", text: undefined },
  { title: "link to a file outside", path: "link", text: undefined },
  { title: "the project itself", path: ".", text: undefined },
  { title: "name that no file can have", path: "a\0b", text: undefined },
])("what the chat reads of the project: $title", async ({ path, text }) => {
  const workingDirectory = join(root, "project");
  expect(await readProjectFile(path, { workingDirectory })).toBe(text);
  expect(await readProjectFile(join(workingDirectory, path), { workingDirectory })).toBe(text);
});
