import { afterEach, beforeEach, expect, test } from "bun:test";
import { runIdIn, TestEnvironment } from "../fixtures/test-environment.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

const NO_PROMPT = [
  "error: Ralph needs to know what to do.",
  '       Say it: atomic ralph "Add a --json flag to the list command"',
  "       (USAGE)",
  "",
].join("\n");

const NOT_WITH_RESUME = [
  "error: --resume continues a run as it was started.",
  "       Leave out --verify, --workers, --setup, --agents, --no-review and --pr.",
  "       (USAGE)",
  "",
].join("\n");

const NO_COMMAND = [
  "error: --verify takes a command, and this one is empty.",
  "       Leave the option out to verify nothing.",
  "       (USAGE)",
  "",
].join("\n");

const wrong = (...lines: readonly string[]): string => `error: ${[...lines, "(USAGE)"].join("\n       ")}\n`;

const NO_SETUP = wrong(
  "--setup takes a command, and this one is empty.",
  "Leave the option out where worktrees need no set-up.",
);
const NO_WORKERS = wrong('--workers requires a whole number of at least 1, not "0".');
const NOBODY = wrong("--agents names nobody.", "Separate names with commas.");

test.each([
  { args: [], stderr: NO_PROMPT },
  { args: ["  "], stderr: NO_PROMPT },
  { args: ["--verify", "npm test"], stderr: NO_PROMPT },
  { args: ["Do it", "--verify", ""], stderr: NO_COMMAND },
  { args: ["Do it", "--verify", " "], stderr: NO_COMMAND },
  { args: ["x", "--resume", "abcd", "--workers", "2"], stderr: NOT_WITH_RESUME },
  { args: ["--resume", "abcd", "--no-review"], stderr: NOT_WITH_RESUME },
  { args: ["Do it", "--setup", " "], stderr: NO_SETUP },
  { args: ["Do it", "--workers", "0"], stderr: NO_WORKERS },
  { args: ["Do it", "--agents", ","], stderr: NOBODY },
  { args: ["--resume", "abcd", "--verify", "npm test"], stderr: NOT_WITH_RESUME },
])("atomic ralph $args is a wrong call", async ({ args, stderr }) => {
  expect(await environment.atomic("ralph", ...args)).toEqual({ exitCode: 2, stdout: "", stderr });
});

test("--verify becomes an input, and the result of the run contains its outcome", async () => {
  const call = ["loop", "Do it", "--agent", "scripted", "--verify", "test -e ../project"];
  const { exitCode, stdout, stderr } = await environment.atomic(...call);
  expect(exitCode).toBe(0);
  expect(stdout).toStartWith("completed  ralph  run ");
  expect(stderr).toContain("$ test -e ../project  exit code 0, ");
  expect((await environment.store.load(runIdIn(stdout))).input).toEqual({
    prompt: "Do it",
    verifyCommand: "test -e ../project",
    workers: 0,
    setupCommand: "",
    review: true,
    pullRequest: false,
  });
});

test("work that cannot be verified fails with the reason, and --resume continues after a repair by hand", async () => {
  const failed = await environment.atomic("ralph", "Do it", "--agent", "scripted", "--verify", "test -e repaired");
  expect(failed.exitCode).toBe(1);
  const id = runIdIn(failed.stdout);
  expect(failed.stdout).toContain(
    [
      'Failed in "conclude": These tasks are not done:',
      "  - a, a: failed: The work is not done: `test -e repaired` ended with exit code 1.",
      "    Cause: a",
      `The reports: ${environment.atomicHome}/workflows/sessions/${id}/debug-reports.json`,
      `Resume the run to try them again. You can correct the tasks before, in ${environment.atomicHome}/workflows/sessions/${id}/tasks.json.`,
      "",
    ].join("\n"),
  );
  expect(failed.stderr.split("$ test -e repaired  exit code 1, ")).toHaveLength(4);
  const unknown = await environment.atomic("ralph", "And that", "--resume", "nobody");
  expect(unknown.stderr).toStartWith('error: No run is named "nobody".');
  await environment.write({ "project/repaired": "" });
  const resumed = await environment.atomic("ralph", "And that\nas well", "--resume", id);
  expect(resumed.exitCode).toBe(0);
  expect(resumed.stdout).toStartWith(`completed  ralph  run ${id}`);
  expect(resumed.stdout).toEndWith(
    [
      "2 of 2 tasks done",
      "✔ a: a",
      "✔ extra-1: And that as well",
      "Verified: `test -e repaired` succeeded.",
      "Nothing was reviewed.",
      "",
    ].join("\n"),
  );
  const again = await environment.atomic("ralph", "More", "--resume", id);
  expect(again).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(`The run ${id} is completed.`) });
});

