import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { SdkModules } from "../register-sdk-modules.ts";
import { type LoadedTools, ToolFiles, type ToolFilesOptions } from "./tool-files.ts";

const SDK_MODULES: SdkModules = {
  "@bastani/atomic/plugin": () => import("../plugin.ts"),
  "@atomic/plugin": () => import("../plugin.ts"),
  zod: () => import("zod"),
};

const LINT = `import { tool } from "@atomic/plugin";
export default tool({
  description: "Runs the linter",
  args: { filePath: tool.schema.string().describe("Path to lint"), fix: tool.schema.boolean().default(false) },
  execute: ({ filePath, fix }, { directory }) => \`linted \${filePath} \${fix} in \${directory}\`,
});
`;

let root = "";
let folders = { projectDirectory: "", homeDirectory: "" };

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-tools-")));
  folders = { projectDirectory: join(root, "project"), homeDirectory: join(root, "home") };
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** Writes files, by path relative to the root. */
async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

function open(rest: Partial<ToolFilesOptions> = {}): ToolFiles {
  return new ToolFiles({
    ...folders,
    isTrusted: true,
    sdkModules: SDK_MODULES,
    compileSchema: async () => () => [],
    boundOutput: async (text) => text,
    ...rest,
  });
}

async function load(rest: Partial<ToolFilesOptions> = {}): Promise<LoadedTools> {
  return await open(rest).load();
}

/** The problems of one project file, without its folder. */
async function problemsOf(text: string, name = "a.ts"): Promise<readonly unknown[]> {
  await write({ [`project/.atomic/tools/${name}`]: text });
  const { problems, registry } = await load({ importTimeoutMs: 200 });
  expect(registry.names()).toEqual([]);
  return problems.map(({ path, severity: _, isTimeout: __, ...rest }) => ({ ...rest, path: path.replace(root, "") }));
}

const CONTEXT = {
  sessionID: "s",
  messageID: "m",
  agent: "opencode",
  directory: "/work",
  abort: new AbortController().signal,
};

test("the default export has the name of its file, other exports FILE_EXPORT, and helpers are no tools", async () => {
  await write({
    "project/.atomic/tools/lint.ts": LINT,
    "project/.atomic/tools/weather.mjs": `import { tool } from "@bastani/atomic/plugin";
      import { z } from "zod";
      import { degrees } from "./_units.mjs";
      export const getTemp = tool({ description: "Temperature", inputSchema: z.object({ city: z.string() }), execute: ({ city }) => degrees(city) });
      export const City = z.object({ name: z.string() });
      export const limits = { max: 3 };
      export function helper() {}`,
    "project/.atomic/tools/_units.mjs": "export const degrees = (city) => `${city}: 20`;",
    "project/.atomic/tools/lint.test.ts": "throw new Error('imported')",
    "home/tools/plain.js": `export default { description: "Plain", args: { type: "object", properties: { n: { type: "number" } } }, execute: (args) => args };`,
  });
  const { registry, problems, untrusted } = await load();
  expect({ problems, untrusted }).toEqual({ problems: [], untrusted: [] });
  expect(registry.getAll().map(({ definition, ...entry }) => ({ ...entry, schema: definition.inputSchema }))).toEqual([
    {
      name: "lint",
      description: "Runs the linter",
      source: "local",
      filePath: join(root, "project/.atomic/tools/lint.ts"),
      schema: {
        type: "object",
        properties: {
          filePath: { type: "string", description: "Path to lint" },
          fix: { type: "boolean", default: false },
        },
        required: ["filePath"],
        additionalProperties: false,
      },
    },
    {
      name: "weather_getTemp",
      description: "Temperature",
      source: "local",
      filePath: join(root, "project/.atomic/tools/weather.mjs"),
      schema: {
        type: "object",
        properties: { city: { type: "string" } },
        required: ["city"],
        additionalProperties: false,
      },
    },
    {
      name: "plain",
      description: "Plain",
      source: "global",
      filePath: join(root, "home/tools/plain.js"),
      schema: { type: "object", properties: { n: { type: "number" } } },
    },
  ]);
  const call = (name: string, input: unknown) => registry.find(name)?.handler(input, CONTEXT);
  expect(await call("LINT", { filePath: "a.ts" })).toBe("linted a.ts false in /work");
  expect(await call("weather_getTemp", { city: "Bonn" })).toBe("Bonn: 20");
  expect(await call("plain", { n: 1 })).toBe('{\n  "n": 1\n}');
});

