import { afterEach, beforeEach, expect, test } from "bun:test";
import { Keys } from "../fixtures/keys.ts";
import { type Call, runIdIn, TestEnvironment } from "../fixtures/test-environment.ts";
import { GATE, GREET } from "../fixtures/workflow-files.ts";
import { formatLeftOut } from "./project-trust.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

const COPILOT = { preset: "copilot", ungated: true };

const UNGATED = `The agent "mine" decides about its tool calls itself (agents.mine.ungated); Atomic's policy applies only to what it asks.`;

/** What was said besides that the agent is ungated. */
function besides({ stderr }: { readonly stderr: string }): string {
  return stderr.replace(`${UNGATED}\n`, "");
}

/** An agent over ACP without a model, whose project settings are those of a known kind. */
async function describeAgent(settings: Readonly<Record<string, unknown>> = COPILOT): Promise<void> {
  const script = new URL("../fixtures/acp-agent.ts", import.meta.url).pathname;
  const agents = { mine: { command: process.execPath, args: [script], ...settings } };
  await environment.write({ "home/.atomic/config.json": JSON.stringify({ agent: "mine", agents }) });
}

const PLANTED = {
  "project/.git/HEAD": "",
  "project/.git/hooks/pre-commit": "",
  "project/.claude/settings.json": "{}",
  "project/.github/hooks/x.json": "{}",
  "project/.vscode/mcp.json": "{}",
};

const LINE =
  "Not loaded, because this project is not trusted: .github/hooks, .vscode/mcp.json, .git/hooks. Trust it with --trust.\n";

function inTerminal(...args: readonly string[]): Call {
  return environment.start(args, { isInteractive: true, isTTY: true, columns: 100, env: { NO_COLOR: "1" } });
}

test("the line names at most five files, and makes what their names hide visible", () => {
  expect(formatLeftOut(["a", "b\u202e", "c\nd", "d", "e", "f", "g"])).toBe(
    "Not loaded, because this project is not trusted: a, b\\u202e, c\\nd, d, e (2 more). Trust it with --trust.",
  );
});

test("-p says once what the agent would have loaded, and nothing of another agent's", async () => {
  await describeAgent();
  await environment.write(PLANTED);
  const text = await environment.atomic("-p", "hello");
  expect({ ...text, stderr: besides(text) }).toEqual({ exitCode: 0, stdout: "This is a.\n", stderr: LINE });
  const json = await environment.atomic("-p", "hello", "--json");
  expect(json.stderr).toBe("");
  expect(
    json.stdout
      .split("\n")
      .slice(0, 2)
      .map((line) => JSON.parse(line)),
  ).toContainEqual({
    type: "warning",
    message: LINE.trimEnd(),
  });
  const trusted = await environment.atomic("-p", "hello", "--trust");
  expect({ ...trusted, stderr: besides(trusted) }).toEqual({ exitCode: 0, stdout: "This is a.\n", stderr: "" });
  expect(besides(await environment.atomic("-p", "hello"))).toBe("");
});

test("a run says it once for all its nodes, and again when it is resumed without trust", async () => {
  await describeAgent();
  await environment.write(PLANTED);
  const twice = GREET.replace(
    "    .end()",
    '    .then(agentNode({ id: "again", name: "Again", buildMessage: () => "x" })).then(waitNode({ id: "gate", prompt: "?" })).end()',
  );
  await environment.write({ "home/.atomic/workflows/greet.ts": twice });
  const run = await environment.atomic("run", "greet");
  expect({ exitCode: run.exitCode, count: run.stderr.split("Not loaded").length - 1 }).toEqual({
    exitCode: 3,
    count: 1,
  });
  expect(run.stderr).toContain(LINE);
  const answer = await environment.atomic("runs", "answer", runIdIn(run.stdout), "yes", "--json");
  expect({ exitCode: answer.exitCode, stderr: answer.stderr }).toEqual({ exitCode: 0, stderr: "" });
});

test("--json of a run has it as a warning with the run's id", async () => {
  await describeAgent();
  await environment.write({ ...PLANTED, "home/.atomic/workflows/greet.ts": GREET });
  const { stdout, exitCode } = await environment.atomic("run", "greet", "--json");
  expect(exitCode).toBe(0);
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(events.filter(({ type, message }) => type === "warning" && message !== UNGATED)).toEqual([
    { type: "warning", runId: events[0].runId, at: expect.any(Number), message: LINE.trimEnd() },
  ]);
});

test.each([
  { title: "yes", keys: ["y"], trusted: true },
  { title: "no", keys: [Keys.enter], trusted: false },
])("in a terminal a person is asked once instead, also by -p: $title", async ({ keys, trusted }) => {
  await describeAgent();
  await environment.write(PLANTED);
  const call = inTerminal("-p", "hello");
  await call.stderr.waitFor("Do you trust");
  for (const name of [".github/hooks", ".vscode/mcp.json", ".git/hooks"]) expect(call.stderr.text).toContain(name);
  // The yes holds for all agents.
  expect(call.stderr.text).toContain(".claude/settings.json");
  for (const key of keys) call.stdin.write(key);
  const { exitCode, stdout, stderr } = await call.ended;
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "This is a.\n" });
  expect(stderr).not.toContain("Not loaded");
  const later = await environment.atomic("-p", "hello");
  expect(besides(later)).toBe(trusted ? "" : LINE);
});

test("whoever does not trust the project is not asked a second time for its workflow", async () => {
  await environment.write({ ...PLANTED, "project/.atomic/workflows/gate.ts": GATE });
  const call = inTerminal("run", "gate", "--agent", "scripted");
  await call.stderr.waitFor("Do you trust");
  call.stdin.write(Keys.enter);
  const { exitCode, stderr } = await call.ended;
  expect(exitCode).toBe(2);
  expect(stderr.split("◆  Do you trust").length - 1).toBe(1);
  expect(stderr).toContain("(PROJECT_UNTRUSTED)");
});

test("an agent that loads project settings whatever it is told does not start in a project that is not trusted", async () => {
  await describeAgent({ preset: "gemini" });
  await environment.write({ "project/.gemini/settings.json": "{}" });
  const refused = await environment.atomic("-p", "hello");
  expect({ ...refused }).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: [
      'error: The agent "mine" would load settings of this project, and you have not trusted the project yet:',
      "         - .gemini/settings.json",
      "       Look at them, then call again with --trust.",
      "       (PROJECT_UNTRUSTED)",
      "",
    ].join("\n"),
  });
  expect((await environment.atomic("-p", "hello", "--trust")).stderr).not.toContain("PROJECT_UNTRUSTED");
});

test("an agent that runs ungated is told of at each start", async () => {
  await describeAgent({ ungated: true });
  for (const _ of [1, 2]) expect((await environment.atomic("-p", "hello")).stderr).toBe(`${UNGATED}\n`);
  const json = await environment.atomic("-p", "hello", "--json");
  expect(JSON.parse(json.stdout.split("\n")[0] ?? "")).toEqual({ type: "warning", message: UNGATED });
});
