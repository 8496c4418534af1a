import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { rejectionOf } from "../../../testkit/conformance/rejection-of.ts";
import { readTextFile, writeTextFile } from "./acp-files.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "atomic-acp-files-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("a text replaces a longer one, creates missing folders, and can be read again", async () => {
  const file = path.join(folder, "deep/er/a.txt");
  await writeTextFile(file, "the first text");
  await writeTextFile(file, "héllo");
  expect([await readTextFile(file), await readFile(file, "utf8")]).toEqual(["héllo", "héllo"]);
});

test("a pipe is neither read nor written, and does not block", async () => {
  const pipe = path.join(folder, "pipe");
  expect(Bun.spawnSync(["mkfifo", pipe]).exitCode).toBe(0);
  expect(String(await rejectionOf(readTextFile(pipe)))).toBe(`Error: ${pipe} is not a regular file`);
  expect(await rejectionOf(writeTextFile(pipe, "x"))).toMatchObject({ code: "ENXIO" });
});

test("a file over the size limit is not read", async () => {
  const file = path.join(folder, "large");
  await writeFile(file, "");
  await truncate(file, 64 * 1024 * 1024 + 1);
  expect(String(await rejectionOf(readTextFile(file)))).toBe(`Error: ${file} is larger than 67108864 bytes`);
});