test("the project's tool wins over the user's of the same name; two of one folder are a problem", async () => {
  await write({
    "project/.atomic/tools/Lint.ts": LINT,
    "home/tools/lint.ts": LINT,
    "home/tools/a.ts": LINT.replace("export default", "export const b ="),
    "home/tools/a_b.ts": LINT,
  });
  const { registry, problems } = await load();
  expect(registry.getAll().map(({ name, source }) => [name, source])).toEqual([
    ["Lint", "local"],
    ["a_b", "global"],
  ]);
  expect(problems).toEqual([
    {
      path: join(root, "home/tools/a_b.ts"),
      message: `The tool "a_b" is left out: ${root}/home/tools/a.ts has a tool of that name, "a_b".`,
      remedy: "Rename one of the two.",
      severity: "error",
    },
  ]);
});

test("in an untrusted project nothing is imported, and the user's own tools still are", async () => {
  const marker = join(root, "marker");
  await write({
    "project/.atomic/tools/evil.ts": `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(marker)}, "");`,
    "home/tools/lint.ts": LINT,
  });
  const { registry, problems, untrusted } = await load({ isTrusted: false });
  expect({ names: registry.names(), problems, untrusted, marker: await Bun.file(marker).exists() }).toEqual({
    names: ["lint"],
    problems: [],
    untrusted: [join(root, "project/.atomic/tools/evil.ts")],
    marker: false,
  });
});

test("a link out of the project and a file of another kind are problems, and do not hide a healthy tool", async () => {
  await write({ "elsewhere/x.ts": LINT, "project/.atomic/tools/lint.ts": LINT, "project/.atomic/tools/b.cts": LINT });
  await symlink(join(root, "elsewhere/x.ts"), join(root, "project/.atomic/tools/link.ts"));
  const { registry, problems } = await load();
  expect(registry.names()).toEqual(["lint"]);
  expect(problems.map(({ message }) => message)).toEqual([
    "Tool files end in .ts, .mts, .js or .mjs; this one is not loaded",
    `The link leads out of its root, to ${root}/elsewhere/x.ts.`,
  ]);
});

test("onDebug receives what is registered, resolved and missing", async () => {
  await write({ "project/.atomic/tools/lint.ts": LINT });
  const lines: string[] = [];
  const { registry } = await load({ onDebug: (line) => lines.push(line.replace(root, "")) });
  registry.get("lint");
  registry.get("lnt");
  expect(lines).toEqual([
    "tool registered: lint (local, /project/.atomic/tools/lint.ts)",
    "tool resolved: lint (/project/.atomic/tools/lint.ts)",
    "tool not found: lnt",
  ]);
});

const PATH = "/project/.atomic/tools/a.ts";
const TOOL = 'import { tool } from "@atomic/plugin";\n';
const ARGUMENTS_REMEDY = "Describe each argument with zod, for example: args: { path: tool.schema.string() }.";

