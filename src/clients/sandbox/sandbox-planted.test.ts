import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { runInSandbox } from "./fixtures/run-in-sandbox.ts";

const PATH = process.env.PATH ?? "";
const AUTHOR = ["-c", "user.name=A", "-c", "user.email=a@example.com"];

let root: string;
let project: string;
let marks: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), "atomic-planted-")));
  project = path.join(root, "project");
  marks = path.join(root, "marks");
  for (const name of ["home", "project", "marks"]) mkdirSync(path.join(root, name));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const env = () => ({ PATH, HOME: path.join(root, "home") });

const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync("git", [...AUTHOR, ...args], { cwd: folder, env: env(), encoding: "utf8", stdio: "pipe" });

/** What git reports when the user calls it afterwards. */
function statusAfterwards(folder: string): string {
  try {
    return git(folder, "status", "--short");
  } catch (error) {
    // execFile puts what git wrote into the error.
    return (error as { readonly stderr: string }).stderr;
  }
}

const runInside = (script: string): Promise<string> =>
  runInSandbox(`${script}\ntrue`, { workingDirectory: project, env: env(), sandbox: {} });

function makeRepository(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "file.txt"), "one\n");
  git(folder, "init", "-q", "-b", "main");
  git(folder, "add", ".");
  git(folder, "commit", "-qm", "one");
}

/** A setting that runs a command at the next status. */
const monitor = (): string => `core.fsmonitor "echo ran > ${marks}/ran; false"`;

const DEFINITIONS = [
  ...["prompts", "chatmodes", "agents", "skills", "instructions"].map((name) => `.github/${name}`),
  ".agents/skills",
  ...["agent", "agents", "command", "commands", "mode", "modes", "skill", "skills"].map((name) => `.opencode/${name}`),
  ...["agents", "commands", "skills", "tools", "workflows"].map((name) => `.atomic/${name}`),
  ...["agents", "commands", "skills"].map((name) => `.claude/${name}`),
];

test.each([
  { title: "missing", existing: [] },
  { title: "there", existing: DEFINITIONS },
  { title: "missing in existing folders", existing: [".github/workflows", ".opencode/themes"] },
])("folders of definitions stay as they are when they are $title", async ({ existing }) => {
  for (const name of existing) mkdirSync(path.join(project, name), { recursive: true });
  const before = readdirSync(project, { recursive: true }).sort();
  await runInside(
    DEFINITIONS.map((name) => `mkdir -p ${name}; echo planted > ${name}/x.md; mv ${name} moved; rm -rf moved`).join("\n"),
  );
  expect(readdirSync(project, { recursive: true }).sort()).toEqual(before);
});
