import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Git, READING } from "./git.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "atomic-git-"));
  execFileSync("git", ["init", "--quiet", folder], { env: env() });
  execFileSync("mkfifo", [join(folder, ".gitignore")]);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const env = () => ({ PATH: process.env.PATH ?? "", HOME: folder, GIT_CONFIG_NOSYSTEM: "1" });
const STATUS = ["status", "--porcelain"];

test("a git that waits for a named pipe ends after its time, and the error says what to look for", async () => {
  const git = await Git.open({ env: env() });
  await expect(git.run(STATUS, { ...READING, cwd: folder, timeoutMs: 200 })).rejects.toThrow(
    `"git status" was stopped in ${folder}, because it did not end in time. Look for a named pipe in place of a file that git reads, such as .gitignore.`,
  );
});

test("an abort ends a git that only reads", async () => {
  const controller = new AbortController();
  const git = await Git.open({ env: env(), signal: controller.signal });
  const reading = git.run(STATUS, { ...READING, cwd: folder });
  controller.abort(new Error("enough"));
  await expect(reading).rejects.toThrow("enough");
});
