import { afterEach, beforeEach, expect, test } from "bun:test";
import { createRedactor, StructuredOutputError } from "../contracts/index.ts";
import { TestEnvironment } from "./fixtures/test-environment.ts";
import { TextStream } from "./fixtures/text-stream.ts";
import { FLAKY, GREET } from "./fixtures/workflow-files.ts";
import { reportError } from "./run-cli.ts";
import { VERSION } from "./version.ts";

const redactor = createRedactor();

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

test("--help lists the commands, the first steps and the exit codes", async () => {
  const { exitCode, stdout, stderr } = await environment.atomic("--help");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toStartWith("Usage: atomic [options] [command]\n\nRun the coding agents you already have");
  const list = stdout.slice(stdout.indexOf("\nCommands:"), stdout.indexOf("\nFirst steps:"));
  const commands = [...list.matchAll(/^ {2}([a-z]+)[| [<]/gm)].map(([, name]) => name);
  expect(commands).toEqual([
    ...[
      "run",
      "ralph",
      "review",
      "write",
      "runs",
      "notify",
      "workflows",
      "doctor",
      "install",
      "init",
      "config",
      "agents",
      "skills",
    ],
    ...["commands", "tools", "hooks", "permissions", "trust", "migrate", "telemetry", "demo", "completions", "help"],
  ]);
  expect(stdout).toEndWith(
    [
      "First steps:",
      "  atomic                           chat with an agent",
      "  atomic doctor                    check what is installed",
      "  atomic demo                      watch a run that needs no account",
      '  atomic -p "Explain this folder"  ask an agent',
      '  atomic ralph "Fix the tests"     have an agent plan and do the work',
      "",
      "Exit codes:",
      "  0    done",
      "  1    failed",
      "  2    usage error: an invalid option, name or file",
      "  3    a run is waiting for an answer: atomic runs answer",
      "  130  cancelled or paused",
      "",
    ].join("\n"),
  );
});

test("a list of commands names their arguments as their own help does", async () => {
  const { stdout } = await environment.atomic("runs", "--help");
  expect(stdout).toMatch(/^ {2}answer \[options\] <run> <answer> /m);
  expect((await environment.atomic("runs", "answer", "--help")).stdout).toStartWith(
    "Usage: atomic runs answer [options] <run> <answer>\n",
  );
});

test.each([
  "run",
  "ralph",
  "runs",
  "runs list",
  "runs show",
  "runs resume",
  "runs answer",
  "runs cancel",
  "workflows",
  "workflows list",
  "doctor",
  "demo",
  "permissions forget",
  "trust",
  "trust add",
])("atomic %s has help of its own, which nothing runs for", async (command) => {
  const { exitCode, stdout, stderr } = await environment.atomic(...command.split(" "), "--help");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toStartWith(`Usage: atomic ${command.replace("ralph", "ralph|loop")} [options]`);
  expect(stdout).not.toContain("(default: [])");
});

test.each(["--version", "-V"])("%s prints the version and nothing else", async (flag) => {
  expect(await environment.atomic(flag)).toEqual({ exitCode: 0, stdout: `${VERSION}\n`, stderr: "" });
});

test.each([{ args: [] }, { args: ["runs"] }, { args: ["workflows"] }])(
  "$args alone shows its help on stderr",
  async ({ args }) => {
    const { exitCode, stdout, stderr } = await environment.atomic(...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toStartWith(`Usage: ${["atomic", ...args].join(" ")} [options] [command]\n`);
  },
);

test.each([
  { args: ["rn"], message: "unknown command 'rn'", hint: "(Did you mean run?)" },
  { args: ["runs", "lsit"], message: "unknown command 'lsit'", hint: "(Did you mean list?)", call: "atomic runs" },
  ...[
    { args: ["logs", "2qnf"], meant: "atomic runs show 2qnf --log" },
    { args: ["log"], meant: "atomic runs show RUN --log" },
    { args: ["status", "2qnf"], meant: "atomic runs show 2qnf" },
    { args: ["rm", "2qnf"], meant: "atomic runs delete 2qnf" },
    { args: ["stop", "2qnf"], meant: "atomic runs cancel 2qnf" },
    { args: ["kill", "2qnf"], meant: "atomic runs cancel 2qnf --force" },
    { args: ["replay"], meant: "atomic runs fork RUN --at 1, or for a recording atomic run WORKFLOW --replay FILE" },
  ].map(({ args, meant }) => ({
    args: ["runs", ...args],
    message: `unknown command '${args[0]}'`,
    hint: `(Did you mean ${meant}?)`,
    call: "atomic runs",
  })),
  { args: ["logs", "2qnf"], message: "unknown command 'logs'", hint: "(Did you mean atomic runs show 2qnf --log?)" },
  { args: ["chat"], message: "unknown command 'chat'", hint: "(Did you mean atomic, which opens the chat?)" },
  {
    args: ["ralph", "--max-iterations", "3", "Do it"],
    message: "unknown option '--max-iterations'",
    hint: "(Limit its tasks with: atomic run ralph PROMPT --config maxIterations=N; its tokens and its cost with --max-tokens and --max-cost)",
    call: "atomic ralph",
  },
  {
    args: ["ralph", "x", "--plan"],
    message: "unknown option '--plan'",
    hint: "(Print the steps without starting them: atomic run ralph PROMPT --plan)",
    call: "atomic ralph",
  },
  {
    args: ["run", "greet", "--jsn"],
    message: "unknown option '--jsn'",
    hint: "(Did you mean --json?)",
    call: "atomic run",
  },
  {
    args: ["fix the tests"],
    message: "unknown command 'fix the tests'",
    hint: "(To send it to an agent: atomic -p 'fix the tests')",
  },
  {
    args: ["fix", "the", "tests"],
    message: "unknown command 'fix'",
    hint: "(To send it to an agent: atomic -p 'fix the tests')",
  },
  { args: ["hlep"], message: "unknown command 'hlep'", hint: "(Did you mean help?)" },
  { args: ["agent", "list"], message: "unknown command 'agent'", hint: "(Did you mean agents?)" },
  { args: ["version"], message: "unknown command 'version'", hint: "(Did you mean --version?)" },
  {
    args: ["--model", "x"],
    message: '--model needs a message or a command: atomic -p "…" --model <model>',
    hint: undefined,
  },
  { args: ["frobnicate"], message: "unknown command 'frobnicate'", hint: undefined },
  {
    args: ["run"],
    message: "missing required argument 'workflow'",
    hint: "(List the workflows: atomic workflows list)",
    call: "atomic run",
  },
  { args: ["runs", "answer"], message: "missing required argument 'run'", hint: undefined, call: "atomic runs answer" },
  { args: ["resume", "2qnf"], message: "unknown command 'resume'", hint: "(Did you mean atomic runs resume 2qnf?)" },
  {
    args: ["list"],
    message: "unknown command 'list'",
    hint: "(Did you mean atomic runs list, or atomic workflows list, or atomic config list, or atomic agents list, or atomic skills list, or atomic commands list, or atomic tools list, or atomic hooks list, or atomic permissions list, or atomic trust list?)",
  },
  {
    args: ["show", "me", "the", "code"],
    message: "unknown command 'show'",
    hint: "(To send it to an agent: atomic -p 'show me the code')",
  },
  {
    args: ["run", "poem", "the", "old", "lake"],
    message: "A prompt of several words needs quotes: atomic run poem 'the old lake'",
    hint: undefined,
    call: "atomic run",
  },
  {
    args: ["run", "greet", "--agent"],
    message: "option '-a, --agent <name>' argument missing",
    hint: undefined,
    call: "atomic run",
  },
  {
    args: ["run", "my poem", "don't", "$(touch", "x)"],
    message: `A prompt of several words needs quotes: atomic run 'my poem' 'don'\\''t $(touch x)'`,
    hint: undefined,
    call: "atomic run",
  },
  {
    args: ["$(touch", "x)"],
    message: "unknown command '$(touch'",
    hint: "(To send it to an agent: atomic -p '$(touch x)')",
  },
  {
    args: ["resume", "$(touch x)"],
    message: "unknown command 'resume'",
    hint: "(Did you mean atomic runs resume '$(touch x)'?)",
  },
  {
    args: ["runs", "list", "extra"],
    message: "too many arguments for 'list'. Expected 0 arguments but got 1.",
    hint: undefined,
    call: "atomic runs list",
  },
  {
    args: ["loop", "Fix", "it"],
    message: "A prompt of several words needs quotes: atomic ralph 'Fix it'",
    hint: undefined,
    call: "atomic ralph",
  },
])(
  "a wrong call says what is wrong and what was perhaps meant: $args",
  async ({ args, message, hint, call = "atomic" }) => {
    const lines = [`error: ${message}`, ...(hint === undefined ? [] : [hint]), `(see: ${call} --help)`, ""];
    expect(await environment.atomic(...args)).toEqual({ exitCode: 2, stdout: "", stderr: lines.join("\n") });
  },
);

test.each([
  {
    args: ["--agent", "scripted", "run", "ralph", "x"],
    message: "--agent before the command 'run' has no effect. Put it after the command: atomic run … --agent",
  },
  {
    args: ["--deny", "shell", "permissions", "why", "ls"],
    message:
      "--deny before the command 'permissions' has no effect. Put it after the command: atomic permissions … --deny",
  },
  {
    args: ["--no-color", "runs", "list"],
    message: "--no-color before the command 'runs' has no effect. Put it after the command: atomic runs … --no-color",
  },
  {
    args: ["--json", "doctor"],
    message: "--json before the command 'doctor' has no effect. Put it after the command: atomic doctor … --json",
    isJson: true,
  },
  {
    args: ["--agent", "scripted", "-p", "Why", "doctor", "fails"],
    message: `--prompt before the command 'doctor' has no effect. A message of several words needs quotes: atomic -p 'Why doctor …'`,
  },
  {
    args: ["-p", "hello", "world"],
    message: "A message of several words needs quotes: atomic -p 'hello world …'",
  },
])("options that no command would receive are rejected: $args", async ({ args, message, isJson = false }) => {
  const line = `${JSON.stringify({ type: "error", runId: null, code: "USAGE", message })}\n`;
  expect(await environment.atomic(...args)).toEqual(
    isJson
      ? { exitCode: 2, stdout: line, stderr: "" }
      : { exitCode: 2, stdout: "", stderr: `error: ${message}\n(see: atomic --help)\n` },
  );
});

test.each([
  { args: ["rn", "--json"], message: "unknown command 'rn' (Did you mean run?)" },
  {
    args: ["run", "--json"],
    message: "missing required argument 'workflow' (List the workflows: atomic workflows list)",
  },
  { args: ["runs", "list", "--json", "--x"], message: "unknown option '--x'" },
])("with --json a wrong call is one line of JSON: $args", async ({ args, message }) => {
  const { exitCode, stdout, stderr } = await environment.atomic(...args);
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: "" });
  expect(stdout.split("\n")).toHaveLength(2);
  expect(JSON.parse(stdout)).toEqual({ type: "error", runId: null, code: "USAGE", message });
});

