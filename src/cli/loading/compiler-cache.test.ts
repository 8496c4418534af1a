import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compilerCacheFor, compilerCacheOf } from "./compiler-cache.ts";

let root: string;
let home: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "atomic-compiled-"));
  home = join(root, ".atomic");
});
afterEach(() => rm(root, { recursive: true }));

const modeOf = async (...path: readonly string[]): Promise<number> => (await stat(join(home, ...path))).mode & 0o777;

test("the folder of compiled files is for its owner only, also where an earlier version has made it", async () => {
  const path = join(home, "cache", "compiled");
  for (const prepare of [
    () => mkdir(home),
    () => Promise.all([path, join(path, "..")].map((one) => chmod(one, 0o755))),
  ]) {
    await prepare();
    expect(compilerCacheOf(home)).toEqual({ BUN_RUNTIME_TRANSPILER_CACHE_PATH: path });
    expect([await modeOf("cache"), await modeOf("cache", "compiled")]).toEqual([0o700, 0o700]);
  }
});

test("without a folder of Atomic, or with a file in its place, nothing is kept anywhere", async () => {
  const nowhere = { BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" };
  expect([compilerCacheOf(home), await readdir(root)]).toEqual([nowhere, []]);
  await mkdir(home);
  await writeFile(join(home, "cache"), "");
  expect(compilerCacheOf(home)).toEqual(nowhere);
});

test("another process of Atomic has the folder, unless the user has set their own", async () => {
  await mkdir(home);
  const place = { workingDirectory: root, userHomeDirectory: root };
  expect(compilerCacheFor({ ...place, env: {} })).toEqual({
    BUN_RUNTIME_TRANSPILER_CACHE_PATH: join(home, "cache", "compiled"),
    ATOMIC_BUN_CACHE: "unset",
  });
  expect(compilerCacheFor({ ...place, env: { BUN_RUNTIME_TRANSPILER_CACHE_PATH: "/own" } })).toEqual({});
});
