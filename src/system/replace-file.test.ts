import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { renameDurably, replaceFile } from "./replace-file.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "atomic-write-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("a file is written whole, readable by its owner only, with no other file left", async () => {
  const path = join(folder, "session.json");
  await replaceFile(path, "first");
  await replaceFile(path, "second ✓");
  expect(await readFile(path, "utf8")).toBe("second ✓");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["session.json"]);
});

test("a file can have another mode, whatever the umask", async () => {
  const path = join(folder, "tasks.json");
  await replaceFile(path, "{}", { mode: 0o666 });
  expect((await stat(path)).mode & 0o777).toBe(0o666);
});

test("readers that look while many writers write never see a part of a text", async () => {
  const path = join(folder, "shared.json");
  const texts = Array.from({ length: 20 }, (_, index) => String(index).padStart(2, "0").repeat(50_000));
  await replaceFile(path, texts[0] ?? "");
  const seen = new Set<string>();
  const writers = texts.map((text) => replaceFile(path, text));
  for (let count = 0; count < 40; count++) seen.add(await readFile(path, "utf8"));
  await Promise.all(writers);
  expect([...seen].filter((text) => !texts.includes(text))).toEqual([]);
  expect(await readdir(folder)).toEqual(["shared.json"]);
});

test("a write that cannot be finished leaves the target and no temporary file", async () => {
  const path = join(folder, "taken");
  await mkdir(join(path, "inside"), { recursive: true });
  await expect(replaceFile(path, "text")).rejects.toThrow();
  expect(await readdir(folder)).toEqual(["taken"]);
});

test("bytes are written as they are", async () => {
  const path = join(folder, "journal");
  await replaceFile(path, Uint8Array.of(0, 255, 10));
  expect([...(await readFile(path))]).toEqual([0, 255, 10]);
});

test("the error that kept a file from being replaced is reported, not one of cleaning up", async () => {
  const path = join(folder, "session.json");
  await replaceFile(path, "old");
  const beforeReplace = async (): Promise<void> => {
    // A folder in the place of the temporary file cannot be removed like a file.
    const [name = ""] = (await readdir(folder)).filter((entry) => entry.endsWith(".tmp"));
    await rm(join(folder, name));
    await mkdir(join(folder, name));
    throw new Error("not now");
  };
  await expect(replaceFile(path, "new", { beforeReplace })).rejects.toThrow("not now");
  expect(await readFile(path, "utf8")).toBe("old");
});

test("a folder is renamed with what is in it, but not over one that has something in it", async () => {
  for (const name of ["draft", "other"]) await mkdir(join(folder, name, "logs"), { recursive: true });
  await renameDurably(join(folder, "draft"), join(folder, "done"));
  await expect(renameDurably(join(folder, "other"), join(folder, "done"))).rejects.toThrow();
  expect((await readdir(folder, { recursive: true })).sort()).toEqual(["done", "done/logs", "other", "other/logs"]);
});
