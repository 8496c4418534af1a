import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Git } from "./git.ts";
import { readRepository } from "./repository.ts";

test("a branch has its name also where a tag is called the same", async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), "atomic-repository-")));
  try {
    const env = { PATH: process.env.PATH ?? "", HOME: root, GIT_CONFIG_NOSYSTEM: "1" };
    const run = (...args: readonly string[]): string =>
      execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@localhost", ...args], {
        cwd: root,
        env,
      }).toString();
    run("init", "-q", "-b", "main");
    run("commit", "-q", "--allow-empty", "-m", "start");
    run("tag", "main");
    const head = run("rev-parse", "HEAD").trim();
    expect(await readRepository(await Git.open({ env }), root)).toEqual({
      project: root,
      root,
      subfolder: "",
      commonDir: join(root, ".git"),
      head,
      branch: "main",
    });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});
