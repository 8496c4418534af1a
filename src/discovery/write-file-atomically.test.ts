import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeFileAtomically } from "./write-file-atomically.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "atomic-write-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("a file is written whole, readable by its owner only, and nothing else stays behind", async () => {
  const path = join(folder, "session.json");
  await writeFileAtomically(path, "first");
  await writeFileAtomically(path, "second ✓");
  expect(await readFile(path, "utf8")).toBe("second ✓");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["session.json"]);
});

test("another mode can be asked for, whatever the umask says", async () => {
  const path = join(folder, "tasks.json");
  await writeFileAtomically(path, "{}", { mode: 0o666 });
  expect((await stat(path)).mode & 0o777).toBe(0o666);
});

test("readers that look while many writers write never see a part of a text", async () => {
  const path = join(folder, "shared.json");
  const texts = Array.from({ length: 20 }, (_, index) => String(index).padStart(2, "0").repeat(50_000));
  await writeFileAtomically(path, texts[0] ?? "");
  const seen = new Set<string>();
  const writers = texts.map((text) => writeFileAtomically(path, text));
  for (let count = 0; count < 40; count++) seen.add(await readFile(path, "utf8"));
  await Promise.all(writers);
  expect([...seen].filter((text) => !texts.includes(text))).toEqual([]);
  expect(await readdir(folder)).toEqual(["shared.json"]);
});

test("a write that cannot be finished leaves the target and no temporary file", async () => {
  const path = join(folder, "taken");
  await mkdir(join(path, "inside"), { recursive: true });
  await expect(writeFileAtomically(path, "text")).rejects.toThrow();
  expect(await readdir(folder)).toEqual(["taken"]);
});
