import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import process from "node:process";
import { waitUntil } from "../../testkit/conformance/wait-until.ts";
import { renderScreen } from "../fixtures/screen.ts";
import { TestEnvironment } from "../fixtures/test-environment.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

const STOPPING = "Stopping what runs; press Ctrl+C again to leave at once.\n";
/** What is said of an agent that does not let Atomic decide about its calls. */
const UNGATED = `The agent "mine" decides about its tool calls itself (agents.mine.ungated); Atomic's policy applies only to what it asks.\n`;

const ACP_AGENT = join(import.meta.dir, "../fixtures/acp-agent.ts");
const SCHEMA = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] };

function jsonLinesOf(stdout: string): readonly Readonly<Record<string, unknown>>[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("the answer is printed, and nothing else", async () => {
  expect(await environment.atomic("-p", "Hello", "--agent", "scripted")).toEqual({
    exitCode: 0,
    stdout: "Scripted answer to: Hello\n",
    stderr: "",
  });
});

test("--json prints the agent's events, one a line, and the reply as the last one", async () => {
  const { exitCode, stdout, stderr } = await environment.atomic("-p", "Hello", "--agent", "scripted", "--json");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const lines = jsonLinesOf(stdout);
  const text = lines.flatMap(({ type, text: delta }) => (type === "text-delta" ? [delta] : [])).join("");
  const sessionId = lines[0]?.sessionId;
  expect(lines[0]).toEqual({ type: "turn-start", sessionId, at: expect.any(Number) });
  expect(lines.at(-2)).toEqual({ type: "turn-end", sessionId, at: expect.any(Number), outcome: "completed" });
  expect(lines.at(-1)).toEqual({
    type: "reply",
    sessionId,
    content: text,
    usage: expect.any(Object),
    toolUses: 0,
    deniedPermissions: [],
  });
});

test("--trust has the project's settings hold, from now on", async () => {
  await environment.write({ "project/.atomic/config.json": '{ "agent": "scriptd" }' });
  await environment.write({ "home/.atomic/config.json": '{ "agent": "scripted" }' });
  expect((await environment.atomic("-p", "Hello")).exitCode).toBe(0);
  for (const [args, said] of [
    [["--trust"], `Trusted ${environment.project}.\n`],
    [[], ""],
  ] as const) {
    const { exitCode, stderr } = await environment.atomic("-p", "Hello", ...args);
    expect(exitCode).toBe(2);
    expect(stderr).toStartWith(
      `${said}error: There is no agent "scriptd", which ${environment.project}/.atomic/config.json names.`,
    );
  }
});

test("the message may come from standard input", async () => {
  const call = environment.start(["-p", "-", "--agent", "scripted"]);
  call.stdin.end("Hello from a pipe");
  expect(await call.ended).toEqual({
    exitCode: 0,
    stdout: "Scripted answer to: Hello from a pipe\n",
    stderr: "",
  });
});

test("--schema holds the answer to a JSON Schema", async () => {
  await environment.write({ "project/schema.json": JSON.stringify(SCHEMA) });
  const { stdout } = await environment.atomic(
    "-p",
    "Is it?",
    "--schema",
    "schema.json",
    "--agent",
    "scripted",
    "--json",
  );
  expect(jsonLinesOf(stdout).at(-1)?.structured).toEqual({ ok: false });
  expect(await environment.atomic("-p", "Is it?", "--schema", "schema.json", "--agent", "scripted")).toEqual({
    exitCode: 0,
    stdout: '{"ok":false}\n',
    stderr: "",
  });
});

test("piped input counts for the longest message", async () => {
  const call = environment.start(["-p", "x", "--agent", "scripted"], { hasPipedInput: true });
  call.stdin.end("y".repeat(100_000));
  expect(await call.ended).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: [
      "error: Too long to send: 100,003 characters; the most is 100,000.",
      "       Put the text into a file, and name the file.",
      "       (USAGE)\n",
    ].join("\n"),
  });
});

