import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import type { WorkflowFile } from "../../discovery/index.ts";
import { Sandbox } from "../e2e/fixtures/sandbox.ts";
import { checkAhead } from "./check-ahead.ts";

let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "atomic-ahead-")));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A workflow whose description names the process that its file is loaded in. */
const FINE = `import { graph, toolNode } from "@bastani/atomic/graph";
export const description = "in " + process.pid;
export default () => graph().start(toolNode({ id: "a", execute: () => 1 })).end().compile();
`;

/** Checks files with these texts ahead, and returns what was found in each, by its name. */
async function checkAll(texts: Readonly<Record<string, string>>) {
  const files: WorkflowFile[] = [];
  for (const [name, text] of Object.entries(texts)) {
    const path = join(folder, `${name}.ts`);
    await writeFile(path, text);
    files.push({ path, realPath: path, source: "local" });
  }
  const env = { PATH: process.env.PATH, HOME: folder };
  const results = await checkAhead(files, { kind: "workflow", env, workingDirectory: folder, importTimeoutMs: 10_000 });
  return new Map(
    [...results].map(([path, { workflow, problems }]) => {
      expect(problems).toEqual([]);
      return [path.slice(folder.length + 1, -".ts".length), workflow?.metadata.description];
    }),
  );
}

function fineFiles(count: number): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`fine${index}`, FINE]));
}

test("many files are checked in as many processes as there are processors", async () => {
  const found = await checkAll(fineFiles(12));
  expect([...found.keys()].toSorted()).toEqual(Object.keys(fineFiles(12)).toSorted());
  expect(new Set(found.values()).size).toBeLessThanOrEqual(availableParallelism());
});

test.each([
  { title: "cannot be loaded", text: "export default 5;" },
  { title: "prints", text: `console.log("hello");\n${FINE}` },
  { title: "ends its process", text: `process.kill(process.pid, "SIGKILL");\n${FINE}` },
  { title: "never returns", text: `for (;;);\n${FINE}` },
])(
  "a file that $title has no result, and every other file has one",
  async ({ text }) => {
    const texts = { ...fineFiles(3), wrong: text, last: FINE };
    const found = await checkAll(texts);
    expect([...found.keys()].toSorted()).toEqual(["fine0", "fine1", "fine2", "last"]);
  },
  60_000,
);

test.each([
  { title: "the environment", code: 'process.env.MODE = "x";' },
  { title: "the working directory", code: 'process.chdir("/");' },
  { title: "the global names", code: 'globalThis["extra"] = 1;' },
])(
  "after a file that changes $title, no other one is checked in its process",
  async ({ code }) => {
    const changing = `${code}\n${FINE}`;
    const found = await checkAll(
      Object.fromEntries(Array.from({ length: 4 }, (_, index) => [`changing${index}`, changing])),
    );
    const processes = [...found.values()];
    expect(processes.length).toBeGreaterThan(0);
    expect(new Set(processes).size).toBe(processes.length);
  },
  60_000,
);

test("a listing checks many files in few processes, and says what is wrong with the others", async () => {
  const sandbox = await Sandbox.create();
  try {
    const fine = Object.entries(fineFiles(8)).map(([name, text]) => [`.atomic/workflows/${name}.ts`, text]);
    await sandbox.write({
      ...Object.fromEntries(fine),
      ".atomic/workflows/wrong.ts": "export default 5;",
    });
    await sandbox.atomic("trust", "add");
    const { stdout } = await sandbox.atomic("workflows", "list", "--json");
    const { workflows, problems } = JSON.parse(stdout) as {
      readonly workflows: readonly { readonly description: string; readonly source: string }[];
      readonly problems: readonly { readonly message: string }[];
    };
    const local = workflows.filter(({ source }) => source === "local");
    expect(local).toHaveLength(8);
    // One more process has the files after the one in which something is wrong.
    expect(new Set(local.map(({ description }) => description)).size).toBeLessThanOrEqual(availableParallelism() + 1);
    expect(problems.map(({ message }) => message)).toEqual([
      "The default export is the number 5, but must be a function that returns the compiled graph.",
    ]);
  } finally {
    await sandbox.remove();
  }
});
