import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileUnusableError, MAX_FILE_BYTES, readBoundedFile } from "./read-bounded-file.ts";

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-read-")));
});
afterEach(() => rm(root, { recursive: true, force: true }));

test.each([
  { title: "nothing", text: "" },
  { title: "letters of several bytes", text: "ä€😀\n" },
  { title: "the most that is read", text: "x".repeat(MAX_FILE_BYTES) },
])("a file is read as it is, also by a link: $title", async ({ text }) => {
  await writeFile(join(root, "file"), text);
  await symlink("file", join(root, "link"));
  expect((await readBoundedFile(join(root, "link"))) === text).toBe(true);
});

test("an irregular or oversized file is an error that names it; nothing waits", async () => {
  const path = (name: string): string => join(root, name);
  execFileSync("mkfifo", [path("pipe")]);
  await mkdir(path("folder"));
  await symlink("/dev/zero", path("device"));
  await symlink("/dev/tty", path("terminal"));
  await writeFile(path("huge"), "x");
  await truncate(path("huge"), MAX_FILE_BYTES + 1);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path("socket"), resolve));
  const reasons = {
    pipe: "is not a regular file",
    folder: "is not a regular file",
    device: "is not a regular file",
    socket: "is not a regular file",
    huge: "is larger than 1048576 bytes",
  };
  try {
    for (const [name, reason] of Object.entries(reasons)) {
      const error = await readBoundedFile(path(name)).catch((caught: unknown) => caught);
      expect(error).toEqual(new FileUnusableError(path(name), reason));
      expect(String(error)).toContain(`${path(name)} ${reason}. Replace it with a file of text, or remove it.`);
    }
    expect(await readBoundedFile(path("terminal")).catch((error: unknown) => error)).toBeInstanceOf(Error);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});

test("a missing file and a cycle of links are the system's errors", async () => {
  await symlink("circle", join(root, "circle"));
  await expect(readBoundedFile(join(root, "missing"))).rejects.toThrow("ENOENT");
  await expect(readBoundedFile(join(root, "circle"))).rejects.toThrow("ELOOP");
});