test.each([
  { args: ["-p", " "], says: "The message to the agent is empty." },
  {
    args: ["-p", "x", "--effort", "huge"],
    says: '--effort takes one of none, low, medium, high, max, and "huge" is none.',
  },
  {
    args: ["-p", "x", "--schema", "none.json"],
    says: 'The file of --schema, "none.json", cannot be read: it does not exist.',
  },
  { args: ["-p", "x", "--schema", "bad.json"], says: 'The file of --schema, "bad.json", is not JSON' },
  { args: ["-p", "x", "--schema", "list.json"], says: 'The file of --schema, "list.json", holds no JSON Schema' },
  {
    args: ["-p", "x", "--image", "a.txt"],
    says: "--image takes a file of one of the kinds .png, .jpg, .jpeg, .gif, .webp",
  },
  { args: ["-p", "x", "--image", "a.png"], says: 'The file of --image, "a.png", cannot be read: it does not exist.' },
  {
    args: ["-p", "x", "--file", "list.json", "--file", "gone.ts"],
    says: 'The file of --file, "gone.ts", cannot be read: it does not exist.',
  },
  { args: ["-p", "x", "--agent", "scriptd"], says: 'There is no agent "scriptd".' },
  { args: ["-p", "x".repeat(100_001)], says: "Too long to send: 100,001 characters; the most is 100,000." },
])("a wrong call is rejected before an agent starts: $args", async ({ args, says }) => {
  await environment.write({ "project/bad.json": "{", "project/list.json": "[]" });
  const { exitCode, stdout, stderr } = await environment.atomic("--agent", "scripted", ...args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toStartWith(`error: ${says}`);
});

test.each([
  { title: "while it starts", silent: "initialize", args: [], said: STOPPING },
  { title: "while the agent opens a conversation", silent: "session/new", args: [], said: STOPPING },
  { title: "during its turn", silent: "session/prompt", args: [], said: STOPPING, shown: "This is a." },
  {
    title: "and a program reads the output",
    silent: "session/prompt",
    args: ["--json"],
    said: "",
    shown: "This is a.",
  },
])(
  "Ctrl+C $title stops the agent at once, and the exit code is 130",
  async ({ silent, args, said, shown = "" }) => {
    const report = join(environment.root, "heard");
    const settings = {
      command: "/bin/sh",
      args: ["-c", `exec ${process.execPath} ${ACP_AGENT} --silent ${silent} 2>${report}`],
      ungated: true,
    };
    await environment.write({ "home/.atomic/config.json": JSON.stringify({ agents: { mine: settings } }) });
    const call = environment.start(["-p", "Hello", "--agent", "mine", ...args]);
    if (shown !== "") await call.stdout.waitFor(shown);
    const hasHeard = async () => (await Bun.file(report).exists()) && (await Bun.file(report).text()).includes(silent);
    await waitUntil(hasHeard, `the agent was not asked for ${silent}`, { timeoutMs: 10_000 });
    call.signal();
    const { exitCode, stdout, stderr } = await call.ended;
    expect({ exitCode, stderr: stderr.replace(UNGATED, "") }).toEqual({ exitCode: 130, stderr: said });
    if (args.length === 0) expect(stdout).toBe(shown === "" ? "" : `${shown}\n`);
    else
      expect(jsonLinesOf(stdout).at(-1)).toEqual({
        type: "turn-end",
        sessionId: "s1",
        at: expect.any(Number),
        outcome: "aborted",
      });
  },
  15_000,
);

test("a failing model is tried three times, visibly, then its fallback is used", async () => {
  const agents = { mine: { command: process.execPath, args: [ACP_AGENT, "--crash", "a"], model: "a", ungated: true } };
  await environment.write({ "home/.atomic/config.json": JSON.stringify({ agents, models: { fallback: ["b"] } }) });
  const { exitCode, stdout, stderr } = await environment.atomic("-p", "Hello", "--agent", "mine");
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "This is b.\n" });
  const waits = stderr.replace(UNGATED, "").trimEnd().split("\n");
  const crash = 'The process of the agent "mine" ended unexpectedly (exit code 3).';
  // There is no wait before the fallback.
  expect(waits.map((line) => line.slice(0, line.indexOf(crash)))).toEqual([
    "… waiting (crash, again in 1 s): Then the message is sent again. ",
    "… waiting (crash, again in 2 s): Then the message is sent again. ",
    "… waiting (crash): ",
  ]);
}, 30_000);

test("an agent that takes no custom tools works without those of files, and a broken file is reported", async () => {
  const agents = { mine: { command: process.execPath, args: [ACP_AGENT], ungated: true } };
  await environment.write({
    "home/.atomic/config.json": JSON.stringify({ agents }),
    "home/.atomic/tools/lint.ts": 'export default { description: "Lints", execute: () => "" };',
    "home/.atomic/tools/broken.ts": "export default 1;",
  });
  const { exitCode, stdout, stderr } = await environment.atomic("-p", "Hello", "--agent", "mine");
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "This is a.\n" });
  expect(environment.normalise(stderr.replace(UNGATED, ""))).toBe(
    [
      'warning: <root>/home/.atomic/tools/broken.ts:1:1: The default export is not a tool. Export one: export default tool({ description: "…", args: {}, execute: () => "…" });',
      'The agent "mine" takes no custom tools, so it is offered none of yours.',
      "",
    ].join("\n"),
  );
});

test("piped input is appended to the message", async () => {
  const call = environment.start(["-p", "Review this", "--agent", "scripted"], { hasPipedInput: true });
  call.stdin.end("- old\n+ new\n");
  const { exitCode, stdout } = await call.ended;
  // The scripted agent repeats a message in one line.
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "Scripted answer to: Review this - old + new\n" });
});

test("a terminal shows an animated line until the agent speaks, and at the end how to continue", async () => {
  const agents = { mine: { command: process.execPath, args: [ACP_AGENT], ungated: true } };
  await environment.write({ "home/.atomic/config.json": JSON.stringify({ agents }) });
  const call = environment.start(["-p", "Hello", "--agent", "mine", "--model", "b"], {
    isTTY: true,
    env: { NO_COLOR: "1" },
  });
  await call.stderr.waitFor("mine · b · ");
  const { exitCode, stdout, stderr } = await call.ended;
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "This is b.\n" });
  expect(renderScreen(stderr)).toEqual([
    UNGATED.trimEnd(),
    'To continue this conversation: atomic -p "…" --session s1 --agent mine',
  ]);
});

test("a terminal that cannot draw gets no moving line", async () => {
  const call = environment.start(["-p", "Hello", "--agent", "scripted"], { isTTY: true, env: { TERM: "dumb" } });
  expect((await call.ended).stderr).toBe("");
});

test("a conversation that the agent does not know is an error of the call", async () => {
  const { exitCode, stderr } = await environment.atomic("-p", "x", "--session", "gone", "--agent", "scripted");
  expect(exitCode).toBe(2);
  expect(stderr).toBe(
    'error: The agent "scripted" has no session "gone".\n       Omit --session to start a new conversation.\n       (UNKNOWN_SESSION)\n',
  );
});

test("without a message or a command the help is shown as an error", async () => {
  const { exitCode, stdout, stderr } = await environment.atomic();
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toStartWith("Usage: atomic [options] [command]\n");
});
