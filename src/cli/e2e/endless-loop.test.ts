import { afterEach, beforeEach, expect, test } from "bun:test";
import { waitUntil } from "../../testkit/conformance/wait-until.ts";
import { findProcesses, waitForNoProcess } from "./fixtures/processes.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

const CTRL_C = "\u0003";

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await Sandbox.create();
});

afterEach(async () => {
  await waitForNoProcess(sandbox.mark, 5_000);
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

test("a second Ctrl+C ends the process while a node's code never returns", async () => {
  const { child, shows, press } = await startInTerminal('console.log("begun"); await 1; for (;;);');
  await shows("run ");
  await waitUntil(
    async () => (await findProcesses(sandbox.mark)).some(({ command }) => command.includes("cat")),
    () => "Nothing watches for Ctrl+C",
  );
  press(CTRL_C);
  await shows("^C");
  press(CTRL_C);
  await child.exited;
  expect(child.signalCode).toBe("SIGKILL");
  await shows("the process was killed. Its run can be resumed.");
  expect((await sandbox.atomic("runs", "list")).stdout).toContain("interrupted");
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
}, 30_000);