test("control sequences in the arguments are not echoed", async () => {
  const { stderr } = await environment.atomic("r\u001b]0;x\u0007\u001b[2Jx\u202e");
  expect(stderr).toStartWith("error: unknown command 'rx'\n");
});

test("an unexpected error is printed with how to see its stack; as JSON it is one line", () => {
  const report = (args: readonly string[], env: Readonly<Record<string, string>>): readonly [string, string] => {
    const [stdout, stderr] = [new TextStream(), new TextStream()];
    reportError(
      { args, env, redactor, stdout, stderr },
      Object.assign(new Error("boom"), { stack: "Error: boom\n    at x" }),
    );
    return [stdout.text, stderr.text];
  };
  const hint = "       This is unexpected. Set ATOMIC_DEBUG=1 to print the stack.\n";
  expect(report([], {})).toEqual(["", `error: boom\n${hint}`]);
  expect(report([], { ATOMIC_DEBUG: "1" })).toEqual(["", "error: boom\nError: boom\n    at x\n"]);
  expect(report(["--json"], {})).toEqual(['{"type":"error","runId":null,"code":"UNEXPECTED","message":"boom"}\n', ""]);
});

test("an error that is printed has no secret of the settings", async () => {
  const key = "zq8-Wm4Kt2Vx9LbN";
  const endpoint = { protocol: "openai-chat", baseUrl: "https://acme.example", apiKey: key, models: [{ id: "m" }] };
  const config = { agents: { claude: { endpoint } } };
  await environment.writeWorkflows({ greet: GREET });
  await environment.write({ "home/.atomic/config.json": JSON.stringify(config) });
  const { stderr } = await environment.atomic("run", "greet", "--agent", key);
  expect(stderr).toContain("[redacted:user.agents.claude.endpoint.apiKey]");
  expect(stderr).not.toContain(key);
});

