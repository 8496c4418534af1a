import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { makeTemporaryFolder, removeTemporaryFolder } from "./temporary-folder.ts";

let root: string;
let before: string | undefined;

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), "atomic-sweep-")));
  before = process.env.TMPDIR;
  process.env.TMPDIR = root;
});
afterEach(async () => {
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
  await rm(root, { recursive: true, force: true });
});

test("the folder is its user's only, has its real path, and goes with what is in it", async () => {
  const link = `${root}-link`;
  await symlink(root, link);
  process.env.TMPDIR = link;
  const folder = await makeTemporaryFolder("test");
  await rm(link);
  expect([path.dirname(folder), (await stat(folder)).mode & 0o777]).toEqual([root, 0o700]);
  await writeFile(path.join(folder, "a"), "");
  await removeTemporaryFolder(folder);
  await removeTemporaryFolder(folder);
  expect(await readdir(root)).toEqual([]);
});

describe.skipIf(process.platform !== "linux")("a folder that is left", () => {
  /** Has a process of its own make a folder and be killed at once. */
  async function leave(): Promise<string> {
    const script = [
      `import { makeTemporaryFolder } from ${JSON.stringify(path.join(import.meta.dir, "temporary-folder.ts"))};`,
      'console.log(await makeTemporaryFolder("test"));',
      'process.kill(process.pid, "SIGKILL");',
    ].join("\n");
    const { stdout, signal } = spawnSync(process.execPath, ["-e", script], { env: { TMPDIR: root } });
    expect(signal).toBe("SIGKILL");
    return stdout.toString().trim();
  }

  test("by a killed process is removed by the next start; what its links lead to stays", async () => {
    const left = await leave();
    await mkdir(path.join(root, "precious"));
    await writeFile(path.join(root, "precious", "a"), "kept");
    await symlink(path.join(root, "precious"), path.join(left, "link"));
    const mine = await makeTemporaryFolder("test");
    const next = await makeTemporaryFolder("other");
    expect([existsSync(left), existsSync(mine), existsSync(next)]).toEqual([false, true, true]);
    expect(await readFile(path.join(root, "precious", "a"), "utf8")).toBe("kept");
  });

  test("by a process of that number which is not the one that runs now is removed", async () => {
    const mine = await makeTemporaryFolder("test");
    const older = mine.replace(/-(\d+)-(\w+)$/, (_text, start, end) => `-${Number(start) - 1}-${end}`);
    await rename(mine, older);
    await makeTemporaryFolder("test");
    expect(existsSync(older)).toBe(false);
  });

  test("by a process that another machine or container numbered, and what has such a name but is a link or a file, stays", async () => {
    const left = path.basename(await leave());
    const elsewhere = left.replace(/^(atomic-test)-[0-9a-f]{12}/, "$1-000000000000");
    await rename(path.join(root, left), path.join(root, elsewhere));
    await mkdir(path.join(root, "precious"));
    await symlink(path.join(root, "precious"), path.join(root, left));
    await writeFile(path.join(root, left.replace("test", "file")), "");
    await mkdir(path.join(root, "atomic-test-abc"));
    const names = await readdir(root);
    const next = await makeTemporaryFolder("test");
    expect((await readdir(root)).sort()).toEqual([...names, path.basename(next)].sort());
  });
});
