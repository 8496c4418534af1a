import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { DiscoveryProblem } from "../../contracts/index.ts";
import { ToolFiles, type ToolFilesOptions } from "./tool-files.ts";

let root = "";
let imported: string[] = [];

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-tool-files-")));
  imported = [];
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** Writes tool files, by path relative to the root: each has a default export and the named exports. */
async function write(files: Readonly<Record<string, readonly string[]>>): Promise<void> {
  for (const [path, names] of Object.entries(files)) {
    const tool = `{ description: ${JSON.stringify(path)}, execute() {} }`;
    const lines = [`export default ${tool};`, ...names.map((name) => `export const ${name} = ${tool};`)];
    await writeText(path, lines.join("\n"));
  }
}

async function writeText(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

function open(rest: Partial<ToolFilesOptions> = {}): ToolFiles {
  return new ToolFiles({
    projectDirectory: join(root, "project"),
    homeDirectory: join(root, "home"),
    isTrusted: true,
    sdkModules: {},
    compileSchema: async () => () => [],
    boundOutput: async (text) => text,
    async guard(path, work) {
      imported.push(path.slice(root.length + 1));
      return await work();
    },
    ...rest,
  });
}

test("a name needs only the files that can define it, each of them once", async () => {
  await write({
    "project/.atomic/tools/a.ts": ["b_c"],
    "project/.atomic/tools/a_b.ts": ["c"],
    "project/.atomic/tools/other.ts": [],
    "home/tools/a_b_c.ts": [],
    "home/tools/x.ts": [],
  });
  const files = open();
  const found = await files.find(" A_B_c ");
  expect({ name: found.entry?.name, file: found.entry?.filePath.slice(root.length + 1), imported }).toEqual({
    name: "a_b_c",
    file: "project/.atomic/tools/a.ts",
    imported: ["project/.atomic/tools/a.ts", "project/.atomic/tools/a_b.ts", "home/tools/a_b_c.ts"],
  });
  const { registry } = await files.load();
  expect(registry.names()).toEqual(["a", "a_b_c", "a_b", "other", "x"]);
  expect(imported).toHaveLength(5);
  expect(found.entry).toBe(registry.get("a_b_c"));
});

test("a name comes with the problems of the files that can define it, and no others", async () => {
  await write({ "project/.atomic/tools/lint.ts": ["odd_code"], "project/.atomic/tools/bad.cts": [] });
  await writeText("project/.atomic/tools/bad.ts", "export default 1;");
  await writeText("project/.atomic/tools/worse.ts", "export default 1;");
  const files = open();
  expect((await files.find("lint_odd_code")).problems).toEqual([]);
  const { entry, problems } = await files.find("bad");
  expect({ entry, messages: problems.map(({ message }) => message) }).toEqual({
    entry: undefined,
    messages: ["Tool files end in .ts, .mts, .js or .mjs; this one is not loaded", "The default export is not a tool."],
  });
});

test("a file that fails its check elsewhere is a problem and is not imported", async () => {
  await write({ "project/.atomic/tools/lint.ts": [], "project/.atomic/tools/loops.ts": [] });
  const checked: string[][] = [];
  const files = open({
    async check(candidates) {
      checked.push(candidates.map(({ path }) => path.slice(root.length + 1)));
      return candidates.map(({ path }): readonly DiscoveryProblem[] =>
        path.endsWith("loops.ts") ? [{ path, message: "Endless.", remedy: "End it.", severity: "error" }] : [],
      );
    },
  });
  expect((await files.find("lint")).entry?.name).toBe("lint");
  const { registry, problems } = await files.load();
  expect({ names: registry.names(), messages: problems.map(({ message }) => message), imported, checked }).toEqual({
    names: ["lint"],
    messages: ["Endless."],
    imported: ["project/.atomic/tools/lint.ts"],
    checked: [["project/.atomic/tools/lint.ts"], ["project/.atomic/tools/loops.ts"]],
  });
});

test("a tool in a folder below is a problem; helpers, tests and packages there are none", async () => {
  const TOOL = 'import { tool } from "@atomic/plugin";\nexport default tool({ description: "d", execute() {} });';
  for (const path of [
    "sub/deeper/deep.ts",
    "sub/deep.test.ts",
    "_helpers/schema.ts",
    "sub/_schema.ts",
    "node_modules/x/index.js",
  ])
    await writeText(`project/.atomic/tools/${path}`, TOOL);
  await writeText("project/.atomic/tools/sub/words.ts", "export const words = 1;");
  const files = open();
  const folder = join(root, "project/.atomic/tools");
  const problems: readonly DiscoveryProblem[] = [
    {
      path: join(folder, "sub/deeper/deep.ts"),
      message: "It looks like a tool, but files in subfolders are not loaded",
      remedy: `Move it to ${folder}, or rename it to _deep.ts if it is a helper.`,
      severity: "error",
    },
  ];
  expect([(await files.load()).problems, (await files.find("deep")).problems]).toEqual([problems, problems]);
});
