import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ChildReport, ChildScript } from "./fixtures/load-in-child.ts";
import { runChild } from "./fixtures/run-child.ts";

let root = "";
let folders = { projectDirectory: "", homeDirectory: "" };
let local = "";
let global = "";

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-load-")));
  folders = { projectDirectory: join(root, "project"), homeDirectory: join(root, "home") };
  local = join(folders.projectDirectory, ".atomic", "workflows");
  global = join(folders.homeDirectory, "workflows");
  await mkdir(local, { recursive: true });
  await mkdir(global, { recursive: true });
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function write(files: Readonly<Record<string, string>>, folder = local): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

async function runSteps(steps: ChildScript["steps"], rest: Partial<ChildScript> = {}): Promise<readonly ChildReport[]> {
  return runChild({ ...folders, isTrusted: true, steps, ...rest });
}

async function load(rest: Partial<ChildScript> = {}): Promise<ChildReport> {
  const [report] = await runSteps([{ type: "load" }], rest);
  if (report === undefined) throw new Error("The child reported nothing.");
  return report;
}

const SIMPLE = 'import { graph } from "@bastani/atomic/graph";\nexport default () => graph().start().compile();\n';

test("a file with only a default export gets its name from the file, and its graph is built", async () => {
  await write({ "review-changes.ts": SIMPLE });
  expect(await load()).toEqual({
    workflows: [
      {
        metadata: {
          name: "review-changes",
          description: "Custom workflow: review-changes",
          aliases: [],
          source: "local",
        },
        path: join(local, "review-changes.ts"),
        hasMigrateState: false,
        created: { compiled: true },
      },
    ],
    problems: [],
    untrusted: [],
  });
});

test("every export is taken over, and the default configuration lies under the given one", async () => {
  await write({
    "any.ts": `export const name = "Research";
      export const description = "Finds things out";
      export const aliases = ["rs", "find", "rs"];
      export const version = "1.2.3";
      export const minSDKVersion = "1.5.0";
      export const stateVersion = 2;
      export const isReadOnly = true;
      export const defaultConfig = { depth: 3, given: false };
      export const argumentHint = "TOPIC [--deep]";
      export const migrateState = (from: number, state: unknown) => ({ from, state });
      export default async (config: { depth: number; given: boolean }) => [config.depth, config.given];`,
  });
  const { workflows, problems } = await load();
  expect(problems).toEqual([]);
  expect(workflows).toEqual([
    {
      metadata: {
        name: "Research",
        description: "Finds things out",
        aliases: ["rs", "find"],
        source: "local",
        defaultConfig: { depth: 3, given: false },
        version: "1.2.3",
        minSDKVersion: "1.5.0",
        stateVersion: 2,
        isReadOnly: true,
        argumentHint: "TOPIC [--deep]",
      },
      path: join(local, "any.ts"),
      hasMigrateState: true,
      created: [3, true],
    },
  ]);
});

test("all names of the running Atomic can be imported where nothing is installed, also from helpers and as types", async () => {
  await write({
    "all.ts": `import { graph, type StateOf } from "@bastani/atomic/graph";
      import type { Missing } from "@bastani/atomic/graph";
      import { ralph } from "@bastani/atomic/workflows";
      import { client } from "@bastani/atomic";
      import { scripted } from "@bastani/atomic/testing";
      import { tool } from "@atomic/plugin";
      import { tool as other } from "@bastani/atomic/plugin";
      import { z } from "zod";
      import { fromHelper } from "./_helper.ts";
      import { deep } from "./lib/deep";
      const typed = (value: StateOf<Missing>) => value;
      export default (config) => [typeof graph, ralph, client, scripted, tool, other, fromHelper, deep, typed(1), z === config.ourZod];`,
    "_helper.ts": 'import { z } from "zod";\nexport const fromHelper: string = z.string().parse("helped");',
    "lib/deep.ts": 'import { annotation } from "@bastani/atomic/graph";\nexport const deep = annotation("deep");',
  });
  await write({ "plain.mjs": SIMPLE, "old.js": SIMPLE, "module.mts": SIMPLE }, global);
  const { workflows, problems } = await load();
  expect(problems).toEqual([]);
  expect(workflows.map(({ created }) => created)).toEqual([
    ["function", "ralph", "client", "scripted", "tool", "tool", "helped", "deep", 1, true],
    { compiled: true },
    { compiled: true },
    { compiled: true },
  ]);
});

test("the running Atomic's zod wins over the one in the project's node_modules, other packages come from there", async () => {
  await write(
    {
      "node_modules/zod/package.json": '{ "name": "zod", "version": "1.0.0", "main": "index.js" }',
      "node_modules/zod/index.js": 'export const z = "theirs";',
      "node_modules/left/package.json": '{ "name": "left", "version": "1.0.0", "main": "index.js" }',
      "node_modules/left/index.js": 'export const left = "left";',
    },
    folders.projectDirectory,
  );
  await write({
    "a.ts": 'import { z } from "zod";\nimport { left } from "left";\nexport default () => [typeof z.object, left];',
  });
  const { workflows, problems } = await load();
  expect(problems).toEqual([]);
  expect(workflows.map(({ created }) => created)).toEqual([["function", "left"]]);
});