describe("a broken file is one problem with its line:", () => {
  test.each([
    {
      title: "a throw",
      text: `\nthrow new Error("no");`,
      expected: {
        line: 2,
        column: 11,
        message: "Loading it threw Error: no",
        remedy: "Correct the file; code outside its functions runs whenever Atomic loads the file.",
      },
    },
    {
      title: "an await that never ends",
      text: "await new Promise(() => {});\nexport default 1;",
      expected: {
        message: "Loading did not finish within 200 ms.",
        remedy:
          'Move slow work into a node, or into the exported function; look for a top-level "await" that never ends.',
      },
    },
    {
      title: "a misspelled import",
      text: 'import { tol } from "@atomic/plugin";\nexport default tol({});',
      expected: {
        line: 1,
        column: 10,
        message: '"@atomic/plugin" has no export "tol".',
        remedy: 'Did you mean "tool"?',
      },
    },
    {
      title: "a tool in the form of getToolRegistry()",
      text: 'export const raw = { name: "raw", description: "d", inputSchema: {}, handler() {} };',
      expected: {
        line: 1,
        column: 1,
        message: 'The export "raw" has the form of a tool for getToolRegistry().',
        remedy: 'Write tool({ description, args, execute }): the name "a_raw" is that of the file and the export.',
      },
    },
    {
      title: "no tool",
      text: "export const limits = { max: 3 };",
      expected: {
        message: "The file exports no tool.",
        remedy:
          'Add one (export default tool({ description: "…", args: {}, execute: () => "…" });), or put "_" before the name of a file that only helps others.',
      },
    },
    {
      title: "a default export of another kind",
      text: "\nexport default () => 1;",
      expected: {
        line: 2,
        column: 1,
        message: "The default export is not a tool.",
        remedy: 'Export one: export default tool({ description: "…", args: {}, execute: () => "…" });',
      },
    },
    {
      title: "no description",
      text: `${TOOL}export const one = tool({ args: {}, execute() {} });`,
      expected: {
        line: 2,
        column: 1,
        message: 'The export "one" has no description.',
        remedy: 'Tell agents what the tool does: description: "…"',
      },
    },
    {
      title: "no function",
      text: `${TOOL}export default tool({ description: "d", args: {} });`,
      expected: {
        line: 2,
        column: 1,
        message: 'The default export has no function "execute".',
        remedy: "Add it: execute: async (args, context) => …",
      },
    },
    {
      title: "an unknown option",
      text: `${TOOL}export default tool({ description: "d", timeout: 3, execute() {} });`,
      expected: {
        line: 2,
        column: 1,
        message: 'The default export has the unknown option "timeout".',
        remedy: 'Did you mean "timeoutMs"? Options: execute, description, args, inputSchema, timeoutMs.',
      },
    },
    {
      title: "a misspelled option",
      text: `${TOOL}export const one = tool({ description: "d", exectue() {} });`,
      expected: {
        line: 2,
        column: 1,
        message: 'The export "one" has the unknown option "exectue".',
        remedy: 'Did you mean "execute"? Options: execute, description, args, inputSchema, timeoutMs.',
      },
    },
    {
      title: "an option that is near to none",
      text: `${TOOL}export default tool({ description: "d", color: "red", execute() {} });`,
      expected: {
        line: 2,
        column: 1,
        message: 'The default export has the unknown option "color".',
        remedy: "Remove it. Options: execute, description, args, inputSchema, timeoutMs.",
      },
    },
    {
      title: "an invalid time limit",
      text: `${TOOL}export default tool({ description: "d", timeoutMs: 0, execute() {} });`,
      expected: {
        line: 2,
        column: 1,
        message: "The default export has a timeoutMs that is not a positive number.",
        remedy: "Give it in milliseconds, such as 30_000.",
      },
    },
    {
      title: "arguments that have no JSON form",
      text: `${TOOL}export default tool({ description: "d", args: { on: tool.schema.date() }, execute() {} });`,
      expected: {
        line: 2,
        column: 1,
        message: "The arguments have no JSON form: Date cannot be represented in JSON Schema (the default export).",
        remedy: "Agents send JSON: use strings, numbers, booleans, lists and objects.",
      },
    },
    {
      title: "an argument without a schema",
      text: `${TOOL}export default tool({ description: "d", args: { a: tool.schema.string(), b: "string" }, execute() {} });`,
      expected: {
        line: 2,
        column: 1,
        message: 'The arguments have no zod schema for "b" (the default export).',
        remedy: ARGUMENTS_REMEDY,
      },
    },
    {
      title: "arguments of another type than an object",
      text: `${TOOL}export default tool({ description: "d", args: tool.schema.string(), execute() {} });`,
      expected: {
        line: 2,
        column: 1,
        message: "The arguments are not an object (the default export).",
        remedy: ARGUMENTS_REMEDY,
      },
    },
    {
      title: "a schema of an older zod",
      text: `export default { description: "d", args: { a: { _def: {} } }, execute() {} };`,
      expected: {
        line: 1,
        column: 1,
        message: "The arguments use a schema of an older zod (a) (the default export).",
        remedy: 'Take zod 4 from Atomic: import { z } from "zod", or tool.schema.',
      },
    },
    {
      title: "arguments under both names",
      text: `${TOOL}export default tool({ description: "d", args: {}, inputSchema: {}, execute() {} });`,
      expected: {
        line: 2,
        column: 1,
        message: "The default export has both args and inputSchema.",
        remedy: "Keep one of the two; they mean the same.",
      },
    },
  ])("$title", async ({ text, expected }) => {
    expect(await problemsOf(text)).toEqual([{ path: PATH, ...expected }]);
  });

  test("a name that agents cannot call", async () => {
    expect(await problemsOf(LINT, "lint code.ts")).toEqual([
      {
        path: "/project/.atomic/tools/lint code.ts",
        line: 2,
        column: 1,
        message: '"lint code" cannot name a tool.',
        remedy: 'Rename the file: the name has letters, digits, "-" and "_", at most 40.',
      },
    ]);
  });

  test.each(["read", "Bash", "write_bash"])("the name of an agent's own tool: %s", async (name) => {
    expect(await problemsOf(LINT, `${name}.ts`)).toEqual([
      {
        path: `/project/.atomic/tools/${name}.ts`,
        line: 2,
        column: 1,
        message: `"${name}" is the name of an agent's own tool.`,
        remedy: `Rename the file: a list of tools that names "${name}" means the agent's own.`,
      },
    ]);
  });

  test("a JSON Schema that does not compile", async () => {
    await write({
      "project/.atomic/tools/a.ts": `export default { description: "d", args: { type: "object", required: 1 }, execute() {} };`,
    });
    const { problems } = await load({ compileSchema: () => Promise.reject(new Error("required must be array")) });
    expect(problems.map(({ message }) => message)).toEqual([
      "The arguments have a broken JSON Schema: required must be array (the default export).",
    ]);
  });
});
