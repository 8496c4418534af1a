import { afterAll, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { PermissionRequest } from "../../../contracts/index.ts";
import { dependsOnProcess, namesOf, withRealNames } from "./real-names.ts";

const root = await realpath(await mkdtemp(path.join(tmpdir(), "atomic-names-")));
afterAll(() => rm(root, { recursive: true, force: true }));

const work = path.join(root, "work");
const secret = path.join(root, "secret.txt");
await mkdir(path.join(work, "src"), { recursive: true });
await mkdir(path.join(root, "elsewhere"));
await writeFile(secret, "x");
await symlink(secret, path.join(work, "link.txt"));
await symlink("../elsewhere", path.join(work, "linked"));
await symlink("../not-there-yet.txt", path.join(work, "dangling.txt"));
await symlink("circle-b", path.join(work, "circle-a"));
await symlink("circle-a", path.join(work, "circle-b"));
await symlink(work, path.join(root, "work-link"));

function inWork(name: string): string {
  return path.join(work, name);
}

describe("the names of a file", () => {
  test.each([
    { title: "a file without links has one", file: "src/a.txt", others: [] },
    { title: "a link has that of its target", file: "link.txt", others: ["secret.txt"] },
    { title: "a new file in a linked folder has that it will have", file: "linked/b.txt", others: ["elsewhere/b.txt"] },
    { title: "a link to nothing has that of what it would make", file: "dangling.txt", others: ["not-there-yet.txt"] },
    { title: "a link in a cycle leads nowhere", file: "circle-a", others: [] },
  ])("$title", async ({ file, others }) => {
    const expected = [inWork(file), ...others.map((name) => path.join(root, name))];
    expect(await namesOf(inWork(file), work)).toEqual(expected);
  });

  test("start from the working directory's own, though that is a link", async () => {
    const linked = path.join(root, "work-link");
    expect(await namesOf(path.join(linked, "src/a.txt"), linked)).toEqual([path.join(linked, "src/a.txt")]);
  });
});

describe("a request", () => {
  const read: PermissionRequest = {
    id: "1",
    sessionId: "s",
    kind: "read",
    toolName: "Read",
    title: "Read: link.txt",
    paths: ["link.txt"],
  };

  test("to read a link says where it leads", async () => {
    expect(await withRealNames(read, { workingDirectory: work })).toEqual({
      ...read,
      title: `Read: link.txt (leads to ${secret})`,
      paths: ["link.txt", secret],
    });
  });

  test.each([
    { title: "that leads nowhere else stays as it is", change: { paths: ["src/a.txt"] } },
    { title: "of another kind stays as it is", change: { kind: "shell", command: "cat link.txt" } as const },
  ])("$title", async ({ change }) => {
    const request = { ...read, ...change };
    expect(await withRealNames(request, { workingDirectory: work })).toBe(request);
  });
});

test("a path that leads through a place of each process is known, by itself or by links", async () => {
  await symlink("/proc/self/cwd", path.join(work, "own"));
  await symlink("own/src", path.join(work, "by-way"));
  await symlink("/dev/fd", path.join(work, "open"));
  for (const file of ["/proc/self/environ", "/proc/1/root/etc", "/dev/stdin", "/x/../dev/fd/3"]) {
    expect(await dependsOnProcess(file)).toBe(true);
  }
  for (const name of ["own/.env", "by-way/a.ts", "open/3", "by-way"]) {
    expect(await dependsOnProcess(path.join(work, name))).toBe(true);
  }
  for (const file of ["/proc/cpuinfo", "/dev/null", secret, path.join(work, "link.txt"), path.join(work, "circle-a")]) {
    expect(await dependsOnProcess(file)).toBe(false);
  }
});