test("a further task is for a run of Ralph alone", async () => {
  await environment.writeWorkflows({ mine: OWN_RALPH });
  await environment.atomic("trust", "add", environment.project);
  const { stdout } = await environment.atomic("run", "mine");
  const other = await environment.atomic("ralph", "And that", "--resume", runIdIn(stdout));
  expect(other).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("is none of atomic ralph") });
});

test("the inputs of atomic run ralph are checked before a run begins", async () => {
  const { exitCode, stderr } = await environment.atomic("run", "ralph", "Do it", "--input", "workers=99");
  expect([exitCode, stderr.split("\n")[0]]).toEqual([2, expect.stringContaining("workers")]);
  expect((await environment.store.list()).sessions).toEqual([]);
});

test("a file that is not there is a wrong call, and no run begins", async () => {
  expect(await environment.atomic("ralph", "spec.md", "--agent", "scripted")).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: [
      `error: There is no file ${environment.project}/spec.md.`,
      "       Correct the path; to describe the work instead, use more than one word.",
      "       (RALPH_PROMPT_FILE_NOT_FOUND)",
      "",
    ].join("\n"),
  });
  expect((await environment.store.list()).sessions).toEqual([]);
});

test("without a verify command it says that nothing was verified", async () => {
  const unverified = "· Nothing was verified: there is no verify command (--verify COMMAND).\n";
  const without = await environment.atomic("ralph", "Do it", "--agent", "scripted");
  expect(without.stderr).toContain(unverified);
  const verified = await environment.atomic("ralph", "Do it", "--agent", "scripted", "--verify", "true");
  expect(verified.stderr).not.toContain(unverified);
});

test.each([
  {
    args: ["setup", "-a", "claude", "Fix it"],
    message: "Ralph needs no setup. Pass it the goal: atomic ralph 'Fix it'",
  },
  {
    args: ["setup"],
    message: "Ralph needs no setup. Pass it the goal: atomic ralph 'Add a --json flag to the list command'",
  },
  { args: ["Fix", "it"], message: "A prompt of several words needs quotes: atomic ralph 'Fix it'" },
  {
    args: ["setup", "$(touch x)"],
    message: "Ralph needs no setup. Pass it the goal: atomic ralph '$(touch x)'",
  },
])("atomic ralph $args is no call of Ralph", async ({ args, message }) => {
  const { exitCode, stderr } = await environment.atomic("ralph", ...args);
  expect({ exitCode, first: stderr.split("\n")[0] }).toEqual({ exitCode: 2, first: `error: ${message}` });
});

const OWN_RALPH = `import { graph, toolNode } from "@bastani/atomic/graph";
export default () => graph().start(toolNode({ id: "mine", execute: () => "" })).end().compile();
`;

test.each([
  { title: "trusted", isTrusted: true },
  { title: "untrusted", isTrusted: false },
])(
  "a workflow of that name in a $title project does not take the command over, nor its resume",
  async ({ isTrusted }) => {
    await environment.write({ "project/.atomic/workflows/ralph.ts": OWN_RALPH });
    if (isTrusted) await environment.atomic("trust", "add", environment.project);
    const failed = await environment.atomic("ralph", "Do it", "--agent", "scripted", "--verify", "test -e repaired");
    expect(failed.stderr).toContain(
      'note: This is the built-in Ralph. There is another workflow named "ralph" here: atomic run ralph\n',
    );
    expect(failed.stdout).toContain('Failed in "conclude"');
    await environment.write({ "project/repaired": "" });
    const resumed = await environment.atomic("runs", "resume", runIdIn(failed.stdout));
    expect({ exitCode: resumed.exitCode, stderr: resumed.stderr }).toMatchObject({ exitCode: 0 });
    const state = await environment.atomic("runs", "show", runIdIn(failed.stdout), "--state", "--json");
    expect(JSON.parse(state.stdout)).toMatchObject({ prompt: "Do it", isFinished: true });
  },
);

test("-a is short for --agent", async () => {
  const { exitCode, stdout } = await environment.atomic("ralph", "Do it", "-a", "scripted");
  expect([exitCode, stdout.split("  ", 2)]).toEqual([0, ["completed", "ralph"]]);
});

test("an empty prompt from a pipe is a wrong call", async () => {
  const call = environment.start(["ralph", "-", "--agent", "scripted", "--json"]);
  call.stdin.end("\n");
  const { exitCode, stdout } = await call.ended;
  expect([exitCode, JSON.parse(stdout).message]).toEqual([2, 'The prompt is empty. Say what to do: atomic ralph "…"']);
});
