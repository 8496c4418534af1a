import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { runIdIn, TestEnvironment } from "../fixtures/test-environment.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

function git(...args: readonly string[]): void {
  const env = { PATH: process.env.PATH ?? "", GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const identity = ["-c", "user.name=T", "-c", "user.email=t@localhost"];
  execFileSync("git", [...identity, ...args], { cwd: environment.project, env, stdio: "pipe" });
}

test("worktrees of a run that failed stay until the run is deleted", async () => {
  git("init", "-q", "-b", "main");
  git("commit", "-q", "--allow-empty", "-m", "start");
  const failed = await environment.atomic("ralph", "Do it", "--agent", "scripted", "--setup", "false");
  const id = runIdIn(failed.stdout);
  expect([failed.exitCode, failed.stdout]).toEqual([1, expect.stringContaining("The set-up command")]);
  const { removed, kept } = JSON.parse((await environment.atomic("runs", "gc", "--json")).stdout);
  expect([removed, kept[0].findings]).toEqual([
    [],
    [{ kind: "resumable", detail: `the run ${id} can be resumed, and would continue in it` }],
  ]);
  await environment.atomic("runs", "delete", id, "--force");
  expect((await environment.atomic("runs", "gc")).stdout).toBe(`removed  ${kept[0].name}\n`);
});
