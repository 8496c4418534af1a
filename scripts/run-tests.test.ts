import { expect, test } from "bun:test";
import { join } from "node:path";

const RUNNER = join(import.meta.dirname, "run-tests.ts");

test.each([
  {
    args: ["--agents", "scripts/test-totals.ts"],
    kind: ".conformance.ts or .agents.ts",
    empty: "scripts/test-totals.ts",
  },
  {
    args: ["--agents", "scripts", "scripts/gone.agents.ts"],
    kind: ".conformance.ts or .agents.ts",
    empty: "scripts/gone.agents.ts",
  },
  { args: ["--soak", "scripts/type-programs"], kind: ".soak.ts", empty: "scripts/type-programs" },
  { args: ["scripts/test-totals.test.ts", "scripts/gone"], kind: ".test.ts or .test.tsx", empty: "scripts/gone" },
  { args: ["scripts/readme.agents.ts"], kind: ".test.ts or .test.tsx", empty: "scripts/readme.agents.ts" },
])("a path without tests of the requested kind fails: $args", async ({ args, kind, empty }) => {
  const child = Bun.spawn([process.execPath, RUNNER, ...args], { stdout: "pipe", stderr: "pipe" });
  const [code, stdout, stderr] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: "0 passed, 1 failed\n",
    stderr: `No ${kind} at: ${empty}. Other kinds of tests: --agents, --conformance, --attack, --slow, --soak.\n`,
  });
});
