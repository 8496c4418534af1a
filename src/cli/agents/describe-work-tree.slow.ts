import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { TestEnvironment } from "../fixtures/test-environment.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

function git(...args: readonly string[]): void {
  const env = { PATH: process.env.PATH ?? "", GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@localhost", ...args], {
    cwd: environment.project,
    env,
    stdio: "ignore",
  });
}

/** What is said before the run begins. */
async function notesOf(...args: readonly string[]): Promise<readonly string[]> {
  const { exitCode, stderr } = await environment.atomic("ralph", "Do it", "--agent", "scripted", ...args);
  expect(exitCode).toBe(0);
  return stderr.split("\n").slice(
    0,
    stderr.split("\n").findIndex((line) => line.startsWith("▶")),
  );
}

test("Ralph says that a folder is no git repository, and works there", async () => {
  expect(await notesOf()).toEqual([
    "note: this folder is no git repository, or none that git accepts: what agents change here cannot be taken back with git.",
  ]);
  const { stderr } = await environment.atomic("ralph", "Do it", "--agent", "scripted", "--json");
  expect(stderr).toBe("");
});

test("Ralph says that changes are not committed, and nothing where all are", async () => {
  git("init", "-q");
  await environment.write({ "project/a/a.txt": "a", "project/a/b.txt": "b" });
  expect(await notesOf()).toEqual([
    "note: this repository has changes that are not committed. Agents in worktrees lack them; agents in this folder may change them, and commit them with their own.",
  ]);
  git("add", "-A");
  git("commit", "-q", "-m", "start");
  expect(await notesOf()).toEqual([]);
});

test("Ralph says that git does not accept a repository, whatever git says about it", async () => {
  git("init", "-q");
  await environment.write({ "project/.git/config": "[core\n" });
  expect(await notesOf()).toEqual([
    "note: this folder is no git repository, or none that git accepts: what agents change here cannot be taken back with git.",
  ]);
});

test("looking for changes runs no program of the repository's", async () => {
  git("init", "-q");
  const planted = join(environment.root, "planted");
  const script = join(environment.project, "run.sh");
  await environment.write({ "project/run.sh": `touch ${planted}\n`, "project/.gitattributes": "* filter=x" });
  git("add", "-A");
  git("commit", "-q", "-m", "start");
  git("config", "core.fsmonitor", `sh ${script}`);
  git("config", "filter.x.clean", `sh ${script}`);
  await environment.write({ "project/run.sh": `touch ${planted} \n` });
  expect((await notesOf()).length).toBe(1);
  expect(existsSync(planted)).toBe(false);
});

test("looking for changes asks no remote for what a partial clone lacks", async () => {
  git("init", "-q");
  await environment.write({ "project/a.txt": "a" });
  git("add", "-A");
  git("commit", "-q", "-m", "start");
  const asked: string[] = [];
  using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => {
      asked.push(url);
      return new Response("no", { status: 404 });
    },
  });
  const settings = ["remote.origin.url", `${server.url}repository`, "remote.origin.promisor", "true"];
  for (let index = 0; index < settings.length; index += 2) git("config", ...settings.slice(index, index + 2));
  git("config", "extensions.partialClone", "origin");
  const tree = execFileSync("git", ["rev-parse", "HEAD^{tree}"], { cwd: environment.project, encoding: "utf8" }).trim();
  await rm(join(environment.project, ".git/objects", tree.slice(0, 2), tree.slice(2)), { force: true });
  await environment.atomic("ralph", "Do it", "--agent", "scripted");
  expect(asked).toEqual([]);
});
