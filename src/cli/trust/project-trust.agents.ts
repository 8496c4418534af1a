import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
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
  expect({ ...trusted, stderr: besides(trusted) }).toEqual({
    ...{ exitCode: 0, stdout: "This is a.\n" },
    stderr: `Trusted ${environment.project}.\n`,
  });
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
  { title: "yes", keys: ["y", Keys.enter], trusted: true },
  { title: "no", keys: [Keys.enter], trusted: false },
])("in a terminal a person is asked once instead, also by -p: $title", async ({ keys, trusted }) => {
  await describeAgent();
  await environment.write(PLANTED);
  const call = inTerminal("-p", "hello");
  await call.stderr.waitFor("Do you trust");
  for (const name of [".github/hooks", ".vscode/mcp.json", ".git/hooks"]) expect(call.stderr.text).toContain(name);
  // The yes applies to all agents.
  expect(call.stderr.text).toContain(".claude/settings.json");
  for (const key of keys) call.stdin.write(key);
  const { exitCode, stdout, stderr } = await call.ended;
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "This is a.\n" });
  expect(stderr).not.toContain("Not loaded");
  const later = await environment.atomic("-p", "hello");
  expect(besides(later)).toBe(trusted ? "" : LINE);
});

test("after a no, the person is not asked a second time for the project's workflow", async () => {
  await environment.write({ ...PLANTED, "project/.atomic/workflows/gate.ts": GATE });
  const call = inTerminal("run", "gate", "--agent", "scripted");
  await call.stderr.waitFor("Do you trust");
  call.stdin.write(Keys.enter);
  const { exitCode, stderr } = await call.ended;
  expect(exitCode).toBe(2);
  expect(stderr.split("◆  Do you trust").length - 1).toBe(1);
  expect(stderr).toContain("(PROJECT_UNTRUSTED)");
});

test("an agent that always loads project settings does not start in an untrusted project", async () => {
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

test("Gemini CLI does not start where it would take its environment from a folder above the project", async () => {
  await describeAgent({ preset: "gemini", ungated: true });
  await environment.write({ "project/.git/HEAD": "", "home/.env": "A=1\n" });
  expect((await environment.atomic("-p", "hello")).stderr).not.toContain("PROJECT_UNTRUSTED");
  await environment.write({ ".env": "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:1\n", "project/.gemini/.env": "A=1\n" });
  const { exitCode, stderr } = await environment.atomic("-p", "hello");
  expect(exitCode).toBe(2);
  expect(environment.normalise(stderr).split("\n").slice(1, 3)).toEqual([
    "         - .gemini/.env",
    "         - <root>/.env",
  ]);
});

test("an ungated agent is reported at each start", async () => {
  await describeAgent({ ungated: true });
  for (const _ of [1, 2]) expect((await environment.atomic("-p", "hello")).stderr).toBe(`${UNGATED}\n`);
  const json = await environment.atomic("-p", "hello", "--json");
  expect(JSON.parse(json.stdout.split("\n")[0] ?? "")).toEqual({ type: "warning", message: UNGATED });
});

/** Makes the project a trusted repository with one commit, of `part` and what is in it. */
async function commitAndTrust(): Promise<void> {
  await describeAgent();
  await environment.write({ "project/part/.github/hooks/x.json": "{}" });
  const git = (...args: readonly string[]): unknown =>
    execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@x", ...args], {
      cwd: environment.project,
      env: { PATH: process.env.PATH ?? "", HOME: environment.root },
    });
  git("init", "-q");
  git("add", "part");
  git("commit", "-qm", "x");
  await rm(join(environment.project, ".git/hooks"), { recursive: true });
  await environment.atomic("-p", "hello", "--trust");
}

async function trustedPaths(): Promise<readonly string[]> {
  const { projects } = JSON.parse(await environment.read("home/.atomic/trusted-projects.json"));
  return projects.map(({ path }: { readonly path: string }) => environment.normalise(path));
}

async function helloIn(workingDirectory: string, ...args: readonly string[]): Promise<string> {
  return besides(await environment.start(["-p", "hello", ...args], { workingDirectory }).ended);
}

test("what is unpacked in a trusted project and has settings of its own is not trusted with it", async () => {
  await commitAndTrust();
  await environment.write({
    "project/downloads/evil/.github/hooks/x.json": "{}",
    "project/downloads/evil/deep/x": "",
    "project/part/unpacked/.vscode/mcp.json": "{}",
    "project/plain/x": "",
  });
  const line = (names: string): string =>
    `Not loaded, because this project is not trusted: ${names}. Trust it with --trust.\n`;
  expect(await helloIn("project")).toBe("");
  expect(await helloIn("project/part")).toBe("");
  expect(await helloIn("project/plain")).toBe("");
  expect(await helloIn("project/downloads")).toBe("");
  expect(await helloIn("project/downloads/evil")).toBe(line("downloads/evil/.github/hooks"));
  expect(await helloIn("project/downloads/evil/deep")).toBe(line("downloads/evil/.github/hooks"));
  expect(await helloIn("project/part/unpacked")).toBe(line("part/.github/hooks, part/unpacked/.vscode/mcp.json"));
  // Another project's settings do not take away those of the trusted one, which Atomic itself loads.
  await environment.write({ "project/.atomic/workflows/gate.ts": GATE });
  const run = environment.start(["run", "gate"], { workingDirectory: "project/downloads/evil" });
  expect((await run.ended).exitCode).toBe(3);
  const list = environment.start(["workflows", "list", "--trust"], { workingDirectory: "project/downloads/evil" });
  expect((await list.ended).exitCode).toBe(0);
  expect(await helloIn("project/downloads/evil")).toBe("");
  expect(await helloIn("project/downloads/evil/deep")).toBe("");
  expect(await trustedPaths()).toEqual(["<root>/project", "<root>/project/downloads/evil"]);
});

