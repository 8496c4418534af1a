import { afterAll, beforeAll, expect, test } from "bun:test";
import { Sandbox } from "./fixtures/sandbox.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await Sandbox.create();
  await sandbox.atomic("trust", "add");
});

afterAll(async () => {
  await sandbox.remove();
});

/** A workflow of one node, whose code begins in line 4. */
function workflow(code: string): string {
  return `import { exit as named } from "node:process";
import { graph, toolNode } from "@bastani/atomic/graph";
export default () => graph().start(toolNode({ id: "first", execute: async () => {
${code}
} })).end().compile();
`;
}

const REFUSED = "was called, which would end Atomic itself. Return, or throw an error, instead.";

test.each([
  { name: "direct", code: "process.exit(0);", call: "process.exit(0)" },
  { name: "named", code: "named(3);", call: "process.exit(3)" },
  { name: "required", code: 'require("process").exit();', call: "process.exit()" },
  { name: "swallowed", code: "try { process.exit(0); } catch {} return 1;", call: "process.exit(0)" },
  {
    name: "timer",
    code: "setTimeout(() => process.exit(0), 1); await new Promise(() => {});",
    call: "process.exit(0)",
  },
])("a node that ends the process fails: $name", async ({ name, code, call }) => {
  await sandbox.write({ [`.atomic/workflows/${name}.ts`]: workflow(code) });
  const { exitCode, events } = await sandbox.atomic("run", name, "--json");
  const error = { code: "PROCESS_EXIT", message: `${call} ${REFUSED}` };
  expect({ exitCode, end: events.at(-1) }).toMatchObject({
    exitCode: 1,
    end: { type: "run-end", status: "failed", error },
  });
});

test.each([
  { title: "process.exit", code: "process.exit(0);", column: 9 },
  { title: "its named import", code: 'import { exit } from "node:process"; exit(0);', column: 38 },
])(
  "a file that ends the process with $title while it is loaded is a problem, and other files still work",
  async (given) => {
    const other = await Sandbox.create();
    try {
      await other.write({
        ".atomic/workflows/leaves.ts": `${given.code}\nexport default () => 1;\n`,
        ".atomic/workflows/stays.ts": workflow("return 1;"),
      });
      expect(await other.atomic("run", "stays", "--trust")).toMatchObject({ exitCode: 0 });
      const listed = await other.atomic("workflows", "list");
      expect(listed.stdout).toContain("stays ");
      const place = `${other.project}/.atomic/workflows/leaves.ts:1:${given.column}`;
      expect(listed.stderr).toStartWith(`error: ${place}: Loading it threw process.exit(0) ${REFUSED}`);
      expect((await other.atomic("run", "leaves")).exitCode).toBe(2);
    } finally {
      await other.remove();
    }
  },
);

test("timers that a workflow leaves open do not keep the process, and its output is written whole", async () => {
  await sandbox.write({
    ".atomic/workflows/open.ts": `setInterval(() => {}, 1_000);\n${workflow(
      'setInterval(() => {}, 1_000); return "x".repeat(300_000);',
    )}`,
  });
  const read = await sandbox.shell(
    `PATH='${sandbox.env.PATH}' HOME='${sandbox.env.HOME}' atomic run open | { read line; wc -c; }`,
  );
  expect(Number(read)).toBeGreaterThan(300_000);
});

test("code that listens to the end of the process and never returns does not keep it alive", async () => {
  const tool = `import { tool } from "@atomic/plugin";
process.on("exit", () => { for (;;) {} });
export default tool({ description: "Waits", args: {}, execute: async () => "done" });
`;
  await sandbox.write({ ".atomic/tools/waits.ts": tool });
  const { exitCode, stdout, stderr } = await sandbox.atomic("tools", "run", "waits");
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "done\n" });
  expect(stderr).toContain('a listener of process.on("exit") in the code of a workflow or a tool did not return');
});
