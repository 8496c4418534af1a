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
  "       Leave out the prompt and --verify.",
  "       (USAGE)",
  "",
].join("\n");

const NO_COMMAND = [
  "error: --verify takes a command, and this one is empty.",
  "       Leave the option out to verify nothing.",
  "       (USAGE)",
  "",
].join("\n");

test.each([
  { args: [], stderr: NO_PROMPT },
  { args: ["  "], stderr: NO_PROMPT },
  { args: ["--verify", "npm test"], stderr: NO_PROMPT },
  { args: ["Do it", "--verify", ""], stderr: NO_COMMAND },
  { args: ["Do it", "--verify", " "], stderr: NO_COMMAND },
  { args: ["x", "--resume", "abcd"], stderr: NOT_WITH_RESUME },
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
  });
});

test("work that cannot be verified fails with the reason, and --resume continues after a repair by hand", async () => {
  const failed = await environment.atomic("ralph", "Do it", "--agent", "scripted", "--verify", "test -e repaired");
  expect(failed.exitCode).toBe(1);
  expect(failed.stdout).toContain(
    'Failed in "verify": The command `test -e repaired` still ends with exit code 1 after 3 attempts to repair it. Repair it by hand, then resume the run.\n',
  );
  expect(failed.stderr.match(/^. Verify the work.*(?= {2}\d)|^✖.*attempts/gmu)).toEqual([
    "✖ Verify the work: not passed",
    "✖ Verify the work #2: not passed",
    "✖ Verify the work #3: not passed",
    "✖ Verify the work #4: The command `test -e repaired` still ends with exit code 1 after 3 attempts",
  ]);
  const shown = (await environment.atomic("runs", "show", runIdIn(failed.stdout))).stdout;
  expect(shown.match(/^verify(?:#\d)? {2,}\w+(?: \w+)?/gm)).toEqual([
    "verify         not passed",
    "verify#2       not passed",
    "verify#3       not passed",
    "verify#4       failed",
  ]);
  await environment.write({ "project/repaired": "" });
  const resumed = await environment.atomic("ralph", "--resume", runIdIn(failed.stdout));
  expect(resumed.exitCode).toBe(0);
  expect(resumed.stdout).toStartWith(`completed  ralph  run ${runIdIn(failed.stdout)}`);
});

test("a file that is not there is a wrong call, and no run begins", async () => {
  expect(await environment.atomic("ralph", "spec.md", "--agent", "scripted")).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: [
      `error: There is no file ${environment.project}/spec.md.`,
      "       Correct the path, or say in more than one word what to do.",
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
    expect(failed.stdout).toContain('Failed in "verify"');
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