test("an expected error has a stack only with ATOMIC_DEBUG", async () => {
  const quiet = await environment.atomic("run", "nothing");
  expect(quiet.stderr).not.toContain("    at ");
  const { stderr } = await environment.start(["run", "nothing"], { env: { ATOMIC_DEBUG: "1" } }).ended;
  expect(stderr).toStartWith(quiet.stderr);
  expect(stderr).toContain("    at ");
});

test.each([
  { title: "a pipe", args: [], isTTY: false, env: {}, isColoured: false },
  { title: "a terminal", args: [], isTTY: true, env: {}, isColoured: true },
  { title: "--no-color", args: ["--no-color"], isTTY: true, env: {}, isColoured: false },
  { title: "NO_COLOR", args: [], isTTY: true, env: { NO_COLOR: "1" }, isColoured: false },
  { title: "FORCE_COLOR in a pipe", args: [], isTTY: false, env: { FORCE_COLOR: "1" }, isColoured: true },
])("colours with $title: $isColoured", async ({ args, isTTY, env, isColoured }) => {
  await environment.writeWorkflows({ greet: GREET });
  const call = environment.start(["run", "greet", "--agent", "scripted", ...args], { isTTY, env });
  const { stdout, stderr } = await call.ended;
  expect(stdout.includes("\u001b[32mcompleted\u001b[39m")).toBe(isColoured);
  expect(stderr.includes("\u001b[32m✔\u001b[39m")).toBe(isColoured);
});

