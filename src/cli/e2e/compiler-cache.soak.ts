import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { chmod, stat } from "node:fs/promises";
import { join } from "node:path";
import { AtomicProcess } from "./fixtures/atomic-process.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await Sandbox.create();
});
afterEach(() => sandbox.remove());

const WORKFLOW = `import { agentNode, graph } from "@bastani/atomic/graph";
export default () => graph().start(agentNode({ id: "ask", buildMessage: () => "Hi." })).end().compile();
`;

test("no process of Atomic writes into Bun's own cache, and only the user can open Atomic's", async () => {
  const home = join(sandbox.root, "home");
  await chmod(sandbox.atomicHome, 0o755);
  await sandbox.write({
    ".atomic/workflows/hi.ts": WORKFLOW,
    ".opencode/plugin/none.ts": "export const None = async () => ({});\n",
  });
  // As a user has it: without a cache of their own.
  const { BUN_RUNTIME_TRANSPILER_CACHE_PATH: _, ...env } = sandbox.env;
  const program = join(sandbox.root, "bin", "atomic");
  const call = async (...args: readonly string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await new AtomicProcess({
      ...{ program, args, env },
      workingDirectory: sandbox.project,
    }).ended;
    expect({ args, exitCode, stderr }).toEqual({ args, exitCode: 0, stderr: "" });
    return stdout;
  };
  const { runId } = JSON.parse(await call("run", "hi", "--agent", "scripted", "--trust", "--detach", "--json"));
  await call("runs", "watch", String(runId), "--json");
  expect(existsSync(join(home, ".bun"))).toBe(false);
  for (const folder of ["cache", "cache/compiled"])
    expect((await stat(join(sandbox.atomicHome, folder))).mode & 0o777).toBe(0o700);
});
