import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { GitSettingsUnknownError, overruleRepositoryPrograms } from "./repository-programs.ts";
import { untrustedEnvironment } from "./untrusted-environment.ts";

let root: string;
let project: string;
let own: Record<string, string>;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-git-")));
  project = join(root, "project");
  for (const folder of ["home", "project"]) await mkdir(join(root, folder));
  own = { PATH: process.env.PATH ?? "", HOME: join(root, "home"), GIT_CONFIG_NOSYSTEM: "1", ROOT: root };
  await writeFile(join(root, "home/.gitconfig"), "[user]\n\tname = x\n\temail = x@x\n");
  await writeFile(join(root, "evil"), `[diff]\n\texternal = ": > '${join(root, "ran")}'; true"\n`);
  // The branch "evil" has settings in a file that is harmless on "main".
  await run("git init -qb main && echo one > a.txt && : > tracked && git add . && git commit -qm first");
  await run('git checkout -qb evil && cp ../evil tracked && git commit -aqm "$(cat ../evil)" && git checkout -q main');
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function run(script: string, env: Readonly<Record<string, string>> = own): Promise<void> {
  const child = Bun.spawn(["sh", "-c", script], { cwd: project, env, stdout: "ignore", stderr: "pipe" });
  const [said, exitCode] = await Promise.all([child.stderr.text(), child.exited]);
  expect({ script, exitCode, said: exitCode === 0 ? "" : said }).toEqual({ script, exitCode: 0, said: "" });
}

/** The environment of an agent there, with the overrides of the repository's programs. */
async function untrusted(): Promise<Record<string, string>> {
  const place = { workingDirectory: project, projectDirectory: project };
  const env = untrustedEnvironment(own, place);
  const gitSettings = await overruleRepositoryPrograms({ workingDirectory: project, env });
  return untrustedEnvironment(own, { ...place, gitSettings });
}

const INCLUDE = "git config --file .git/config include.path";
const CHECKOUT = "git checkout -q evil";
const IN_FILE = 'the file that "include.path" includes may be changed later by agents or a checkout';

test.each([
  { title: "is in the working tree", plant: `${INCLUDE} ../tracked`, why: IN_FILE },
  { title: "is in the working tree by its whole name", plant: `${INCLUDE} "$ROOT/project/tracked"`, why: IN_FILE },
  { title: "a checkout makes", plant: `${INCLUDE} ../new`, change: "cp ../evil new", why: IN_FILE },
  {
    title: "a condition names, in the working tree",
    plant: 'git config --file .git/config "includeIf.gitdir:**.path" "$ROOT/project/tracked"',
    why: 'the file that "includeif.gitdir:**.path" includes may be changed',
  },
  {
    title: "is a link into the working tree",
    plant: `ln -s home/second ../first; ln -s ../project/tracked ../home/second; ${INCLUDE} "$ROOT/first"`,
    why: IN_FILE,
  },
  {
    title: "a link in the working tree leads to",
    plant: `ln -s ../outer link; : > ../outer; ${INCLUDE} "$ROOT/project/link"`,
    change: "ln -sf ../evil link",
    why: IN_FILE,
  },
  { title: "the home leads to by a link", plant: `ln -s "$PWD" ~/here; ${INCLUDE} "~/here/tracked"`, why: IN_FILE },
  {
    title: "the home leads to by a link and a step up from there",
    plant: `mkdir sub; ln -s "$PWD/sub" ~/current; ${INCLUDE} "~/current/../tracked"`,
    why: IN_FILE,
  },
  {
    title: "an outer file includes",
    plant: `git config --file ../outer include.path "$ROOT/project/tracked"; ${INCLUDE} "$ROOT/outer"`,
    why: IN_FILE,
  },
  {
    title: "is a commit's message",
    plant: `${INCLUDE} "$ROOT/project/.git/MERGE_MSG"`,
    change: "git cherry-pick --no-commit evil",
    why: IN_FILE,
  },
  {
    title: "has a mistake that may be mended",
    plant: `echo [ > new; ${INCLUDE} ../new`,
    change: "cp ../evil new",
    why: "bad config line 1 in file .git/../new",
  },
  {
    title: "the repository's own file leads to",
    plant: "cp .git/config tracked; git commit -aqm x; ln -sf ../tracked .git/config",
    why: "the settings in ROOT/project/.git may be changed later by agents or a checkout",
    change: "cat ../evil >> tracked",
  },
  {
    title: "is in a git folder of another name in the working tree",
    plant: "mv .git elsewhere; echo gitdir: elsewhere > .git",
    change: "cat ../evil >> elsewhere/config",
    why: "the settings in ROOT/project/elsewhere may be changed later by agents or a checkout",
  },
  {
    title: "is in a git folder that a link in the working tree points to",
    plant: "mkdir ../kept; mv .git ../kept/x; ln -s ../kept link; echo gitdir: link/x > .git",
    change: "cp -r ../kept ../other; cat ../evil >> ../other/x/config; rm link; ln -s ../other link",
    why: "the settings in ROOT/project/link/x may be changed later by agents or a checkout",
  },
  {
    title: "is in a common folder that a link in the working tree points to",
    plant: "cp -r .git ../kept; ln -s ../kept link; rm .git/config; echo ../link > .git/commondir",
    change: "cp -r ../kept ../other; cat ../evil >> ../other/config; rm link; ln -s ../other link",
    why: "the settings in ROOT/project/link may be changed later by agents or a checkout",
  },
  {
    title: "a submodule includes from the outer working tree",
    plant: `git clone -q . sub; git add sub 2>&1; cd sub; echo two > a.txt; ${INCLUDE} "$ROOT/project/tracked"`,
    change: `${CHECKOUT}; cd sub`,
    why: IN_FILE,
  },
])("an untrusted repository may not have settings in a file that $title", async ({ plant, change = CHECKOUT, why }) => {
  await run(plant);
  const env = await untrusted().catch((error: unknown) => error);
  expect(env).toBeInstanceOf(GitSettingsUnknownError);
  expect(String(env)).toContain(why.replace("ROOT", root));
  // What it would come to: nothing of this is listed as long as it is harmless.
  await run(`${change}; echo two > "$ROOT/project/a.txt"; git diff`);
  expect(existsSync(join(root, "ran"))).toBe(true);
});

test.each([
  { title: "an outer file", plant: `${INCLUDE} "$ROOT/evil"` },
  { title: "a file in the home", plant: `cp ../evil ~/evil; ${INCLUDE} "~/evil"` },
  {
    title: "a file in the home on a condition",
    plant: 'cp ../evil ~/evil; git config --file .git/config "includeIf.gitdir:**.path" "~/evil"',
  },
  {
    title: "a git folder elsewhere",
    plant: "cat ../evil >> .git/config; mv .git ../kept; echo gitdir: ../kept > .git",
  },
  { title: "a git folder that is a link", plant: "cat ../evil >> .git/config; mv .git ../kept; ln -s ../kept .git" },
  {
    title: "another working tree of the repository",
    plant: 'cat ../evil >> .git/config; mv ../project ../main; cd ../main; git worktree add -q "$ROOT/project" evil',
  },
])("the settings of $title are listed and overruled", async ({ plant }) => {
  await run(plant);
  project = join(root, "project");
  await run("echo two > a.txt; git diff", await untrusted());
  expect(existsSync(join(root, "ran"))).toBe(false);
  await run("git diff");
  expect(existsSync(join(root, "ran"))).toBe(true);
});
