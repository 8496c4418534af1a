import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { attributesOf, OtlpReceiver } from "../../telemetry/fixtures/otlp-receiver.ts";
import { runWorkflowCommand } from "../commands/run-command.ts";
import { Keys } from "../fixtures/keys.ts";
import { type CallResult, TestEnvironment } from "../fixtures/test-environment.ts";
import { GREET } from "../fixtures/workflow-files.ts";

const QUESTION = "May Atomic send it there?";
const SECRET = "zq8-Wm4Kt2Vx9LbN";

let environment: TestEnvironment;
let receiver: OtlpReceiver;

beforeEach(async () => {
  environment = await TestEnvironment.create();
  receiver = new OtlpReceiver();
  await environment.writeWorkflows({ greet: GREET });
});
afterEach(async () => {
  await receiver.stop();
  await environment.remove();
});

const destination = () => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
  OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  NO_COLOR: "1",
});

const RUN = ["run", "greet", "everybody", "--agent", "scripted"];

async function events(): Promise<readonly { readonly eventType: string; readonly properties: unknown }[]> {
  const { stdout } = await environment.atomic("telemetry", "show", "--count", "999", "--json");
  return JSON.parse(stdout).events;
}

async function telemetryFiles(): Promise<readonly string[]> {
  const files = await readdir(join(environment.root, "home/.local/share/atomic/telemetry")).catch(() => []);
  return files.sort();
}

