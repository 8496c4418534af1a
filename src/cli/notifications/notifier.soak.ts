import { afterEach, beforeEach, expect, test } from "bun:test";
import { runIdIn, TestEnvironment } from "../fixtures/test-environment.ts";
import { GATE } from "../fixtures/workflow-files.ts";
import { WebhookReceiver } from "./fixtures/webhook-receiver.ts";

let environment: TestEnvironment;
let receiver: WebhookReceiver;

beforeEach(async () => {
  environment = await TestEnvironment.create();
  await environment.writeWorkflows({ gate: GATE });
  receiver = new WebhookReceiver();
  await environment.write({ "home/.atomic/config.json": JSON.stringify(receiver.settings) });
});
afterEach(async () => {
  await receiver.stop();
  await environment.remove();
});

test("a webhook that never answers costs one call five seconds and one warning, and the next calls nothing", async () => {
  receiver.answer = () => new Promise<never>(() => undefined);
  const run = await environment.atomic("run", "gate");
  const warnings = (text: string) => text.split("\n").filter((line) => line.startsWith("warning"));
  expect([run.exitCode, warnings(run.stderr)]).toEqual([
    3,
    [
      `warning: The webhook http://127.0.0.1:${receiver.port} did not take a notification: it did not answer in time. What was not delivered is sent again by the next call about the run, and by: atomic runs due`,
    ],
  ]);
  const answered = await environment.atomic("runs", "answer", runIdIn(run.stdout), "yes");
  await environment.atomic("runs", "due");
  expect([answered.exitCode, warnings(answered.stderr), receiver.requests.length]).toEqual([0, [], 1]);
}, 30_000);
