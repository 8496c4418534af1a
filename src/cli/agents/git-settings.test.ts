import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFile } from "node:child_process";
import { access, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { ALWAYS_SET, withGitSettings } from "./git-settings.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "atomic-git-settings-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("agents' git takes no folder of the project for a repository, whatever is in it", async () => {
  const repository = path.join(folder, "docs");
  const marker = path.join(folder, "marker");
  await mkdir(path.join(repository, "objects"), { recursive: true });
  await mkdir(path.join(repository, "refs"));
  await mkdir(path.join(repository, "tree"));
  await writeFile(path.join(repository, "HEAD"), "ref: refs/heads/main\n");
  const config = `[core]\nrepositoryformatversion = 0\nbare = false\nworktree = tree\nfsmonitor = "touch ${marker};:"\n`;
  await writeFile(path.join(repository, "config"), config);
  const env = { PATH: process.env.PATH ?? "", HOME: folder, GIT_CONFIG_NOSYSTEM: "1" };
  const status = async (variables: Record<string, string>) =>
    promisify(execFile)("git", ["-C", repository, "status"], { env: variables }).catch(() => undefined);

  await status(withGitSettings(env, ALWAYS_SET));
  await expect(access(marker)).rejects.toThrow("ENOENT");
  await status(env);
  await access(marker);
});

test("settings are added after the existing ones", () => {
  expect(withGitSettings({ A: "1", GIT_CONFIG_COUNT: "2" }, [["a.b", "c"]])).toEqual({
    A: "1",
    GIT_CONFIG_COUNT: "3",
    GIT_CONFIG_KEY_2: "a.b",
    GIT_CONFIG_VALUE_2: "c",
  });
  expect(withGitSettings({ GIT_CONFIG_COUNT: "x" }, [["a.b", "c"]])).toEqual({
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "a.b",
    GIT_CONFIG_VALUE_0: "c",
  });
});