test("files of a project that is not trusted are listed and do not run, the user's own do", async () => {
  const marker = join(root, "marker");
  await write({
    "evil.ts": `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(marker)}, ""); ${SIMPLE}`,
  });
  await write({ "mine.ts": SIMPLE }, global);
  const { workflows, problems, untrusted } = await load({ isTrusted: false });
  expect(workflows.map(({ metadata }) => [metadata.name, metadata.source])).toEqual([["mine", "global"]]);
  expect(problems).toEqual([]);
  expect(untrusted).toEqual([join(local, "evil.ts")]);
  expect(await Bun.file(marker).exists()).toBe(false);
});

test("the project overrides the user without a word; within one scope the second of a name is a problem", async () => {
  await write({ "a.ts": `export const name = "Ship"; ${SIMPLE}`, "b.ts": `export const name = "ship"; ${SIMPLE}` });
  await write({ "ship.ts": SIMPLE, "other.ts": SIMPLE }, global);
  const { workflows, problems } = await load();
  expect(workflows.map(({ path }) => path)).toEqual([join(local, "a.ts"), join(global, "other.ts")]);
  expect(problems).toEqual([
    {
      path: join(local, "b.ts"),
      otherPath: join(local, "a.ts"),
      message: `Two workflow files have the name "ship": ${join(local, "a.ts")} and ${join(local, "b.ts")}.`,
      remedy: "Give one of them another name, or run each by its path: atomic run PATH.",
      severity: "error",
    },
  ]);
});

test("a linked file is reported under the path a person knows", async () => {
  await write(
    { "flow.ts": "\n  export default () => { throw new Error('x'); };" },
    join(folders.projectDirectory, "scripts"),
  );
  await symlink("../../scripts/flow.ts", join(local, "linked.ts"));
  const [workflow] = (await load()).workflows;
  expect(workflow?.createError?.problem).toMatchObject({ path: join(local, "linked.ts"), line: 2 });
});

test("a changed file and its changed helpers are reloaded, unchanged ones are not run again", async () => {
  const path = join(local, "a.ts");
  const helper = join(local, "_helper.ts");
  const reports = await runSteps([
    { type: "write", path: helper, text: "export const helped = 1;" },
    {
      type: "write",
      path,
      text: 'import { helped } from "./_helper.ts";\nexport default () => ["first", helped, globalThis.count = (globalThis.count ?? 0) + 1].join(" ");',
    },
    { type: "load" },
    { type: "write", path: helper, text: "export const helped = 2;" },
    { type: "load" },
    { type: "write", path, text: "const x = ;" },
    { type: "load" },
    { type: "write", path, text: "throw new Error('at once');" },
    { type: "load" },
    { type: "write", path, text: 'import { helped } from "./_helper.ts";\nexport default () => "second " + helped;' },
    { type: "load" },
    { type: "remove", path },
    { type: "load" },
  ]);
  expect(reports.map(({ workflows, problems }) => workflows[0]?.created ?? problems[0]?.message ?? "nothing")).toEqual([
    "first 1 1",
    "first 2 2",
    "Syntax error: Unexpected ;.",
    "Loading it threw Error: at once",
    "second 2",
    "nothing",
  ]);
});

test("loading again without a change returns the same modules", async () => {
  const path = join(local, "a.ts");
  const text =
    "globalThis.count = (globalThis.count ?? 0) + 1;\nconst mine = globalThis.count;\nexport default () => mine;";
  const reports = await runSteps([{ type: "write", path, text }, { type: "load" }, { type: "load" }]);
  expect(reports.map(({ workflows }) => workflows[0]?.created)).toEqual([1, 1]);
});

test("a file that never finishes loading is a problem, and the next one is loaded", async () => {
  await write({ "a.ts": `await new Promise(() => {});\n${SIMPLE}`, "b.ts": SIMPLE });
  const { workflows, problems } = await load({ importTimeoutMs: 100 });
  expect(workflows.map(({ metadata }) => metadata.name)).toEqual(["b"]);
  expect(problems).toEqual([
    {
      path: join(local, "a.ts"),
      message: "Loading did not finish within 100 ms.",
      remedy:
        'Move slow work into a node, or into the exported function; look for a top-level "await" that never ends.',
      severity: "error",
      isTimeout: true,
    },
  ]);
});

test("an abort ends the loading with its reason", async () => {
  await write({ "a.ts": `globalThis.onWorkflowLoading?.();\nawait new Promise(() => {});\n${SIMPLE}` });
  const [report] = await runSteps([{ type: "load-and-abort", reason: "stop it" }]);
  expect(report?.thrown).toBe("stop it");
});
