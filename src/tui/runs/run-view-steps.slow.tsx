import { afterEach, expect, test } from "bun:test";
import { CART_RUN, LATER } from "./fixtures/cart-run.ts";
import { FakeRuns } from "./fixtures/fake-runs.ts";
import { cartRuns, openRunView } from "./fixtures/open-run-view.tsx";
import { nodeEnd, nodeStart, runEnd, runStart } from "./fixtures/run-events.ts";

const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

async function open(...args: Parameters<typeof openRunView>) {
  const ui = await openRunView(...args);
  opened.push(ui.close);
  return ui;
}

const isComplete = /0vr8z8579gzr[\s\S]*worker 3/;

test("a step without an agent shows what it logged and why it failed", async () => {
  const about = { runId: "r", taskId: "verify", nodeId: "verify", at: LATER } as const;
  const runs = cartRuns({ ...CART_RUN, state: "failed" });
  runs.emit(
    nodeStart("verify", { at: LATER, nodeType: "tool" }),
    { ...about, type: "command-end", command: "npm test", exitCode: 1, durationMs: 5, output: "1 failed" },
    { ...about, type: "node-error", attempt: 1, error: { code: "X", message: "The command failed." } },
    runEnd("failed", LATER),
  );
  const ui = await open(runs, { width: 80 });
  await ui.until(/✗ verify/);
  for (let count = 0; count < 2; count++) await ui.act(() => ui.mockInput.pressArrow("down"));
  await ui.until(/› ✗ verify/);
  expect((await ui.draw()).split("\n").slice(17, 20)).toEqual([
    "    $ npm test  exit code 1",
    "    1 failed",
    "    The command failed.",
  ]);
});

test("a step without an agent opens full size with what its command printed, which can be scrolled", async () => {
  const about = { runId: "r", taskId: "verify", nodeId: "verify", at: LATER } as const;
  const output = Array.from({ length: 60 }, (_, index) => `line ${index}`).join("\n");
  const runs = new FakeRuns({
    details: { ...CART_RUN, steps: [], tasks: [] },
    events: [runStart(LATER), nodeStart("verify", { at: LATER, nodeType: "tool" })],
  });
  const ui = await open(runs);
  await ui.until(/In progress since \d\d:\d\d\./);
  runs.emit({ ...about, type: "command-start", command: "npm test" });
  await ui.until(/\$ npm test *\n/);
  runs.emit({ ...about, type: "command-end", command: "npm test", exitCode: 1, durationMs: 5, output });
  await ui.until(/line 59/);
  await ui.act(() => ui.mockInput.pressEnter());
  expect((await ui.draw()).split("\n").slice(2, 4)).toEqual(["  verify", "    line 40"]);
  for (let count = 0; count < 5; count++) await ui.act(() => ui.mockInput.pressKey("\x1b[5~"));
  expect(await ui.draw()).toContain("$ npm test  exit code 1");
  await ui.act(() => ui.mockInput.pressArrow("down"));
  expect(await ui.draw()).not.toContain("exit code 1");
});

test("a failed branch shows its error in place of the agent that worked before, and opens to its steps", async () => {
  const inBranch = (nodeId: string, nodeType: string) =>
    nodeStart(`workers[4]/${nodeId}`, { at: LATER, nodeType, item: "cart.ts" });
  const message = "The command `exit 1` ended with exit code 1";
  const runs = cartRuns({ ...CART_RUN, state: "running" });
  runs.emit(...[inBranch("implement", "agent"), nodeEnd("workers[4]/implement", LATER), inBranch("check", "shell")], {
    ...nodeEnd("workers[4]/check", LATER),
    type: "node-error",
    attempt: 1,
    error: { code: "X", message },
  });
  const ui = await open(runs);
  await ui.until(/✗ cart/);
  for (let count = 0; count < 3; count++) await ui.act(() => ui.mockInput.pressArrow("down"));
  const lines = (await ui.until(/› │ │ ✗ cart\.ts ▸ {2}check/)).split("\n");
  expect(lines[13]).toContain(message);
  expect(lines.slice(13, 15).map((line) => line.slice(0, 40).trimEnd())).toEqual([
    "    cart.ts · check",
    `    ${message}`.slice(0, 40).trimEnd(),
  ]);
  await ui.act(() => ui.mockInput.pressEnter());
  expect(await ui.draw()).toMatch(/✓ implement[^\n]*\n[^\n]*✗ check/);
});

test("a step that was not reached has its own title above its detail", async () => {
  const ui = await open(cartRuns(), { width: 80 });
  await ui.until(isComplete);
  for (let count = 0; count < 8; count++) await ui.act(() => ui.mockInput.pressArrow("down"));
  expect((await ui.until(/This step has not started\./)).split("\n")[16]).toBe("    Open the pull request");
});
