import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NotJsonError, writeJsonAtomically } from "./atomic-write.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "atomic-json-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test.each([
  { title: "an object", value: { a: [1] }, text: '{\n  "a": [\n    1\n  ]\n}\n' },
  { title: "nothing", value: undefined, text: "null\n" },
  { title: "a function", value: () => 1, text: "null\n" },
])("$title is written as JSON for its owner only", async ({ value, text }) => {
  const path = join(folder, "value.json");
  await writeJsonAtomically(path, value);
  expect(await readFile(path, "utf8")).toBe(text);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("a value that is no JSON is an error that names the file, which stays away", async () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  const path = join(folder, "value.json");
  const writing = writeJsonAtomically(path, circle);
  await expect(writing).rejects.toBeInstanceOf(NotJsonError);
  await expect(writing).rejects.toThrow(`What was to be written to ${path} cannot be written as JSON: `);
  expect(await readdir(folder)).toEqual([]);
});
