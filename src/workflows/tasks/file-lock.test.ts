import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withFileLock } from "./file-lock.ts";

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "atomic-file-lock-"));
  path = join(folder, "lock");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("a lock is there during the work, and gone after it, also when the work fails", async () => {
  expect(await withFileLock({ path }, () => readdir(folder))).toEqual(["lock"]);
  expect(await readdir(folder)).toEqual([]);
  await expect(withFileLock({ path }, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await readdir(folder)).toEqual([]);
});

test("a lock that somebody took over during the work stays theirs", async () => {
  await withFileLock({ path }, () => writeFile(path, "theirs"));
  expect(await readFile(path, "utf8")).toBe("theirs");
});

test("a lock that somebody took over and released during the work is no failure of the work", async () => {
  expect(
    await withFileLock({ path }, async () => {
      await rm(path);
      return "done";
    }),
  ).toBe("done");
});
