import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { OtlpReceiver } from "../../telemetry/fixtures/otlp-receiver.ts";
import { PtyScreen } from "../../tui/fixtures/pty-screen.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

const KEY = "11111111-2222-3333-4444-555555555555";
const SECRET = "zq8-Wm4Kt2Vx9LbN";
/** A start compiles Atomic's files the first time. */
const SLOW = { timeoutMs: 60_000 };

/** Asks an agent, runs a command, and fails with a secret. */
const WORKFLOW = `import { agentNode, graph, shellNode, toolNode } from "@bastani/atomic/graph";
export default () =>
  graph()
    .start(agentNode({ id: "ask", agentType: "scripted", buildMessage: () => "Repeat " + process.env.ACME_API_KEY }))
    .then(shellNode({ id: "print", command: "echo $ACME_API_KEY > private-file.txt" }))
    .then(toolNode({ id: "broken", execute: () => { throw new Error("private words and " + process.env.ACME_API_KEY); } }))
    .end()
    .compile();
`;

let sandbox: Sandbox;
let receiver: OtlpReceiver;

beforeEach(async () => {
  sandbox = await Sandbox.create();
  receiver = new OtlpReceiver();
  await sandbox.write({ ".atomic/workflows/work.ts": WORKFLOW });
});
afterEach(async () => {
  await receiver.stop();
  await sandbox.remove();
});

const RUN = ["run", "work", "--trust", "--agent", "scripted", "--json"];

const destinations = () => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
  OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  OTEL_EXPORTER_OTLP_HEADERS: "api-key=header-secret-1",
  ATOMIC_APP_INSIGHTS_KEY: `InstrumentationKey=${KEY};IngestionEndpoint=${receiver.url}`,
  ACME_API_KEY: SECRET,
});

async function localEvents(): Promise<readonly { readonly eventType: string }[]> {
  const { stdout } = await sandbox.atomic("telemetry", "show", "--count", "999", "--json");
  return JSON.parse(stdout).events;
}

/** Runs the workflow to its end. Returns the time from the start of the call to the end of its run, in milliseconds. */
async function timeToRunEnd(env: Readonly<Record<string, string>>): Promise<number> {
  const startedAt = performance.now();
  const call = sandbox.start(RUN, env);
  await call.waitFor(({ type }) => type === "run-end");
  const endedAt = performance.now();
  const { exitCode, events } = await call.ended;
  // Its last node throws.
  expect({ exitCode, end: events.at(-1) }).toMatchObject({
    exitCode: 1,
    end: { type: "run-end", status: "failed", error: { nodeId: "broken" } },
  });
  return endedAt - startedAt;
}

/** All files of telemetry, as one text. */
async function localFiles(): Promise<string> {
  const folder = join(sandbox.root, "home/.local/share/atomic/telemetry");
  const names = await readdir(folder).catch(() => []);
  return (await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")))).join("\n");
}

describe("the program", () => {
  test("sends nothing without consent, and records no text", async () => {
    const { exitCode } = await sandbox.start(RUN, destinations()).ended;
    expect({ exitCode, requests: receiver.requests }).toEqual({ exitCode: 1, requests: [] });
    expect((await localEvents()).map(({ eventType }) => eventType)).toContain("graph.execution.failed");
    const files = await localFiles();
    for (const hidden of [SECRET, "private", "Repeat", sandbox.root]) expect(files).not.toContain(hidden);
  }, 120_000);

  test("sends the spans of a run with consent, and no text", async () => {
    await sandbox.atomic("telemetry", "on");
    const { exitCode } = await sandbox.start(RUN, destinations()).ended;
    expect(exitCode).toBe(1);
    expect(receiver.outline()).toEqual([
      "invoke_workflow work | failed | NODE_FAILED",
      "  agent ask | completed",
      "    invoke_agent scripted",
      "      turn | completed",
      "  tool print | completed",
      "    command",
      "  tool broken | failed | NODE_FAILED",
    ]);
    const sent = JSON.stringify(receiver.requests.map(({ body }) => body));
    for (const hidden of [SECRET, "private", "Repeat", sandbox.root]) expect(sent).not.toContain(hidden);
    expect(sent).toContain("graph.execution.failed");
  }, 120_000);

  test.each(["dead", "hanging"] as const)(
    "works as without telemetry when the receivers are %s",
    async (state) => {
      await sandbox.atomic("telemetry", "on");
      const env = destinations();
      if (state === "dead") await receiver.stop();
      receiver.isHanging = true;
      const call = sandbox.start(RUN, env);
      await call.waitFor(({ type }) => type === "run-end");
      const endedAt = performance.now();
      const { exitCode, stderr, events } = await call.ended;
      expect({ exitCode, stderr, last: events.at(-1)?.type }).toEqual({ exitCode: 1, stderr: "", last: "run-end" });
      // One second for telemetry; the rest is for a busy machine. A receiver that is waited for takes ten at least.
      expect(performance.now() - endedAt).toBeLessThan(8_000);
    },
    120_000,
  );

  test("comes to the same end when the receivers are dead or never answer, and prints how long that takes", async () => {
    await sandbox.atomic("telemetry", "on");
    const [dead, hanging] = [new OtlpReceiver(), new OtlpReceiver()];
    await dead.stop();
    hanging.isHanging = true;
    const at = ({ url }: OtlpReceiver) => ({
      ...destinations(),
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      ATOMIC_APP_INSIGHTS_KEY: `InstrumentationKey=${KEY};IngestionEndpoint=${url}`,
    });
    const kinds = { off: { ATOMIC_TELEMETRY: "0" }, answering: at(receiver), dead: at(dead), hanging: at(hanging) };
    const times = new Map<string, number>();
    // By turns, so that another load of the machine is the same for all.
    for (let round = 0; round < 2; round++) {
      for (const [kind, env] of Object.entries(kinds)) {
        times.set(kind, Math.min(times.get(kind) ?? Number.POSITIVE_INFINITY, await timeToRunEnd(env)));
      }
    }
    await hanging.stop();
    for (const [kind, time] of times)
      process.stderr.write(`telemetry ${kind}: ${time.toFixed(0)} ms to the run's end\n`);
    expect(hanging.requests.length).toBeGreaterThan(0);
  }, 300_000);

  test("connects to nothing but this machine in a demo without a receiver, and the demo leaves no trace", async () => {
    const { exitCode } = await sandbox.start(["demo", "--agent", "scripted"], { NO_COLOR: "1" }).ended;
    expect({ exitCode, requests: receiver.requests, files: await localFiles() }).toEqual({
      exitCode: 0,
      requests: [],
      files: "",
    });
  }, 120_000);

  test("records a chat: opened, the message, the answer, closed", async () => {
    const screen = new PtyScreen([sandbox.program, "--agent", "scripted", "--plain"], {
      env: { ...sandbox.env, CI: "" },
      workingDirectory: sandbox.project,
    });
    try {
      await screen.until(/you:/, SLOW);
      screen.type("private words\r");
      await screen.until(/Scripted answer to: private words/, SLOW);
      screen.type("/exit\r");
      expect(await screen.exit(SLOW)).toBe(0);
    } finally {
      screen.close();
    }
    const types = (await localEvents()).map(({ eventType }) => eventType);
    for (const type of [
      "ui.chat.opened",
      "sdk.session.created",
      "ui.message.submitted",
      "sdk.message.sent",
      "sdk.message.received",
      "ui.chat.closed",
    ]) {
      expect(types).toContain(type);
    }
    expect(await localFiles()).not.toContain("private");
  }, 120_000);
});
