import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type WorkflowFileWatch, watchWorkflowFiles } from "./watch-workflow-files.ts";

let root: string;
let watch: WorkflowFileWatch | undefined;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "atomic-watch-"));
});
afterEach(async () => {
  watch?.close();
  await rm(root, { recursive: true, force: true });
});

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

test.each([
  { title: "a new file in a folder that did not exist", path: "project/.atomic/workflows/own.ts" },
  { title: "a helper in a subfolder", path: "project/.atomic/workflows/lib/_help.ts" },
  { title: "a file of the user", path: "home/.atomic/workflows/own.ts" },
  { title: "a script of Claude Code in the project", path: "project/.claude/workflows/own.js" },
  { title: "a script of the user's Claude Code", path: "claude/workflows/own.js" },
])("$title is reported, and so is its change", async ({ path }) => {
  let changed = Promise.withResolvers<void>();
  watch = await watchWorkflowFiles(
    {
      projectDirectory: join(root, "project"),
      homeDirectory: join(root, "home/.atomic"),
      claudeConfigDirectory: join(root, "claude"),
      intervalMs: 1,
    },
    () => changed.resolve(),
  );
  const seen: string[] = [];
  for (const text of ["one", "two, longer"]) {
    changed = Promise.withResolvers();
    await write(path, text);
    await changed.promise;
    seen.push(text);
  }
  expect(seen).toEqual(["one", "two, longer"]);
});
