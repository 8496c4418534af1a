import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { OtlpReceiver } from "../../telemetry/fixtures/otlp-receiver.ts";
import { runWorkflowCommand } from "../commands/run-command.ts";
import { createDemoProject, DEMO_GOAL, DEMO_TEST_COMMAND } from "../demo/demo-project.ts";
import { playDemoAgent } from "../demo/demo-script.ts";
import { TestEnvironment } from "../fixtures/test-environment.ts";

let environment: TestEnvironment;
let receiver: OtlpReceiver;

beforeEach(async () => {
  environment = await TestEnvironment.create();
  receiver = new OtlpReceiver();
});
afterEach(async () => {
  await receiver.stop();
  await environment.remove();
});

test("a run of Ralph is a trace with its rounds, tasks, turns and tools; its events count them", async () => {
  const project = join(environment.root, "shop");
  await mkdir(project);
  await createDemoProject(project);
  await environment.atomic("telemetry", "on");
  const { environment: called } = environment.describe([], {
    env: {
      HOME: join(environment.root, "home"),
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    },
    workingDirectory: "shop",
  });
  const exitCode = await runWorkflowCommand(called, {
    name: "ralph",
    prompt: DEMO_GOAL,
    flags: {
      agent: "scripted",
      allow: ["read", "edit", "shell:git *"],
      deny: [],
      input: [`verifyCommand=${DEMO_TEST_COMMAND}`, "workers=1", "review=no"],
    },
    scriptedAgent: (turn) => playDemoAgent(turn, (path) => readFile(join(project, path), "utf8")),
  });
  expect({ exitCode, problems: called.stderr }).toMatchObject({ exitCode: 0 });
  const outline = receiver.outline();
  expect(outline[0]).toBe("invoke_workflow ralph | completed");
  const names = new Set(outline.map((line) => line.trim()));
  for (const name of ["tool read-goal | completed", "invoke_agent scripted", "turn | completed"]) {
    expect([...names]).toContain(name);
  }
  expect(outline.filter((line) => line.trim().startsWith("execute_tool ")).length).toBeGreaterThan(1);
  // One trace, in which every span but the first has a parent.
  expect(new Set(receiver.spans.map(({ traceId }) => traceId)).size).toBe(1);
  const ids = new Set(receiver.spans.map(({ spanId }) => spanId));
  const lost = receiver.spans.filter(({ parentSpanId }) => parentSpanId !== undefined && !ids.has(parentSpanId));
  expect({ lost, roots: outline.filter((line) => !line.startsWith(" ")).length }).toEqual({ lost: [], roots: 1 });
  const { stdout } = await environment.atomic("telemetry", "show", "--count", "9999", "--json");
  const types: readonly string[] = JSON.parse(stdout).events.map(({ eventType }: { eventType: string }) => eventType);
  const count = (type: string): number => types.filter((found) => found === type).length;
  expect({
    started: count("workflow.ralph.started"),
    iterations: count("workflow.ralph.iteration"),
    features: [count("workflow.feature.started"), count("workflow.feature.completed")],
    completed: count("workflow.ralph.completed"),
  }).toEqual({ started: 1, iterations: 1, features: [1, 1], completed: 1 });
}, 120_000);
