import { afterEach, describe, expect, test } from "bun:test";
import { spawn, spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { processesWith, waitForNoProcessWith } from "../fixtures/running-processes.ts";
import { type AgentProcess, type AgentProcessOptions, startAgentProcess } from "./agent-process.ts";

const PATH = process.env.PATH ?? "";

const started: AgentProcess[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((agent) => agent.stop()));
});

function startShell(script: string, options: Partial<AgentProcessOptions> = {}): AgentProcess {
  const agent = startAgentProcess({
    agentType: "test",
    command: ["sh", "-c", script],
    env: { PATH },
    workingDirectory: tmpdir(),
    ...options,
  });
  started.push(agent);
  return agent;
}

async function waitForText(stream: Readable, wanted: string): Promise<void> {
  let heard = "";
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    heard += String(chunk);
    if (heard.includes(wanted)) return;
  }
  throw new Error(`The program ended and said only: ${heard}`);
}

describe("an agent's process", () => {
  test("reads a secret once from the file descriptor that its environment names", async () => {
    const agent = startShell('cat <&"$KEY_FD"; cat <&"$KEY_FD"; env', { secrets: { KEY_FD: "secret-71" } });
    const output = await text(agent.stdout);
    expect([output.split("secret-71").length - 1, output.includes("KEY_FD=5")]).toEqual([1, true]);
  });

  test("is spoken to through its pipes and has the given environment and folder, nothing else", async () => {
    const agent = startShell('read line; echo "$line $NAME ${HOME-none}"; pwd', {
      env: { PATH, NAME: "Ada" },
      hasInput: true,
      workingDirectory: "/",
    });
    agent.stdin?.end("Hello\n");
    expect(await text(agent.stdout)).toBe("Hello Ada none\n/\n");
  });

  test("has no input unless the options request it", async () => {
    const agent = startShell("cat; echo over");
    expect([agent.stdin, await text(agent.stdout)]).toEqual([undefined, "over\n"]);
  });

  test.each([
    { title: "an exit code", script: "exit 7", ending: "exit code 7" },
    { title: "a signal", script: "kill -s KILL $$", ending: "signal SIGKILL" },
    { title: "no such program", script: "exec /nowhere/agent", ending: "exit code 127" },
  ])("reports how it ended: $title", async ({ script, ending }) => {
    const error = await startShell(script).ended;
    expect([error.agentType, error.ending]).toEqual(["test", ending]);
  });

  test("that cannot be started at all has ended, too", async () => {
    const error = await startShell("true", { workingDirectory: path.join(tmpdir(), "atomic-no-such-folder") }).ended;
    expect(error.message).toStartWith('The process of the agent "test" ended unexpectedly (');
  });

  test("leaves its last 20 lines of standard error, those it wrote right before its end included", async () => {
    const error = await startShell("for n in $(seq 1 30); do echo line $n >&2; done; exit 1").ended;
    expect(error.lastLines).toEqual(Array.from({ length: 20 }, (_, index) => `line ${index + 11}`));
  });

  test("that has ended takes input without harm", async () => {
    const agent = startShell("exit 0", { hasInput: true });
    await agent.ended;
    agent.stdin?.write("is anybody there?\n");
    await agent.stop();
    expect((await agent.ended).ending).toBe("exit code 0");
  });
});

describe.skipIf(process.platform !== "linux")("nothing of an agent is left", () => {
  test("when it is stopped, though parts of it ignore SIGTERM or have outlived their parent", async () => {
    const marker = `marker-${crypto.randomUUID()}`;
    const agent = startShell("(trap '' TERM; sleep 300) & (sleep 300 &) ; echo started; sleep 300", {
      env: { PATH, MARKER: marker },
    });
    await waitForText(agent.stdout, "started");
    expect(processesWith(marker).length).toBeGreaterThan(2);
    await Promise.all([agent.stop(), agent.stop()]);
    expect(processesWith(marker)).toEqual([]);
  });

  test("when its signal is aborted; one that is aborted already starts nothing", async () => {
    const marker = `marker-${crypto.randomUUID()}`;
    const controller = new AbortController();
    const options = { env: { PATH, MARKER: marker }, signal: controller.signal };
    const agent = startShell("echo started; sleep 300", options);
    await waitForText(agent.stdout, "started");
    const reason = new Error("not needed any more");
    controller.abort(reason);
    await agent.ended;
    await agent.stop();
    expect(() => startShell("sleep 300", options)).toThrow(reason);
    expect(processesWith(marker)).toEqual([]);
  });

  test("when it ends by itself and leaves a program running", async () => {
    const marker = `marker-${crypto.randomUUID()}`;
    const agent = startShell("sleep 300 & exit 3", { env: { PATH, MARKER: marker } });
    expect((await agent.ended).ending).toBe("exit code 3");
    await agent.stop();
    expect(processesWith(marker)).toEqual([]);
  });

  test("two seconds after Atomic was killed with kill -9", async () => {
    const marker = `marker-${crypto.randomUUID()}`;
    const command = ["sh", "-c", "sleep 300 & echo started; trap '' TERM; sleep 300; wait"];
    const options = { agentType: "test", command, env: { PATH, MARKER: marker }, workingDirectory: "/" };
    const program = [
      `import { startAgentProcess } from ${JSON.stringify(path.join(import.meta.dir, "agent-process.ts"))};`,
      `startAgentProcess(${JSON.stringify(options)}).stdout.pipe(process.stdout);`,
    ].join("\n");
    using atomic = spawn(process.execPath, ["-e", program], { env: { PATH }, stdio: ["ignore", "pipe", "ignore"] });
    await waitForText(atomic.stdout, "started");
    expect(processesWith(marker).length).toBeGreaterThan(1);
    atomic.kill("SIGKILL");
    await waitForNoProcessWith(marker, { timeoutMs: 3_000 });
  });
});

/** Assigns its own process ids, which only its own namespace allows. */
const NAMESPACE = ["unshare", "-Urpf", "--mount-proc"] as const;

test.skipIf(
  spawnSync(NAMESPACE[0], [...NAMESPACE.slice(1), "sh", "-c", "echo 500 > /proc/sys/kernel/ns_last_pid"]).status !== 0,
)("stopping an agent that ended long ago spares the program that has its number now", async () => {
  const program = path.join(import.meta.dir, "fixtures/stop-after-reuse.ts");
  // The shell adopts the agent's orphans, as an init would: an id is free only after that.
  const [command, ...args] = [...NAMESPACE, "sh", "-c", `'${process.execPath}' '${program}'; exit $?`];
  const child = spawn(command, args, { env: { PATH }, stdio: ["ignore", "pipe", "inherit"] });
  expect(JSON.parse(await text(child.stdout))).toEqual({ hasSameNumber: true, stillRuns: true, signal: "SIGUSR1" });
});