test("ATOMIC_HOME moves everything that is kept", async () => {
  await environment.writeWorkflows({ flaky: FLAKY });
  const call = environment.start(["workflows", "list", "--trust"], { env: { ATOMIC_HOME: "../other" } });
  expect((await call.ended).exitCode).toBe(0);
  expect(JSON.parse(await environment.read("other/trusted-projects.json"))).toMatchObject({
    projects: [{ path: environment.project }],
  });
});

test.each([
  { args: ["runs", "list"] },
  { args: ["workflows", "list"] },
  { args: ["doctor"] },
  { args: ["permissions", "list"] },
  { args: ["trust", "list"] },
])("every command takes --no-color: $args", async ({ args }) => {
  const { exitCode, stderr } = await environment.atomic(...args, "--no-color");
  expect({ isUsage: exitCode === 2, stderr }).toEqual({ isUsage: false, stderr: "" });
});

test.each([
  { title: "whole", content: '{"isDone":\u001b[2J 5}', shown: '{"isDone": 5}' },
  { title: "cut when it is long", content: "x".repeat(3_000), shown: `${"x".repeat(2_000)} …` },
])("an answer that does not fit its schema is shown: $title", ({ content, shown }) => {
  const [stdout, stderr] = [new TextStream(), new TextStream()];
  const error = new StructuredOutputError("claude", ["isDone: It must be yes or no"], content);
  reportError({ args: ["-p", "x"], env: {}, redactor, stdout, stderr }, error);
  expect(stderr.text).toStartWith(
    `The answer that does not fit:\n${shown}\nerror: The answer of "claude" does not have the required shape: `,
  );
});
