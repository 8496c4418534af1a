import { afterEach, beforeEach, expect, test } from "bun:test";
import { access, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunEvent } from "../../contracts/index.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

const SECRET = "zq8-Wm4Kt2Vx9LbN";
const PARTS = [SECRET.slice(0, 7), SECRET.slice(7)];
const DB_PASSWORD = "pa55-Rw0rd-Nb7";
const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P";
const ENV = { ACME_API_KEY: SECRET, DATABASE_URL: `postgres://app:${DB_PASSWORD}@db/app` };
const SECRETS = [SECRET, DB_PASSWORD, JWT, "dXNlcjpwYXNzd29yZA"];

/** Every kind of node prints or returns a secret; the run stays in `gate` until the file `open` is there. */
const WORKFLOW = `import { existsSync } from "node:fs";
import { annotation, defineState, graph, agentNode, shellNode, subagentNode, Reducers } from "@bastani/atomic/graph";
const secret = () => process.env.ACME_API_KEY;
const State = defineState({
  prompt: annotation(""),
  seen: annotation<string[]>([], Reducers.concat),
  nested: annotation<unknown>(null),
  isSame: annotation(false),
  start: annotation(() => "starts with " + secret()),
});
export default () =>
  graph(State)
    .start(shellNode({ id: "print", command: 'echo "key $ACME_API_KEY"; echo "$DATABASE_URL" >&2; curl() { :; }; curl -H "Authorization: Basic dXNlcjpwYXNzd29yZA"; echo "Authorization: Basic dXNlcjpwYXNzd29yZA"' }))
    .then({
      id: "step",
      type: "tool",
      execute: async (ctx) => {
        const token = await ctx.step("token", () => ({ bearer: secret() }));
        console.log("printed", secret());
        ctx.emit({ type: "log", message: "emitted " + secret() });
        return { stateUpdate: { seen: [token.bearer], nested: { a: [new Map([[secret(), { jwt: "${JWT}" }]])], headers: { "x-api-key": secret() } } } };
      },
    })
    .then(agentNode({ id: "ask", agentType: "scripted", buildMessage: () => "Repeat " + secret() + " please" }))
    .then(subagentNode({ id: "delegate", agentName: "explore", agentType: "scripted", task: () => "Find " + secret() }))
    .then({
      id: "gate",
      type: "tool",
      execute: async (ctx) => {
        while (!existsSync("open")) await new Promise((done) => setTimeout(done, 20));
        return { stateUpdate: { isSame: ctx.state.seen[0] === "[redacted:ACME_API_KEY]" } };
      },
    })
    .then({
      id: "broken",
      type: "tool",
      retry: { maxAttempts: 2, backoffMs: 1 },
      execute: () => { throw new Error("The server denied " + secret()); },
    })
    .catch({ id: "report", type: "tool", execute: (ctx) => ({ stateUpdate: { seen: [ctx.error.message] } }) })
    .end()
    .compile();
`;
const FAILING = `import { graph } from "@bastani/atomic/graph";
export default () =>
  graph().start({ id: "fail", type: "tool", execute: () => { throw new Error("no: " + process.env.ACME_API_KEY); } }).end().compile();
`;

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await Sandbox.create();
  await sandbox.write({ ".atomic/workflows/leak.ts": WORKFLOW, ".atomic/workflows/fails.ts": FAILING });
});
afterEach(() => sandbox.remove());

const CALL = ["run", "leak", `Use ${SECRET}`, "--trust", "--agent", "scripted", "--json"];