describe("a run", () => {
  test("is recorded locally, and sent nowhere without consent", async () => {
    const { exitCode } = await environment.start(RUN, { env: destination() }).ended;
    expect(exitCode).toBe(0);
    expect(receiver.requests).toEqual([]);
    const types = (await events()).map(({ eventType }) => eventType);
    const SAVED = "graph.checkpoint.saved";
    expect(types.filter((type) => type !== SAVED)).toEqual([
      "graph.execution.started",
      "graph.node.started",
      "sdk.session.created",
      "sdk.message.sent",
      "sdk.message.received",
      "sdk.session.destroyed",
      "graph.node.completed",
      "graph.execution.completed",
    ]);
    // The start, what the agent used, the node, and the end. The second is written while the agent works.
    expect([types.filter((type) => type === SAVED).length, types[1], types.at(-2)]).toEqual([4, SAVED, SAVED]);
  });

  test.each([{ DO_NOT_TRACK: "1" }, { ATOMIC_TELEMETRY: "0" }])("with %p leaves no trace at all", async (off) => {
    await environment.start(["telemetry", "on"], {}).ended;
    const { exitCode } = await environment.start(RUN, { env: { ...destination(), ...off } }).ended;
    expect({ exitCode, requests: receiver.requests, files: await telemetryFiles() }).toEqual({
      exitCode: 0,
      requests: [],
      files: ["anonymous-id", "consent.json"],
    });
  });

  test("is sent after consent, with its turns and tools, and without its texts and secrets", async () => {
    await environment.start(["telemetry", "on"], {}).ended;
    const { environment: called } = environment.describe([], {
      env: { ...destination(), ACME_API_KEY: SECRET, ATOMIC_APP_INSIGHTS_KEY: insightsKey() },
    });
    const exitCode = await runWorkflowCommand(called, {
      name: "greet",
      prompt: `everybody with ${SECRET}`,
      flags: { agent: "scripted", allow: ["shell:*", "edit"], deny: [] },
      scriptedAgent: () => ({
        actions: [
          { type: "run-command", command: `echo ${SECRET}` },
          { type: "edit-file", path: "private-name.txt", content: SECRET },
        ],
        text: `Hello, ${SECRET}`,
      }),
    });
    expect(exitCode).toBe(0);
    expect(receiver.outline()).toEqual([
      "invoke_workflow greet | completed",
      "  agent greet | completed",
      "    invoke_agent scripted",
      "      turn | completed",
      expect.stringMatching(/^ {8}execute_tool \w+$/),
      expect.stringMatching(/^ {8}execute_tool \w+$/),
    ]);
    const [root] = receiver.roots;
    expect(root && attributesOf(root)["gen_ai.operation.name"]).toBe("invoke_workflow");
    expect(new Set(receiver.requests.map(({ path }) => path))).toEqual(
      new Set(["/v1/traces", "/v1/metrics", "/v2/track"]),
    );
    const recorded = JSON.stringify([receiver.requests, await events()]);
    for (const hidden of [SECRET, "private-name", "everybody", "Hello,", environment.root]) {
      expect(recorded).not.toContain(hidden);
    }
  });

  test.each(["dead", "hanging"] as const)("is unaffected by a receiver that is %s", async (state) => {
    await environment.start(["telemetry", "on"], {}).ended;
    if (state === "dead") await receiver.stop();
    receiver.isHanging = true;
    const env = { ...destination(), ATOMIC_APP_INSIGHTS_KEY: insightsKey() };
    const plain = await environment.start(RUN, { env: { ATOMIC_TELEMETRY: "0", NO_COLOR: "1" } }).ended;
    const startedAt = performance.now();
    const sent = await environment.start(RUN, { env }).ended;
    expect(comparable(sent)).toEqual(comparable(plain));
    // A second at the end at most; the rest is for a slow machine.
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  test.each(["dead", "hanging"] as const)("reports what a receiver that is %s did not take", async (state) => {
    await environment.start(["telemetry", "on"], {}).ended;
    const { url } = receiver;
    const env = { ...destination(), ATOMIC_DEBUG: "1" };
    if (state === "dead") await receiver.stop();
    receiver.isHanging = true;
    const { exitCode, stderr } = await environment.start(RUN, { env }).ended;
    const lines = stderr.split("\n").filter((line) => line.startsWith("Telemetry:"));
    expect({ exitCode, lines }).toEqual({
      exitCode: 0,
      lines: [`Telemetry: a batch for OTLP is lost: ${url} did not take it within 1000 ms`],
    });
  });
});

test("a setting that cannot be used is a warning, and the run takes place", async () => {
  await environment.start(["telemetry", "on"], {}).ended;
  const env = { ...destination(), OTEL_EXPORTER_OTLP_PROTOCOL: "grpc", ATOMIC_APP_INSIGHTS_KEY: "no key" };
  const { exitCode, stderr } = await environment.start(RUN, { env }).ended;
  expect(exitCode).toBe(0);
  expect(stderr).toContain("warning: ATOMIC_APP_INSIGHTS_KEY has no valid instrumentation key.");
  expect(stderr).toContain('warning: Telemetry is not sent: The OTLP protocol "grpc" is not supported.');
});

describe("a person at the terminal", () => {
  const open = () => environment.start(RUN, { isInteractive: true, isTTY: true, columns: 200, env: destination() });

  test.each([
    { answer: "no", keys: [Keys.enter], consent: "off", paths: [] },
    { answer: "yes", keys: [Keys.down, Keys.enter], consent: "on", paths: ["/v1/metrics", "/v1/traces"] },
    { answer: "with Escape", keys: [Keys.escape], consent: "off", paths: [] },
  ])("decides once, and answers $answer", async ({ keys, consent, paths }) => {
    const call = open();
    await call.stderr.waitFor("● No");
    expect(call.stderr.text).toContain(QUESTION);
    for (const key of keys) {
      call.stdin.write(key);
      if (key === Keys.down) await call.stderr.waitFor("● Yes");
    }
    const { exitCode, stderr } = await call.ended;
    expect({ exitCode, hint: stderr.includes("atomic telemetry on, atomic telemetry off") }).toEqual({
      exitCode: 0,
      hint: true,
    });
    const { stdout } = await environment.atomic("telemetry", "status", "--json");
    expect(JSON.parse(stdout).consent).toBe(consent);
    expect([...new Set(receiver.requests.map(({ path }) => path))].sort()).toEqual([...paths]);
    const again = await open().ended;
    expect(again.stderr).not.toContain(QUESTION);
  });

  test.each([
    { title: "without a receiver", args: RUN, options: { isInteractive: true, isTTY: true } },
    { title: "without a terminal", args: RUN, options: { env: { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" } } },
    {
      title: "of -p",
      args: ["-p", "Hello", "--agent", "scripted"],
      options: { isInteractive: true, isTTY: true, env: { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" } },
    },
  ])("has no question $title", async ({ args, options }) => {
    const { exitCode, stderr } = await environment.start(args, options).ended;
    expect({ exitCode, isAsked: stderr.includes(QUESTION) }).toEqual({ exitCode: 0, isAsked: false });
    expect(await telemetryFiles()).not.toContain("consent.json");
  });
});

test("a message of -p is recorded, and not its text", async () => {
  await environment.atomic("-p", "What is private?", "--agent", "scripted");
  const recorded = await events();
  expect(recorded.map(({ eventType }) => eventType)).toEqual([
    "sdk.session.created",
    "sdk.message.sent",
    "sdk.message.received",
  ]);
  expect(JSON.stringify(recorded)).not.toContain("private");
});

function insightsKey(): string {
  return `InstrumentationKey=11111111-2222-3333-4444-555555555555;IngestionEndpoint=${receiver.url}`;
}

function comparable(result: CallResult): CallResult {
  const same = (text: string): string => environment.normalise(text).replaceAll(/<ms>|\b\d+(?:\.\d+)?s\b/g, "<time>");
  return { ...result, stdout: same(result.stdout), stderr: same(result.stderr) };
}