test.each([
  { command: "-p", args: ["-p", "hello"] },
  { command: "doctor", args: ["doctor"] },
  { command: "run", args: ["run", "greet"] },
])("$command judges a hostile repository without running its programs", async ({ args }) => {
  await commitAndTrust();
  await environment.atomic("trust", "revoke");
  const program = join(environment.root, "evil.sh");
  const isRunBy = async (call: () => unknown): Promise<boolean> => {
    await environment.write({
      "evil.sh": `#!/bin/sh\n: > '${environment.root}/ran'\nexit 1\n`,
      "home/.atomic/workflows/greet.ts": GREET,
    });
    await chmod(program, 0o755);
    await call();
    return existsSync(join(environment.root, "ran"));
  };
  const git = (...words: readonly string[]): string =>
    String(
      execFileSync("git", words, { cwd: environment.project, env: { PATH: process.env.PATH ?? "" }, stdio: "pipe" }),
    );
  const tree = git("rev-parse", "HEAD^{tree}").trim();
  for (const [name, value] of [
    ["core.repositoryFormatVersion", "1"],
    ["extensions.partialClone", "origin"],
    ["remote.origin.promisor", "true"],
    ["remote.origin.url", "/"],
    ["remote.origin.uploadpack", program],
  ] as const) {
    git("config", name, value);
  }
  await rm(join(environment.project, ".git/objects", tree.slice(0, 2), tree.slice(2)));
  expect(await isRunBy(() => environment.start(args, { workingDirectory: "project/part" }).ended)).toBe(false);
  expect(await isRunBy(() => expect(() => git("ls-tree", "HEAD")).toThrow())).toBe(true);
});

test("where the repository is not the project's own, or the folder has a mark of its own, nothing counts as committed", async () => {
  await commitAndTrust();
  await environment.write({ "project/part/.atomic/x": "" });
  expect(await helloIn("project/part")).toContain("Not loaded");
  await environment.write({ "project/part/sub/.github/hooks/x.json": "{}" });
  await helloIn("project/part", "--trust");
  expect(await helloIn("project/part/sub")).toContain("sub/.github/hooks");
});

test("the question names the folder that it is about", async () => {
  await commitAndTrust();
  await environment.write({ "project/evil/.github/hooks/x.json": "{}" });
  const call = environment.start(["-p", "hello"], {
    workingDirectory: "project/evil",
    isInteractive: true,
    isTTY: true,
    columns: 200,
    env: { NO_COLOR: "1" },
  });
  await call.stderr.waitFor("Do you trust");
  expect(call.stderr.text).toContain(
    `Do you trust ${environment.project}/evil, for Atomic and all agents, from now on?`,
  );
  // What appears now has not been asked about.
  await environment.write({ "project/evil/inner/.github/hooks/x.json": "{}" });
  call.stdin.write(`y${Keys.enter}`);
  expect((await call.ended).exitCode).toBe(0);
  expect(await trustedPaths()).toEqual(["<root>/project", "<root>/project/evil"]);
  expect(await helloIn("project/evil/inner")).toContain("evil/inner/.github/hooks");
});

test("doctor looks for no program in such a folder, and says that it is not trusted", async () => {
  await commitAndTrust();
  await environment.write({
    "project/evil/.github/hooks/x.json": "{}",
    "project/evil/bin/git": "#!/bin/sh\necho planted\n",
  });
  await chmod(join(environment.project, "evil/bin/git"), 0o755);
  const doctor = environment.start(["doctor"], {
    workingDirectory: "project/evil",
    env: { PATH: `${environment.project}/evil/bin:${process.env.PATH}` },
  });
  const { stdout } = await doctor.ended;
  expect(stdout).not.toContain("planted");
  expect(stdout).toMatch(/project +not trusted +1 file left out/);
});

test("what appears in the middle of a run is left out by the agents that start after it", async () => {
  await commitAndTrust();
  const script = new URL("../fixtures/acp-agent.ts", import.meta.url).pathname;
  const note = `echo "$GIT_CONFIG_COUNT" > "${environment.root}/count"`;
  await describeAgent({
    ...COPILOT,
    command: "/bin/sh",
    args: ["-c", `${note}; exec "${process.execPath}" "${script}"`],
  });
  const steps = `.start(toolNode({
      id: "unpack",
      execute: async () => {
        const { mkdir, writeFile } = await import("node:fs/promises");
        await mkdir(${JSON.stringify(join(environment.project, "plain/.github/hooks"))}, { recursive: true });
        await writeFile(${JSON.stringify(join(environment.project, "plain/.github/hooks/x.json"))}, "{}");
      },
    }))
    .then(agentNode(`;
  await environment.write({
    "project/plain/x": "",
    "home/.atomic/workflows/greet.ts": GREET.replace(".start(agentNode(", steps),
  });
  const { exitCode, stderr } = await environment.start(["run", "greet"], { workingDirectory: "project/plain" }).ended;
  expect(exitCode).toBe(0);
  expect(stderr).toContain(
    "Not loaded, because this project is not trusted: plain/.github/hooks. Trust it with --trust.\n",
  );
  expect(Number(await environment.read("count"))).toBeGreaterThan(0);
});
