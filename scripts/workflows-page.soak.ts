import { afterAll, beforeAll, expect, test } from "bun:test";
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { finding, ReviewProject } from "../src/cli/e2e/fixtures/review-project.ts";
import { createAtomicSandbox } from "./atomic-sandbox.ts";
import { bundlePackage } from "./bundle-package.ts";
import { followDocument, readDocument } from "./document-reader.ts";
import { parseMarkedFences } from "./marked-fences.ts";

const ROOT = join(import.meta.dirname, "..");
const PAGE = await readDocument("docs/workflows.md");
const WORKFLOW = ".atomic/workflows/fix.ts";
const TEST = "tests/fix.test.js";
const SCRIPT = ".claude/workflows/audit.js";
const SCRIPT_TEST = "tests/audit.test.js";

/** The text of a code block that a comment before it marks. */
function fence(marker: string): string {
  const found = parseMarkedFences(PAGE).find((block) => block.marker === marker);
  if (found === undefined) throw new Error(`docs/workflows.md has no code block "${marker}".`);
  return found.text;
}

/** The package as npm installs it: its bundles for Node, its sources for Bun. */
let installed = "";

beforeAll(async () => {
  // Below node_modules, so that its dependencies are found.
  installed = await mkdtemp(join(ROOT, "node_modules/.workflows-page-"));
  await Promise.all([
    bundlePackage(join(installed, "dist")),
    symlink(join(ROOT, "src"), join(installed, "src")),
    cp(join(ROOT, "package.json"), join(installed, "package.json")),
  ]);
}, 60_000);

afterAll(() => rm(installed, { recursive: true, force: true }));

test("the page's commands, run in order, print what it says", async () => {
  await using sandbox = await createAtomicSandbox();
  const identity = "git config user.name Reader && git config user.email reader@localhost";
  await sandbox.run(`git init -q . && ${identity} && git commit -q --allow-empty -m start`);
  let count = 0;
  for await (const { command, documented, output } of followDocument(sandbox, PAGE)) {
    expect({ command, output }).toEqual({ command, output: documented });
    count++;
  }
  expect(count).toBe(7);
}, 120_000);

// An old Node reads no TypeScript. The page says what to do: the text of the workflow is JavaScript.
const isNodeOld = Number(Bun.spawnSync(["node", "-p", "process.versions.node.split('.')[0]"]).stdout.toString()) < 24;

test.each([
  { runner: "node:test", command: "node --test", isJavaScript: isNodeOld, passed: /^# pass 3$/m },
  { runner: "bun:test", command: `${process.execPath} test tests/`, isJavaScript: false, passed: /^ 3 pass$/m },
  {
    runner: "vitest",
    command: `node ${join(ROOT, "node_modules/vitest/vitest.mjs")} run`,
    isJavaScript: false,
    passed: /Tests {2}3 passed/,
  },
])(
  "the page's tests pass in $runner",
  async ({ runner, command, isJavaScript, passed }) => {
    await using sandbox = await createAtomicSandbox();
    const name = (text: string): string => (isJavaScript ? text.replace("fix.ts", "fix.js") : text);
    const testOf = (path: string): string => fence(`file: ${path}`).replace('"node:test"', `"${runner}"`);
    await sandbox.write({
      [name(WORKFLOW)]: fence(`file: ${WORKFLOW}`),
      [TEST]: name(testOf(TEST)),
      [SCRIPT]: fence(`script: ${SCRIPT}`),
      [SCRIPT_TEST]: testOf(SCRIPT_TEST),
      "package.json": '{"type":"module"}',
    });
    await mkdir(join(sandbox.project, "node_modules/@bastani"), { recursive: true });
    await symlink(installed, join(sandbox.project, "node_modules/@bastani/atomic"));
    const { code, output } = await sandbox.run(`NO_COLOR=1 ${command}`);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(passed) });
  },
  60_000,
);

/** A step of the Actions file. */
interface ActionsStep {
  readonly name?: string;
  readonly run?: string;
}

test("the Actions file's review, in a clone without a terminal, fails for a finding and writes SARIF; the pipe prints it", async () => {
  const problem = finding(3, { severity: "high" });
  const project = await ReviewProject.create({ findings: { bugs: [problem] } });
  try {
    const { sandbox } = project;
    // The change is on a branch, of which CI has a clone.
    await sandbox.shell("git checkout -q -b change && git add -A && git commit -q -m change");
    await sandbox.shell("git clone -q . ../clone && cd ../clone && git checkout -q change && git fetch -q origin main");
    // The cast is true for a file of GitHub Actions: the steps are compared below.
    const file = parse(fence("actions")) as {
      readonly jobs: { readonly review: { readonly steps: readonly ActionsStep[] } };
    };
    const commands = file.jobs.review.steps.filter(({ run }) => run !== undefined);
    expect(commands.map(({ name }) => name)).toEqual(["Install Atomic", "Review"]);
    const review = commands[1]?.run ?? "";
    const runInClone = async (
      command: string,
    ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> => {
      const scripted = command
        .replace(" --agent claude", "")
        .replace("atomic review", "atomic review --agents alpha,beta --reviewers bugs");
      const env = { ...sandbox.env, CI: "true", GITHUB_BASE_REF: "main" };
      const cwd = join(sandbox.root, "clone");
      const child = Bun.spawn(["bash", "-e", "-o", "pipefail", "-c", scripted.replace(" --max-cost 2", "")], {
        cwd,
        env,
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      });
      const [code, stdout, stderr] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
      return { code, stdout, stderr };
    };
    const reviewed = await runInClone(review);
    expect({ code: reviewed.code, stdout: reviewed.stdout }).toEqual({ code: 1, stdout: "" });
    const sarif = JSON.parse(await readFile(join(sandbox.root, "clone/review.sarif"), "utf8"));
    expect(
      sarif.runs[0].results.map(
        ({ message }: { readonly message: { readonly text: string } }) => message.text.split("\n")[0],
      ),
    ).toEqual([expect.stringContaining("Problem 3")]);
    const piped = await runInClone(fence("pipe"));
    expect({ code: piped.code, stdout: piped.stdout }).toEqual({ code: 1, stdout: "high app.ts: Problem 3\n" });
  } finally {
    await project.sandbox.remove();
  }
}, 60_000);
