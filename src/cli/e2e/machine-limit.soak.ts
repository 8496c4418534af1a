import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunEvent } from "../../contracts/index.ts";
import { waitUntil } from "../../testkit/conformance/wait-until.ts";
import type { AtomicProcess } from "./fixtures/atomic-process.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

const AGENT = join(import.meta.dirname, "../fixtures/acp-agent.ts");

const WORK = `import { agentNode, graph } from "@bastani/atomic/graph";
const ask = (id: string) => agentNode({ id, buildMessage: () => "Work.", retry: { maxAttempts: 1 } });
export default () => graph().start(ask("one")).then(ask("two")).then(ask("three")).end().compile();
`;

let sandbox: Sandbox;
let log: string;
let gate: string;

beforeEach(async () => {
  sandbox = await Sandbox.create();
  log = join(sandbox.root, "turns.log");
  gate = join(sandbox.root, "gate");
  await writeFile(log, "");
  await sandbox.write({ ".atomic/workflows/work.ts": WORK });
  await setLimit(1);
});
afterEach(() => sandbox.remove());

async function setLimit(maxAgentsOnMachine: number, more: readonly string[] = []): Promise<void> {
  const args = [AGENT, "--log", log, "--until", gate, ...more];
  const agents = { noting: { command: process.execPath, args, ungated: true } };
  await sandbox.writeConfig({ agent: "noting", limits: { maxAgentsOnMachine }, agents });
}

const startRun = (): AtomicProcess => sandbox.start(["run", "work", "--trust", "--alongside", "--json"]);

const isAgentEvent = (type: string) => (event: RunEvent) => event.type === "agent" && event.event.type === type;

async function waitForLog(text: string): Promise<void> {
  const isThere = async (): Promise<boolean> => (await readFile(log, "utf8")) === text;
  await waitUntil(isThere, "the turns did not begin", { timeoutMs: 30_000 });
}

/** Starts a run that holds the only slot. */
async function startHolder(): Promise<AtomicProcess> {
  const holder = startRun();
  await holder.waitFor(isAgentEvent("turn-start"));
  await waitForLog("begin\n");
  return holder;
}

test("three runs and a message share one slot: no turn overlaps another, and all complete", async () => {
  const runs = [startRun(), startRun(), startRun()];
  const waits = runs.map((run) => run.waitFor(isAgentEvent("waiting")));
  for (const wait of waits) wait.catch(() => {}); // one of them need not wait
  const prompt = sandbox.start(["-p", "Work.", "--json"]);
  await Promise.race(waits.map((_, index) => Promise.all(waits.filter((_wait, other) => other !== index))));
  await writeFile(gate, "");
  const results = await Promise.all([...runs, prompt].map(({ ended }) => ended));
  expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
  const turns = 3 * runs.length + 1;
  expect((await readFile(log, "utf8")).trim().split("\n")).toEqual(
    Array.from({ length: turns }, () => ["begin", "end"]).flat(),
  );
}, 120_000);

test("a run waits for a slot until its holder is killed, and says so", async () => {
  const holder = await startHolder();
  const waiting = startRun();
  const event = await waiting.waitFor(isAgentEvent("waiting"));
  expect(event).toMatchObject({
    event: {
      reason: "machine-limit",
      message: "1 agent is at work on this machine, as many as the settings allow",
    },
  });
  holder.kill("SIGKILL");
  await writeFile(gate, "");
  expect((await waiting.ended).exitCode).toBe(0);
}, 120_000);

test("a raised limit applies to a turn that waits; a cancel ends the wait", async () => {
  const holder = await startHolder();
  const [cancelled, waiting] = [startRun(), startRun()];
  await Promise.all([cancelled, waiting].map((run) => run.waitFor(isAgentEvent("waiting"))));
  cancelled.kill("SIGINT");
  expect((await cancelled.ended).exitCode).toBe(130);
  await setLimit(2);
  await waitForLog("begin\nbegin\n");
  await writeFile(gate, "");
  expect([(await waiting.ended).exitCode, (await holder.ended).exitCode]).toEqual([0, 0]);
}, 120_000);

test("an agent that runs Atomic as a command does not wait for itself", async () => {
  await setLimit(1, ["--command", "atomic -p Work."]);
  await writeFile(gate, "");
  const { exitCode, stdout } = await sandbox.atomic("-p", "Delegate.");
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "This is a.\n" });
  expect(await readFile(log, "utf8")).toBe("begin\nbegin\nend\nend\n");
}, 60_000);
