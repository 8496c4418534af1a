import { expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fingerprintFolder } from "./fingerprint-folder.ts";

test("a folder with very many folders is read in part: a workflow file can be in the home folder", async () => {
  const root = await mkdtemp(join(tmpdir(), "atomic-fingerprint-"));
  try {
    const folders = Array.from({ length: 1_100 }, (_, index) => join(root, String(index).padStart(4, "0")));
    await Promise.all(folders.map((folder) => mkdir(folder)));
    const start = await fingerprintFolder(root);
    await writeFile(join(root, "1099", "near.ts"), "");
    const near = await fingerprintFolder(root);
    await writeFile(join(root, "0000", "far.ts"), "");
    expect([near === start, (await fingerprintFolder(root)) === near]).toEqual([false, true]);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});
