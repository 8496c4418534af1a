import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import type { RunsPort } from "../../../tui/index.ts";
import type { CliEnvironment } from "../../environment.ts";
import { TestEnvironment } from "../../fixtures/test-environment.ts";
import { FLAKY, GATE, GREET } from "../../fixtures/workflow-files.ts";
import { createRunsPort } from "./create-runs-port.ts";
import { startRun } from "./start-run.ts";

let machine: TestEnvironment;
let environment: CliEnvironment;
let port: RunsPort;

beforeEach(async () => {
  machine = await TestEnvironment.create();
  await machine.writeWorkflows({ gate: GATE, greet: GREET, flaky: FLAKY });
  environment = machine.describe(["chat"], { env: { HOME: join(machine.root, "home") } }).environment;
  port = createRunsPort(environment);
});
afterEach(() => machine.remove());

async function end(id: string): Promise<void> {
  for await (const _ of port.follow(id, new AbortController().signal));
}

test("a run starts in a process of its own, waits for an answer there, and continues after it", async () => {
  const id = await startRun(environment, "gate", { agent: "scripted" });
  await end(id);
  const [item] = await port.loadInbox();
  expect(item).toMatchObject({ type: "question", runId: id, request: { id: "approve" } });
  await port.answer(id, "approve", "yes");
  await end(id);
  expect(await port.load(id)).toMatchObject({
    state: "completed",
    steps: [
      { nodeId: "prepare", name: "prepare", nodeType: "tool", depth: 0 },
      { nodeId: "approve", nodeType: "wait", depth: 0 },
    ],
  });
});

test("a failed run is resumed by a process of its own, and so is one whose failed step is retried", async () => {
  const id = await startRun(environment, "flaky");
  await end(id);
  const { execution: first } = await port.load(id);
  await port.resume(id);
  await end(id);
  const { state, execution: second } = await port.load(id);
  expect([state, second === first]).toEqual(["failed", false]);
  await machine.writeProject({ repaired: "" });
  await port.retryNode(id, "second");
  await end(id);
  expect(await port.load(id)).toMatchObject({ state: "completed" });
});

test("what prevents a run from beginning is the error", async () => {
  await expect(startRun(environment, "gret", { prompt: "-x" })).rejects.toThrow("Did you mean");
});