/** The files below the home folder that contain a secret, half a secret included. */
async function findLeaks(): Promise<readonly string[]> {
  const home = join(sandbox.root, "home");
  const entries = await readdir(home, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const texts = await Promise.all(files.map(async (file) => [file, await readFile(file, "latin1")] as const));
  const hidden = [...SECRETS, ...PARTS];
  return texts.flatMap(([file, text]) => (hidden.some((secret) => text.includes(secret)) ? [file] : []));
}

function expectNoSecret(...texts: readonly string[]): void {
  for (const secret of SECRETS) for (const text of texts) expect(text).not.toContain(secret);
}

const isStart =
  (nodeId: string) =>
  (event: RunEvent): boolean =>
    event.type === "node-start" && event.nodeId === nodeId;

async function stateOf(runId: string): Promise<Readonly<Record<string, unknown>>> {
  const { stdout } = await sandbox.start(["runs", "show", runId, "--state", "--json"], ENV).ended;
  const { executionId: _id, lastUpdated: _time, ...state } = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
  return state;
}

test("a run that was killed and resumed has the state of one that was not, and no file and no output has a secret", async () => {
  const killed = sandbox.start(CALL, ENV);
  const { runId } = await killed.waitFor(isStart("gate"));
  killed.kill("SIGKILL");
  const first = await killed.ended;
  await sandbox.shell("touch open");
  const resumed = await sandbox.start(["runs", "resume", runId, "--json"], ENV).ended;
  const whole = await sandbox.start(CALL, ENV).ended;
  const wholeId = whole.events[0]?.runId ?? "";
  expect([resumed.exitCode, whole.exitCode]).toEqual([0, 0]);
  const withoutTimes = (state: unknown): unknown =>
    JSON.parse(
      JSON.stringify(state)
        .replace(/"durationMs":\d+/g, '"durationMs":0')
        .replaceAll(wholeId, runId),
    );
  const state = await stateOf(runId);
  expect(withoutTimes(await stateOf(wholeId))).toEqual(withoutTimes(state));
  expect(state).toMatchObject({
    prompt: "Use [redacted:ACME_API_KEY]",
    seen: ["[redacted:ACME_API_KEY]", "The server denied [redacted:ACME_API_KEY]"],
    isSame: true,
    start: "starts with [redacted:ACME_API_KEY]",
    nested: { headers: { "x-api-key": "[redacted:ACME_API_KEY]" } },
    outputs: { print: { stdout: "key [redacted:ACME_API_KEY]\nAuthorization: Basic [redacted]\n" } },
  });
  const shown = await Promise.all(
    [[], ["--log"], ["--json"], ["--state"]].map(
      (flags) => sandbox.start(["runs", "show", runId, ...flags], ENV).ended,
    ),
  );
  expectNoSecret(...[first, resumed, whole, ...shown].flatMap(({ stdout, stderr }) => [stdout, stderr]));
  expect(whole.events.find(({ type }) => type === "warning")).toMatchObject({
    message: expect.stringContaining("The input has a secret"),
  });
  expect(await findLeaks()).toEqual([]);
}, 60_000);

test("each visit of a node has a log of what it printed and of why the run decided as it did", async () => {
  await sandbox.shell("touch open");
  const { events, exitCode } = await sandbox.start(CALL, ENV).ended;
  expect(exitCode).toBe(0);
  const folder = join(sandbox.atomicHome, "workflows/sessions", events[0]?.runId ?? "", "logs");
  const textOf = async (name: string): Promise<string> =>
    (await readFile(join(folder, name), "utf8"))
      .replace(/\d{4}-\S+Z/g, "<time>")
      .replace(/\d+ ms/g, "<ms>")
      .replaceAll(events[0]?.runId ?? "", "<run>");
  expect((await readdir(folder)).sort()).toEqual(["broken.log", "print.log", "run.jsonl", "step.log"]);
  expect(await textOf("step.log")).toBe(`# step (tool), visit step of run <run>
<time>  printed [redacted:ACME_API_KEY]
<time>  emitted [redacted:ACME_API_KEY]
<time>  Done.
`);
  expect(await textOf("broken.log")).toBe(`# broken (tool), visit broken of run <run>
<time>  Attempt 1 failed: The server denied [redacted:ACME_API_KEY] Attempt 2 starts at <time>.
<time>  Attempt 2 starts.
<time>  Attempt 2 failed: The server denied [redacted:ACME_API_KEY]
`);
  expect(await textOf("print.log")).toContain("exit code 0, <ms>\n<time>  key [redacted:ACME_API_KEY]\n");
}, 60_000);

test("an error of the run, and the answer of a prompt, are printed without secrets", async () => {
  const failed = await sandbox.start(["run", "fails", "--trust", "--agent", "scripted"], ENV).ended;
  expect([failed.exitCode, failed.stdout.includes("no: [redacted:ACME_API_KEY]")]).toEqual([1, true]);
  const answered = await sandbox.start(["-p", `Repeat ${SECRET} please`, "--agent", "scripted"], ENV).ended;
  expect(answered.stdout).toContain("Repeat [redacted:ACME_API_KEY] please");
  const asJson = await sandbox.start(["-p", `Repeat ${SECRET} please`, "--agent", "scripted", "--json"], ENV).ended;
  const missing = await sandbox.start(["run", SECRET], ENV).ended;
  expectNoSecret(...[failed, answered, asJson, missing].flatMap(({ stdout, stderr }) => [stdout, stderr]));
  const text = asJson.events.flatMap((event) => ("text" in event ? [event.text] : [])).join("");
  expect(text).toContain("[redacted:ACME_API_KEY]");
  expect(await findLeaks()).toEqual([]);
  await access(sandbox.atomicHome);
}, 60_000);

test("what a file prints while it is loaded has no secret, on the screen, in its check and in the cache", async () => {
  const padding = "x".repeat(190);
  const prints = `console.log("${padding}" + process.env.ACME_API_KEY);`;
  await sandbox.write({
    ".atomic/workflows/prints.ts": `import { graph, toolNode } from "@bastani/atomic/graph";
${prints}
export default () => graph().start(toolNode({ id: "a", execute: () => 1 })).end().compile();
`,
    ".atomic/tools/prints.ts": `import { tool } from "@atomic/plugin";
${prints}
export default tool({ description: "Prints", args: {}, execute: async () => "done" });
`,
    ".atomic/workflows/throws.ts": `throw new Error("denied " + process.env.ACME_API_KEY);`,
  });
  const calls = [
    ["workflows", "list", "--trust"],
    ["workflows", "verify"],
    ["tools", "list"],
    ["run", "prints", "--agent", "scripted"],
    ["doctor"],
  ];
  for (const call of calls) {
    const { stdout, stderr } = await sandbox.start(call, ENV).ended;
    expectNoSecret(stdout, stderr);
    expect([call, `${stdout}${stderr}`.includes(SECRET.slice(0, 10))]).toEqual([call, false]);
  }
  expect(await findLeaks()).toEqual([]);
}, 60_000);
