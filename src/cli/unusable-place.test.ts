import { expect, test } from "bun:test";
import { JournalReadError } from "../graph/index.ts";
import { DiskFullError, explainSystemError, HomeUnusableError } from "./unusable-place.ts";
import { WorkingTreeLockError } from "./working-tree/working-tree-lock.ts";

function systemError(code: string, path?: string): Error {
  return Object.assign(new Error(`${code}: went wrong`), { code, ...(path === undefined ? {} : { path }) });
}

test.each([
  {
    title: "a full disk, wherever it is",
    error: systemError("ENOSPC"),
    expected: [DiskFullError, "The disk is full: ENOSPC: went wrong. Make room, then call again."],
  },
  {
    title: "a read-only home",
    error: systemError("EROFS", "/home/me/.atomic/trusted-projects.json"),
    expected: [
      HomeUnusableError,
      'Atomic cannot use its folder "/home/me/.atomic": EROFS: went wrong. Make it a folder that you may write to, or set ATOMIC_HOME to another one.',
    ],
  },
])("a system error is explained in words: $title", ({ error, expected: [type, message] }) => {
  const explained = explainSystemError(error, "/home/me/.atomic");
  expect(explained).toBeInstanceOf(type);
  expect(explained).toMatchObject({ message, cause: error });
});

test.each([
  { title: "about another place", error: systemError("EROFS", "/home/me/.atomicity/x") },
  { title: "of another kind", error: systemError("ECONNREFUSED", "/home/me/.atomic/x") },
  { title: "not of the system", error: new Error("boom") },
])("another error is left as it is: $title", ({ error }) => {
  expect(explainSystemError(error, "/home/me/.atomic")).toBe(error);
});

test.each([
  { error: systemError("ENOSPC"), reason: "ENOSPC: went wrong" },
  { error: Object.assign(new Error("disk full"), { code: "SQLITE_FULL" }), reason: "disk full" },
  { error: new Error("database or disk is full"), reason: "database or disk is full" },
])("a full disk is named after Atomic's folder where that is full: $reason", ({ error, reason }) => {
  expect(explainSystemError(error, "/home/.atomic", () => 4_096)).toEqual(
    new DiskFullError(`Atomic's folder "/home/.atomic" has no room (${reason})`, { cause: error }),
  );
});

test("the lock of a working tree is not broken where the disk is full", () => {
  const cause = new Error("database or disk is full");
  const error = new WorkingTreeLockError("/home/.atomic/working-trees/a.lock", { cause });
  const path = "/home/.atomic/working-trees/a.lock";
  expect(explainSystemError(error, "/home/.atomic")).toEqual(
    new DiskFullError(`the lock of the working tree, ${path}, cannot be used (${cause.message})`, { cause: error }),
  );
  const broken = new WorkingTreeLockError(path, { cause: new Error("file is not a database") });
  expect(explainSystemError(broken, "/home/.atomic")).toBe(broken);
});

test("a journal that cannot be read is explained by a full disk, where it is full", () => {
  const error = new JournalReadError("0run", { cause: new Error("disk I/O error") });
  expect(explainSystemError(error, "/home/.atomic", () => 4_096)).toEqual(
    new DiskFullError('the journal of the run "0run" cannot be read (disk I/O error)', { cause: error }),
  );
  expect(explainSystemError(error, "/home/.atomic", () => 1_000_000)).toBe(error);
});
