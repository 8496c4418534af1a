import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { runCommand } from "../../graph/index.ts";
import type { AtomicResult } from "./fixtures/atomic-process.ts";
import { waitForNoProcess } from "./fixtures/processes.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

let sandbox: Sandbox;
let home: readonly string[];

beforeAll(async () => {
  sandbox = await Sandbox.create();
  home = await readdir(`${sandbox.root}/home`, { recursive: true });
});

afterAll(async () => {
  await sandbox.remove();
});

/** What `--json` says at the end. */
function endOf({ stdout }: AtomicResult): Readonly<Record<string, unknown>> {
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "null");
}

async function git(folder: unknown, command: string): Promise<string> {
  const result = await runCommand(`git ${command}`, {
    workingDirectory: String(folder),
    signal: AbortSignal.timeout(10_000),
  });
  return result.stdout.trim();
}

test.each(["opencode", "scripted"])(
  "the demo with %s turns red tests green, commits, and leaves no process or file",
  async (agent) => {
    const result = await sandbox.start(["demo", "--agent", agent, "--json"]).ended;
    expect({ exitCode: result.exitCode, stderr: result.stderr }).toEqual({ exitCode: 0, stderr: "" });
    const end = endOf(result);
    expect(end).toMatchObject({ type: "demo-end", agent, isRepaired: true, testsBefore: 1, testsAfter: 0 });
    expect(await git(end.project, "log --format=%s --reverse")).toBe(
      "A small shop with failing tests\nMultiply prices by quantities in the cart\nPrint prices with two decimals",
    );
    expect(await git(end.project, "status --porcelain")).toBe("");
    expect(await waitForNoProcess(sandbox.mark, 2_000)).toEqual([]);
    expect(await readdir(`${sandbox.root}/home`, { recursive: true })).toEqual([...home]);
  },
  90_000,
);

test("for people, the demo says what was scripted, what was real, and where everything is", async () => {
  const { exitCode, stdout } = await sandbox.atomic("demo", "--agent", "scripted");
  expect(exitCode).toBe(0);
  expect(stdout).toContain("$ node --test  →  exit code 1, 1 of 3 tests pass");
  expect(stdout).toContain("$ node --test  →  exit code 0, 3 of 3 tests pass");
  expect(stdout).toContain("+  return items.reduce((sum, item) => sum + item.price * item.quantity, 0);");
  // The hint to install OpenCode is for those who did not choose the script.
  expect(stdout).toContain(
    "What was real\n  The agent was scripted, so no key and no network were needed.\n  Everything else was real: the edits, the git repository, the tests, and Atomic's journal.\n  Look around: cd ",
  );
  expect(stdout).toMatch(/Session: \S+\/atomic-home\/workflows\/sessions\/[0-9a-z]{12}\n/);
});
