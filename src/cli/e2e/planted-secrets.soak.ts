import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { OtlpReceiver } from "../../telemetry/fixtures/otlp-receiver.ts";
import { type ModelScript, type ModelServer, startModelServer } from "../../testkit/index.ts";
import { PtyScreen } from "../../tui/fixtures/pty-screen.ts";
import { WEBHOOK_SECRET, WebhookReceiver } from "../notifications/fixtures/webhook-receiver.ts";
import type { AtomicResult } from "./fixtures/atomic-process.ts";
import { leaveChat, SLOW } from "./fixtures/chat-terminal.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

/** Each is planted at one kind of place, and only there. */
const SECRETS = {
  variable: 'zq8"Wm4/Kt2+Vx9=LbN',
  databasePassword: "pa55-Rw0rd-Nb7",
  formed: "ghp_Q7w2E9r4T6y1U3i5O8p0A2s4D6f8G1h3J5k7",
  urlPassword: "uRl-pAss-8812",
  urlQuery: "qUery-tOken-5519",
  setting: "cOnfig-kEy-4471",
  webhook: WEBHOOK_SECRET,
  receiver: "oTlp-hEader-7306",
  mcp: "mCp-sErver-6240",
} as const;

/** What a node, a hook and a model print. Its parts are apart in every file of the test's project. */
const LEAK = `key ${SECRETS.variable} ${SECRETS.formed} https://me:${SECRETS.urlPassword}@host/x?token=${SECRETS.urlQuery}`;
const inParts = (text: string): string => JSON.stringify([...text].map((letter) => letter.charCodeAt(0)));
const PRINT = `String.fromCharCode(...${inParts(LEAK)})`;

const WORKFLOW = `import { agentNode, annotation, askUserNode, defineState, graph, shellNode, toolNode } from "@bastani/atomic/graph";
const leak = ${PRINT};
const State = defineState({ prompt: annotation(""), note: annotation(""), seen: annotation<unknown>(null) });
const env = { MCP_PASSWORD: String.fromCharCode(...${inParts(SECRETS.mcp)}) };
// The scripted agent has no servers.
const mcpServers = process.env.ATOMIC_AGENT === "scripted" ? undefined : { files: { type: "stdio" as const, command: "false", env } };
export default () =>
  graph(State)
    .start(shellNode({ id: "print", command: "node print.cjs; node print.cjs >&2; echo $DATABASE_URL" }))
    .then(toolNode<any>({ id: "return", execute: (_args, { emit }) => (emit({ type: "log", message: leak }), { leak, [leak]: 1 }), outputMapper: (seen) => ({ seen }) }))
    .then(agentNode({ id: "agent", buildMessage: ({ prompt, note }) => "Repeat " + prompt + note + leak, sessionConfig: mcpServers && { mcpServers } }))
    .then(askUserNode({ id: "ask", options: { question: "Is it " + leak + "?" } }))
    .then({ id: "broken", type: "tool", execute: () => { throw new Error("denied " + leak); } })
    .end()
    .compile();
`;

let sandbox: Sandbox;
let model: ModelServer;
let receiver: OtlpReceiver;
let webhooks: WebhookReceiver;
let env: Readonly<Record<string, string>>;
let outputs: string[];

beforeEach(async () => {
  sandbox = await Sandbox.create();
  [receiver, webhooks, outputs] = [new OtlpReceiver(), new WebhookReceiver(), []];
  model = await startModelServer({ script: answerWithTools });
  env = {
    ACME_API_KEY: SECRETS.variable,
    DATABASE_URL: `postgres://app:${SECRETS.databasePassword}@db/app`,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: `api-key=${SECRETS.receiver}`,
    ATOMIC_APP_INSIGHTS_KEY: `InstrumentationKey=00000000-0000-0000-0000-000000000001;IngestionEndpoint=${receiver.url}`,
  };
  await plant();
});
afterEach(async () => {
  await sandbox.remove();
  await Promise.all([model.stop(), receiver.stop(), webhooks.stop()]);
});

/** Asks a person, prints with a command, and says what it saw. */
const answerWithTools: ModelScript = ({ messages }) => {
  const last = messages.findLast(({ role }) => role === "user" || role === "tool");
  if (last?.role !== "user" || !last.text.includes("Repeat Use")) return { type: "message", text: `It is ${LEAK}` };
  const options = ["yes", "no"].map((label) => ({ label, description: LEAK }));
  const questions = [{ question: `Is it ${LEAK}?`, header: "Key", options }];
  const toolCalls = [
    { name: "bash", input: { command: `node print.cjs; echo "${LEAK.replaceAll('"', '\\"')}"`, description: LEAK } },
    { name: "question", input: { questions } },
  ];
  return { type: "message", text: LEAK, toolCalls };
};

