import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { runIdIn, TestEnvironment } from "../fixtures/test-environment.ts";

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

async function commitFiles(): Promise<void> {
  git("init", "-q", "-b", "main");
  await environment.writeProject({ "a.ts": "one\n" });
  git("add", "-A");
  git("commit", "-q", "-m", "start");
}

test("without changes there is nothing to review: exit code 0, and no agent starts", async () => {
  await commitFiles();
  const { exitCode, stdout, stderr } = await environment.atomic("review", "--agent", "scripted");
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: "Nothing to review: no uncommitted changes that can be reviewed.\n",
  });
  expect(environment.normalise(stderr)).toBe(
    "▶ review  run <run>\n✔ Read the changes  <ms>\ncompleted  review  run <run>  <ms>\nSession: <root>/home/.atomic/workflows/sessions/<run>\n",
  );
});

test.each(["t", "read"])("the tool file %s.ts of a project that is not trusted prevents no review", async (name) => {
  await commitFiles();
  const planted = 'await Bun.write("marker", "");\nexport default {};\n';
  await environment.writeProject({ "a.ts": "two\n", [`.atomic/tools/${name}.ts`]: planted });
  expect(await environment.atomic("review", "--agent", "scripted")).toMatchObject({
    exitCode: 0,
    stdout: "2 files reviewed (uncommitted changes): no findings.\n",
  });
  expect(await Bun.file(join(environment.project, "marker")).exists()).toBe(false);
});

test("only the report is on standard output, and a file can take it", async () => {
  await commitFiles();
  await environment.writeProject({ "a.ts": "two\n", "b.ts": "new\n" });
  const text = "2 files reviewed (uncommitted changes): no findings.\n";
  expect(await environment.atomic("review", "--agent", "scripted")).toMatchObject({ exitCode: 0, stdout: text });
  const written = await environment.atomic("review", "HEAD", "--agent", "scripted", "--output", "out.txt");
  expect(written).toMatchObject({ exitCode: 0, stdout: "" });
  expect(await readFile(join(environment.project, "out.txt"), "utf8")).toMatch(
    /^2 files reviewed \(changes since HEAD, commit [0-9a-f]{12}\): no findings\.\n$/,
  );
});

test("the file that the result is written to is not reviewed", async () => {
  await commitFiles();
  await environment.writeProject({ "a.ts": "two\n" });
  for (const _call of ["first", "second"]) {
    await environment.atomic("review", "--agent", "scripted", "--output", "out.txt");
    const text = await readFile(join(environment.project, "out.txt"), "utf8");
    expect(text).toBe("1 file reviewed (uncommitted changes): no findings.\n");
  }
});

test("the programs of the repository are determined once for the base and the changes", async () => {
  await commitFiles();
  const log = join(environment.root, "git.log");
  const program = join(environment.root, "bin", "git");
  await mkdir(dirname(program));
  const rest = process.env.PATH ?? "";
  await writeFile(program, `#!/bin/sh\necho "$*" >> '${log}'\nPATH='${rest}' exec git "$@"\n`, { mode: 0o755 });
  const env = { PATH: `${dirname(program)}:${rest}` };
  const { exitCode } = await environment.start(["review", "--agent", "scripted"], { env }).ended;
  const listings = (await readFile(log, "utf8")).split("\n").filter((line) => line.startsWith("config "));
  expect([exitCode, listings.length]).toEqual([0, 1]);
});

test("--json prints the events of the run, and the report is the output of the last one", async () => {
  await commitFiles();
  await environment.writeProject({ "a.ts": "two\n" });
  const { exitCode, stdout, stderr } = await environment.atomic("review", "--agent", "scripted", "--json");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const last = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
  expect(last).toMatchObject({ type: "run-end", output: { status: "reviewed", files: 1, isPassed: true } });
});

test.each([
  {
    args: ["--severity", "hig"],
    message: '--severity must be one of critical, high, medium, low, none, not "hig".',
  },
  { args: ["--format", "xml"], message: '--format must be one of text, markdown, json, sarif, not "xml".' },
  { args: ["--reviewers", "bgs"], message: 'There is no reviewer "bgs".' },
  { args: ["--reviewers", ","], message: "--reviewers names nobody." },
  { args: ["--agents", "cluade"], message: 'There is no agent "cluade".' },
  { args: ["--output", "missing/out.txt"], message: "--output missing/out.txt: there is no folder" },
  { args: [""], message: "The base is empty." },
  { args: ["mian"], message: 'There is no commit "mian" in this repository.' },
  { args: ["main", "--resume", "abcd"], message: "--resume continues a review as it was started." },
])("atomic review $args is a wrong call, and no run begins", async ({ args, message }) => {
  await commitFiles();
  const { exitCode, stdout, stderr } = await environment.atomic("review", ...args);
  expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 2, stdout: "", stderr: expect.stringContaining(message) });
  expect((await environment.store.list()).sessions).toEqual([]);
});

test("a folder without a repository is a wrong call", async () => {
  const { exitCode, stderr } = await environment.atomic("review", "--agent", "scripted");
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: [
      `error: ${environment.project} is not in a git working tree, so there are no changes to review (not a git repository (or any of the parent directories): .git).`,
      "       Run the review inside a repository.",
      "       (REVIEW_NO_WORK_TREE)",
      "",
    ].join("\n"),
  });
});

test("--resume takes runs of atomic review only", async () => {
  await environment.writeWorkflows({
    review: `import { graph, toolNode } from "@bastani/atomic/graph";
export default () => graph().start(toolNode({ id: "mine", execute: () => "mine" })).end().compile();
`,
  });
  await commitFiles();
  const own = await environment.atomic("run", "review");
  const runId = runIdIn(own.stdout);
  const { exitCode, stderr } = await environment.atomic("review", "--resume", runId);
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(`atomic runs resume ${runId}`) });
  // The command is the built-in one all the same.
  const built = await environment.atomic("review", "--agent", "scripted");
  expect(built.stderr).toContain(
    'note: This is the built-in review. There is another workflow named "review" here: atomic run review\n',
  );
  expect(built.stdout).toStartWith("Nothing to review");
});

test("--help of the workflow lists its inputs", async () => {
  const { stdout } = await environment.atomic("run", "review", "--help");
  const [, list = ""] = /^Inputs[^\n]*\n(.*?)^$/ms.exec(stdout) ?? [];
  expect([...list.matchAll(/^([a-z]+) /gm)].map(([, name]) => name)).toEqual(["base", "diff", "severity", "fix"]);
});

test.each(["json", "sarif", "markdown"])(
  "of a review that fails, --format %s has no prose on standard output",
  async (format) => {
    await commitFiles();
    await environment.writeProject({ "a.ts": "two\n" });
    await environment.write({
      "home/.atomic/config.json": JSON.stringify({ agents: { broken: { command: "/nonexistent" } } }),
    });
    const { exitCode, stdout, stderr } = await environment.atomic("review", "--agent", "broken", "--format", format);
    expect(exitCode).toBe(1);
    if (format === "json") {
      expect(JSON.parse(stdout)).toEqual({
        ...{ type: "error", runId: expect.any(String), code: expect.any(String), message: expect.any(String) },
      });
    } else expect(stdout).toBe("");
    expect(stderr).toContain("failed  review  run ");
  },
);
