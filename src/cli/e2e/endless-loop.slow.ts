import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { waitUntil } from "../../testkit/conformance/wait-until.ts";
import { findProcesses, waitForNoProcess } from "./fixtures/processes.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

const CTRL_C = "\u0003";

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await Sandbox.create();
});

afterEach(async () => {
  await sandbox.remove();
});

/** Starts a workflow of one node in a terminal of its own. */
async function startInTerminal(code: string) {
  await sandbox.write({
    ".atomic/workflows/busy.ts": `import { graph, toolNode } from "@bastani/atomic/graph";
export default () => graph().start(toolNode({ id: "busy", execute: async (_, { signal }) => { ${code} } })).end().compile();
`,
  });
  await sandbox.atomic("trust", "add");
  let screen = "";
  const decoder = new TextDecoder();
  const child = Bun.spawn(["atomic", "run", "busy"], {
    cwd: sandbox.project,
    env: { ...sandbox.env, TERM: "xterm-256color" },
    terminal: {
      data: (_terminal, bytes) => {
        screen += decoder.decode(bytes, { stream: true });
      },
    },
  });
  const shows = (text: string): Promise<void> =>
    waitUntil(
      async () => screen.includes(text),
      () => `The terminal does not show "${text}": ${JSON.stringify(screen)}`,
    );
  return { child, shows, press: (key: string) => child.terminal?.write(key) };
}

/** Whether a process has received all its signals and sleeps again. */
async function isWaiting(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return (
    /^State:\tS/m.test(status) &&
    [...status.matchAll(/^(?:Sig|Shd)Pnd:\t(\w+)$/gm)].every(([, bits]) => /^0+$/.test(bits ?? ""))
  );
}

test("a second Ctrl+C ends the process while a node's code never returns", async () => {
  const { child, shows, press } = await startInTerminal('console.log("begun"); await 1; for (;;);');
  await shows("run ");
  let watch: number | undefined;
  await waitUntil(
    async () => {
      const processes = await findProcesses(sandbox.mark);
      watch = processes.find(({ command }) => command.startsWith("/bin/sh -c"))?.pid;
      return watch !== undefined && processes.some(({ command }) => command === "cat");
    },
    () => "Nothing watches for Ctrl+C",
  );
  press(CTRL_C);
  await shows("^C");
  // Two signals are one to a process that has not yet received the first.
  await waitUntil(
    async () => await isWaiting(watch ?? 0),
    () => "The shell does not wait for another signal",
  );
  press(CTRL_C);
  await child.exited;
  expect(child.signalCode).toBe("SIGKILL");
  await shows("the process was killed. Its run can be resumed.");
  expect((await sandbox.atomic("runs", "list")).stdout).toContain("interrupted");
  expect(await waitForNoProcess(sandbox.mark, 5_000)).toEqual([]);
}, 30_000);

test("one Ctrl+C stops a node that can be stopped, and nothing is left watching", async () => {
  const { child, shows, press } = await startInTerminal(
    'await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));',
  );
  await shows("busy");
  await shows("run ");
  press(CTRL_C);
  expect(await child.exited).toBe(130);
  await shows("cancelled");
  expect(await waitForNoProcess(sandbox.mark, 5_000)).toEqual([]);
}, 30_000);