async function plant(): Promise<void> {
  const endpoint = { protocol: "openai-chat", baseUrl: `${model.url}/v1`, apiKey: SECRETS.setting };
  await sandbox.writeConfig({
    agents: {
      opencode: {
        homeDirectory: join(sandbox.root, "agent-home"),
        endpoint: { ...endpoint, models: [{ id: "scripted-model" }] },
      },
    },
    ...webhooks.settings,
  });
  await sandbox.write({
    ".atomic/workflows/leak.ts": WORKFLOW,
    "print.cjs": `console.log(${PRINT});`,
    "hook.cjs": `console.error(${PRINT}); console.log(JSON.stringify({ systemMessage: ${PRINT} }));`,
    ".gitignore": "recordings\n",
  });
  const hook = { type: "command", command: "node hook.cjs" };
  const hooks = { UserPromptSubmit: [{ hooks: [hook] }], PreToolUse: [{ hooks: [hook] }], Stop: [{ hooks: [hook] }] };
  await mkdir(join(sandbox.root, "home/.claude"), { recursive: true });
  await writeFile(join(sandbox.root, "home/.claude/settings.json"), JSON.stringify({ hooks }));
  await sandbox.commitAll();
  expect((await call("trust", "add")).exitCode).toBe(0);
  expect((await call("telemetry", "on")).exitCode).toBe(0);
}

/** Calls Atomic, and keeps what it printed. */
async function call(...args: readonly string[]): Promise<AtomicResult> {
  const result = await sandbox.start(args, env).ended;
  outputs.push(`$ atomic ${args[0]}\n${result.stdout}\n${result.stderr}`);
  return result;
}

/** A secret as it is, in a URL, in JSON, and in base64. */
function formsOf(secret: string): readonly string[] {
  const base64 = [0, 1, 2].map((offset) => Buffer.from(`${"x".repeat(offset)}${secret}`).toString("base64"));
  // Without the letters at the ends, which depend on what is around.
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    ...base64.map((text) => text.slice(4, -4)),
  ];
}

function secretsIn(text: string): readonly string[] {
  return Object.entries(SECRETS).flatMap(([name, secret]) =>
    formsOf(secret).some((form) => text.includes(form)) ? [name] : [],
  );
}

/** The planted settings, and what OpenCode keeps of its conversations by itself. */
const PLANTED = /^(?:home\/\.atomic\/config\.json|agent-home\/.*|bin\/.*)$/;

async function leaksInFiles(): Promise<readonly string[]> {
  const entries = await readdir(sandbox.root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const found = paths.map(async (path) => {
    const name = relative(sandbox.root, path);
    if (PLANTED.test(name)) return [];
    return secretsIn(await readFile(path, "latin1")).map((secret) => `${secret} in ${name}`);
  });
  return (await Promise.all(found)).flat();
}

function leaksInTexts(title: string, texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => secretsIn(text).map((secret) => `${secret} in ${title}: ${text.slice(0, 60)}`));
}

async function chatOnce(agent: string): Promise<void> {
  const screen = new PtyScreen(["atomic", "--agent", agent, "--yolo"], {
    ...{ columns: 120, rows: 40, workingDirectory: sandbox.project, env: { ...sandbox.env, ...env, CI: "" } },
  });
  try {
    await screen.until(/Ask anything/, SLOW);
    screen.type(`Repeat ${LEAK}`);
    await screen.until(/Repeat key/, SLOW);
    screen.press("enter");
    await screen.until(/It is key|Scripted answer to/, SLOW);
    expect(await leaveChat(screen)).toBe(0);
  } finally {
    screen.close();
  }
}

test.each(["scripted", "opencode"])(
  "with %s, no file, no output and no receiver has a planted secret",
  async (agent) => {
    env = { ...env, ATOMIC_AGENT: agent };
    const input = ["--input", `note=${LEAK}`, "--agent", agent, "--yolo", "--record", "recordings/a.jsonl"];
    const run = await call("run", "leak", `Use ${LEAK}`, ...input, "--json");
    expect([run.exitCode, run.stderr]).toEqual([3, ""]);
    const runId = run.events[0]?.runId ?? "";
    const answered = await call("runs", "answer", runId, `Yes, ${LEAK}`);
    expect(answered.exitCode).toBe(1);
    await call("runs", "report", runId, "--output", "report.html");
    await call("runs", "report", runId, "--json");
    for (const flags of [[], ["--log"], ["--state"], ["--json"]]) await call("runs", "show", runId, ...flags);
    await call("runs", "history", runId, "--json");
    await call("runs", "compare", "recordings/a.jsonl", runId);
    expect((await call("-p", `Repeat ${LEAK}`, "--agent", agent, "--yolo", "--json")).exitCode).toBe(0);
    await chatOnce(agent);
    for (const about of ["doctor", "config list", "hooks list", "telemetry status", "telemetry show", "notify test"])
      await call(...about.split(" "), ...(about === "notify test" ? [] : ["--json"]));

    const received = receiver.requests.map(({ path, body }) => `${path} ${body}`);
    expect(received.filter((text) => text.startsWith("/v1/traces")).length).toBeGreaterThan(0);
    expect(webhooks.requests.length).toBeGreaterThan(0);
    expect([
      ...leaksInTexts("output", outputs),
      ...leaksInTexts("telemetry", received),
      ...leaksInTexts(
        "webhook",
        webhooks.requests.map(({ body }) => body),
      ),
      ...(await leaksInFiles()),
    ]).toEqual([]);
  },
  300_000,
);
