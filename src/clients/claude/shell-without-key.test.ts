import { afterAll, expect, test } from "bun:test";
import { mkdtemp, open, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { shellWithoutKeyPath, writeShellWithoutKey } from "./shell-without-key.ts";

const folder = await mkdtemp(path.join(tmpdir(), "atomic-shell-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

test("a shell that is reading the program meanwhile reads the old one to its end", async () => {
  const file = shellWithoutKeyPath(folder);
  await writeShellWithoutKey(folder);
  const reading = await open(file);
  const before = await reading.stat();
  await Promise.all([writeShellWithoutKey(folder), writeShellWithoutKey(folder)]);
  const after = await stat(file);
  expect([after.ino === before.ino, after.mode & 0o777]).toEqual([false, 0o700]);
  expect(await reading.readFile("utf8")).toBe(await readFile(file, "utf8"));
  await reading.close();
  expect(await readdir(path.dirname(file))).toEqual(["shell-without-key"]);
});
