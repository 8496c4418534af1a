import { afterAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { chmod, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import {
  AgentCrashedError,
  ClientNotInstalledError,
  type PermissionPolicy,
  ServerNotJoinedError,
  SessionBusyError,
  SessionDestroyedError,
} from "../../../contracts/index.ts";
import { call, say } from "../../../testkit/conformance/client/client-script.ts";
import { rejectionOf } from "../../../testkit/conformance/rejection-of.ts";
import { waitUntil } from "../../../testkit/conformance/wait-until.ts";
import { pidsOf, processesWith, waitForNoProcessWith } from "../../fixtures/running-processes.ts";
import { startAndWait } from "../../fixtures/vendor-programs.ts";
import { COPILOT_PROGRAM, startCopilotBench } from "./fixtures/copilot-bench.ts";

const ALLOW_ALL: PermissionPolicy = { rules: [], otherwise: "allow" };

const bench = await startCopilotBench(process.env.PATH ?? "");
const { models, script, workFolder } = bench;
afterAll(() => bench.stop());

function markedEnvironment(): { readonly marker: string; readonly env: Readonly<Record<string, string>> } {
  const marker = `marker-${crypto.randomUUID()}`;
  return { marker, env: { PATH: process.env.PATH ?? "", MARKER: marker } };
}

/** The runtime and its child processes, without the supervisor's shells, which may take two seconds more. */
function agentProcesses(marker: string): readonly string[] {
  const lines = processesWith(marker).map(({ commandLine }) => commandLine.join(" "));
  return lines.filter((line) => /copilot-runtime|sleep 300/.test(line) && !line.startsWith("sh "));
}

function bash(command: string, mode = "sync"): { readonly name: string; readonly input: unknown } {
  return { name: "bash", input: { command, description: "Run it", mode } };
}

describe("the runtime's process", () => {
  test("has exactly the given environment, and hides its token from commands", async () => {
    const { marker, env } = markedEnvironment();
    const client = bench.createClient({ env });
    script({ type: "message", toolCalls: [bash("env > env.txt")] }, say("Done."));
    await (await client.createSession({ permissions: ALLOW_ALL })).send("Go.");
    const written = await readFile(path.join(workFolder, "env.txt"), "utf8");
    expect(written).toContain(`MARKER=${marker}`);
    expect(written).not.toContain("CONNECTION_TOKEN");
    const runtimes = pidsOf(COPILOT_PROGRAM, `HOME=${bench.homeFolder}`);
    expect(runtimes.filter((pid) => pidsOf(COPILOT_PROGRAM, marker).includes(pid)).length).toBe(1);
    await client.stop();
    expect(processesWith(marker)).toEqual([]);
  });

  test.each([
    { title: "a turn", options: {} },
    { title: "a turn with an output schema", options: { outputSchema: { type: "object" } } },
  ])("is not restarted by $title sent just before the client was stopped", async ({ options }) => {
    const { marker, env } = markedEnvironment();
    const client = bench.createClient({ env });
    const session = await client.createSession();
    const turn = rejectionOf(session.send("Hello.", options));
    await client.stop();
    expect(await turn).toBeInstanceOf(Error);
    expect(agentProcesses(marker)).toEqual([]);
  });

  test("is not restarted by a session whose client was stopped", async () => {
    const { marker, env } = markedEnvironment();
    const client = bench.createClient({ env });
    const session = await client.createSession();
    await client.stop();
    const error = new SessionDestroyedError(session.id);
    expect(await rejectionOf(session.send("Hello?"))).toEqual(error);
    expect(await rejectionOf(session.getContextUsage())).toEqual(error);
    expect(agentProcesses(marker)).toEqual([]);
  });

  test("when it dies in a turn, the turn fails, and the next turn continues in a new process", async () => {
    const { marker, env } = markedEnvironment();
    const client = bench.createClient({ env });
    const session = await client.createSession();
    script(say("I am Ada-61."));
    await session.send("Who are you?");
    script({ type: "message", text: "word ".repeat(200), deltaDelayMs: 30 });
    const unsubscribe = client.on("text-delta", () => {
      unsubscribe();
      for (const pid of pidsOf(COPILOT_PROGRAM, marker)) process.kill(pid, "SIGKILL");
    });
    const error = await rejectionOf(session.send("Talk."));
    expect(error).toBeInstanceOf(AgentCrashedError);
    expect((error as AgentCrashedError).ending).toBe("signal SIGKILL");
    script(say("Still Ada."));
    expect((await session.send("And now?")).content).toBe("Still Ada.");
    expect(JSON.stringify(models.requests.at(-1)?.body)).toContain("I am Ada-61.");
    await client.stop();
    expect(processesWith(marker)).toEqual([]);
  });

  test("does not outlive Atomic, nor do the commands it runs", async () => {
    const { marker, env } = markedEnvironment();
    const pidFiles = ["waited", "background"].map((name) => path.join(workFolder, `${name}.pid`));
    const commands = pidFiles.map((file) => `echo $$ > ${file}; sleep 300; true`);
    script(
      { type: "message", toolCalls: [bash(commands[1] ?? "", "async")] },
      { type: "message", toolCalls: [bash(commands[0] ?? "")] },
    );
    using atomic = startAndWait({ vendor: "copilot", options: bench.optionsFor({ env }), prompt: "Go." });
    await once(atomic.stdout, "data");
    await waitUntil(() => pidFiles.every((file) => existsSync(file)), "the commands do not run");
    await waitUntil(
      () => agentProcesses(marker).length >= 5,
      "the agent, its supervisor and its commands are not all there",
    );
    atomic.kill("SIGKILL");
    const left = () => agentProcesses(marker);
    await waitUntil(
      () => left().length === 0,
      () => `these are left: ${left().join("; ")}`,
    );
    await waitForNoProcessWith(marker);
  });

  test("never has one conversation open twice: resuming releases it first, unless it is busy", async () => {
    script({ type: "message", text: "one two three", deltaDelayMs: 30 });
    const session = await bench.client.createSession();
    const sending = session.send("Count.");
    expect(await rejectionOf(bench.client.resumeSession(session.id))).toEqual(new SessionBusyError(session.id));
    await sending;
    const resumed = await bench.client.resumeSession(session.id, { systemPrompt: "Rhyme-62." });
    script(say("ok"));
    await resumed.send("Again.");
    expect(JSON.stringify(models.requests.at(-1)?.body)).toContain("Rhyme-62.");
  });
});

describe("a runtime that does not start", () => {
  test("because it is not installed says what to install", async () => {
    const error = await rejectionOf(bench.createClient({ binaryPath: "/nowhere/copilot" }).start());
    expect(error).toBeInstanceOf(ClientNotInstalledError);
    expect((error as Error).message).toBe(
      'The agent "copilot" cannot start: the program "/nowhere/copilot" was not found. Run "atomic install copilot".',
    );
  });

  test("because it ends at once says how it ended, with its last output", async () => {
    const binaryPath = path.join(workFolder, "broken");
    await writeFile(binaryPath, "#!/bin/sh\necho 'no such option' >&2\nexit 3\n");
    await chmod(binaryPath, 0o755);
    const error = await rejectionOf(bench.createClient({ binaryPath }).start());
    expect(error).toBeInstanceOf(AgentCrashedError);
    expect((error as AgentCrashedError).ending).toBe("exit code 3");
  });

  test("because it rejects the SDK does not count as a failure to join", async () => {
    const program = path.join(workFolder, "rejecting.ts");
    const binaryPath = path.join(workFolder, "rejecting");
    const answer = 'JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32000, message: "AUTHENTICATION_FAILED" } })';
    await writeFile(
      program,
      `process.stdin.on("data", (chunk) => {
        const id = Number(/"id":(\\d+)/.exec(String(chunk))?.[1]);
        const body = ${answer};
        process.stdout.write(\`Content-Length: \${body.length}\\r\\n\\r\\n\${body}\`);
      });`,
    );
    await writeFile(binaryPath, `#!/bin/sh\nexec ${process.execPath} ${program}\n`);
    await chmod(binaryPath, 0o755);
    const error = await rejectionOf(bench.createClient({ binaryPath }).start());
    expect(error).not.toBeInstanceOf(ServerNotJoinedError);
    expect((error as Error).message).toContain("AUTHENTICATION_FAILED");
  });

  test("because it is silent fails after startTimeoutMs, and leaves no process running", async () => {
    const { marker, env } = markedEnvironment();
    const binaryPath = path.join(workFolder, "silent");
    await writeFile(binaryPath, "#!/bin/sh\nsleep 300\n");
    await chmod(binaryPath, 0o755);
    const error = await rejectionOf(bench.createClient({ binaryPath, env, startTimeoutMs: 200 }).start());
    expect(error).toEqual(new AgentCrashedError("copilot", "no connection within 200 ms", []));
    expect(processesWith(marker)).toEqual([]);
  });
});

describe("a runtime that stops answering", () => {
  test("delays neither destroy() nor stop() without limit", async () => {
    const { marker, env } = markedEnvironment();
    const client = bench.createClient({ env });
    const sessions = [await client.createSession(), await client.createSession()];
    for (const pid of pidsOf(COPILOT_PROGRAM, marker)) process.kill(pid, "SIGSTOP");
    await sessions[0]?.destroy();
    await client.stop();
    expect(agentProcesses(marker)).toEqual([]);
  });
});

describe("work in the background", () => {
  test("that ends makes the agent continue in the same turn", async () => {
    const signal = path.join(workFolder, "build-now");
    // It ends only after the agent's answer, so that Copilot informs the agent of it.
    const build = bash(`until [ -e ${signal} ]; do sleep 0.1; done; sleep 0.5; echo built`, "async");
    const replies = [call("bash", build.input), say("Started."), say("It is built.")];
    let count = 0;
    models.setScript(() => replies[count++] ?? say("Too often."));
    const session = await bench.client.createSession({ permissions: ALLOW_ALL });
    const unsubscribe = bench.client.on("vendor", ({ name }) => {
      if (name === "assistant.turn_end" && count === 2) writeFileSync(signal, "");
    });
    expect((await session.send("Build.")).content).toBe("Started.\n\nIt is built.");
    unsubscribe();
  });

  test("that never ends does not delay the turn forever, and is stopped with it", async () => {
    const file = path.join(workFolder, "server.pid");
    const replies = [call("bash", bash(`echo $$ > ${file}; sleep 300; true`, "async").input), say("It serves.")];
    let count = 0;
    models.setScript(() => replies[count++] ?? say("It is gone."));
    const session = await bench.client.createSession({ permissions: ALLOW_ALL });
    const { content } = await session.send("Serve.", { stallTimeoutMs: 3_000 });
    expect(content.startsWith("It serves.")).toBe(true);
    const pid = Number((await readFile(file, "utf8")).trim());
    await waitUntil(() => !existsSync(`/proc/${pid}`), "the command is still there");
  });
});
