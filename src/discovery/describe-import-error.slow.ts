import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { DiscoveryProblem } from "../contracts/index.ts";
import { runChild } from "./fixtures/run-child.ts";

let root = "";
let folder = "";
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-import-error-")));
  folder = join(root, ".atomic", "workflows");
  await mkdir(folder, { recursive: true });
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function loadFiles(files: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const steps = [{ type: "load" }] as const;
  const [report] = await runChild({
    projectDirectory: root,
    homeDirectory: join(root, "home"),
    isTrusted: true,
    steps,
  });
  if (report === undefined) throw new Error("The child reported nothing.");
  return report;
}

/** One line per problem, as a terminal would show it. */
function formatProblems(problems: readonly DiscoveryProblem[]): readonly string[] {
  return problems.map(({ path, line, column, message, remedy, severity }) => {
    const place = [path, line, column].filter((part) => part !== undefined).join(":");
    return `${severity} ${place} ${message} → ${remedy}`.replaceAll(`${folder}/`, "").replaceAll(folder, "FOLDER");
  });
}

const KNOWN =
  "Without installing anything these can be imported: @bastani/atomic/graph, @bastani/atomic/workflows, @bastani/atomic, @bastani/atomic/testing, @bastani/atomic/plugin, @atomic/plugin, zod.";
const SYNTAX_REMEDY = "Correct the file; the rest of it has not been looked at.";
const THROWN_REMEDY = "Correct the file; code outside its functions runs whenever Atomic loads the file.";
const DEFAULT_EXAMPLE = "export default () => graph(State).start(first).end().compile();";

test.each([
  {
    title: "a syntax error",
    files: { "a.ts": "export default () => {\n  const x = ;\n};" },
    expected: [`error a.ts:2:13 Syntax error: Unexpected ;. → ${SYNTAX_REMEDY}`],
  },
  {
    title: "several syntax errors",
    files: { "a.ts": "export const a = 1;\nexport const a = 2;\nlet b = 1;\nlet b = 2;" },
    expected: [
      `error a.ts:2:14 Syntax error: "a" has already been declared. → ${SYNTAX_REMEDY}`,
      `error a.ts:4:5 Syntax error: "b" has already been declared. → ${SYNTAX_REMEDY}`,
    ],
  },
  {
    title: "a syntax error in a helper",
    files: { "a.ts": 'import "./_bad.ts";\nexport default () => 1;', "_bad.ts": "\nconst q = ;" },
    expected: [`error _bad.ts:2:11 Syntax error: Unexpected ;. (imported by a.ts) → ${SYNTAX_REMEDY}`],
  },
  {
    title: "an error thrown while loading",
    files: {
      "a.ts":
        "interface A { b: string }\n\nfunction check(a: A) {\n  throw new RangeError(`no ${a.b}`);\n}\ncheck({ b: 'x' });",
    },
    expected: [`error a.ts:4:13 Loading it threw RangeError: no x → ${THROWN_REMEDY}`],
  },
  {
    title: "an error thrown by a helper while it is loaded",
    files: { "a.ts": 'import "./_bad.ts";\nexport default () => 1;', "_bad.ts": "\nthrow new Error('no');" },
    expected: [`error _bad.ts:2:11 Loading it threw Error: no (imported by a.ts) → ${THROWN_REMEDY}`],
  },
  {
    title: "something thrown that is no error",
    files: { "a.ts": "throw 'just text';" },
    expected: [`error a.ts Loading it threw "just text" → ${THROWN_REMEDY}`],
  },
  {
    title: "no default export",
    files: { "a.ts": "export const name = 'a';" },
    expected: [
      `error a.ts The file has no default export, so there is no workflow in it. → Add one (${DEFAULT_EXAMPLE}), or put "_" before the name of a file that only helps others.`,
    ],
  },
  {
    title: "a misspelt import from Atomic",
    files: {
      "a.ts":
        '// anotation\nimport { graph,\n  anotation } from "@bastani/atomic/graph";\nexport default () => graph(anotation);',
    },
    expected: ['error a.ts:3:3 "@bastani/atomic/graph" has no export "anotation". → Did you mean "annotation"?'],
  },
  {
    title: "an import from another module of Atomic than the one that has it",
    files: { "a.ts": 'import { annotation, graph } from "@bastani/atomic";\nexport default () => graph(annotation);' },
    expected: [
      'error a.ts:1:10 "@bastani/atomic" has no export "annotation". → Import it from "@bastani/atomic/graph".',
    ],
  },
  {
    title: "an object that cannot become a text, thrown at the top level",
    files: { "a.ts": "throw Object.create(null);" },
    expected: [`error a.ts Loading it threw an object without fields → ${THROWN_REMEDY}`],
  },
  {
    title: "a misspelt re-export from Atomic",
    files: { "a.ts": 'export { grpah } from "@bastani/atomic/graph";\nexport default () => 1;' },
    expected: ['error a.ts:1:10 "@bastani/atomic/graph" has no export "grpah". → Did you mean "graph"?'],
  },
  {
    title: "an import from Atomic that resembles nothing",
    files: { "a.ts": 'import { zebra } from "@bastani/atomic/graph";\nexport default () => zebra;' },
    expected: [
      'error a.ts:1:10 "@bastani/atomic/graph" has no export "zebra". → It exports: FakeGraph, graph, annotation, agentNode. Correct the import.',
    ],
  },
  {
    title: "a default import from Atomic",
    files: { "a.ts": 'import graph from "@bastani/atomic/graph";\nexport default () => graph();' },
    expected: [
      'error a.ts:1:8 "@bastani/atomic/graph" has no default export. → It exports: FakeGraph, graph, annotation, agentNode. Correct the import.',
    ],
  },
  {
    title: "a misspelt import from Atomic in a helper of a helper",
    files: {
      "a.ts": 'import { one } from "./_one";\nexport default () => one;',
      "_one.ts": 'export { two as one } from "./_two.ts";',
      "_two.ts": '\nimport { agentNod } from "@bastani/atomic/graph";\nexport const two = agentNod;',
    },
    expected: [
      'error _two.ts:2:10 "@bastani/atomic/graph" has no export "agentNod". (imported by a.ts) → Did you mean "agentNode"?',
    ],
  },
  {
    title: "a misspelt import from a helper",
    files: {
      "a.ts": 'import { sumarise } from "./_helper";\nexport default () => sumarise;',
      "_helper.ts": "export const summarise = 1;",
    },
    expected: ['error a.ts:1:10 "_helper.ts" has no export "sumarise". → Did you mean "summarise"?'],
  },
  {
    title: "a misspelt import from a package",
    files: {
      "a.ts": 'import { lefd } from "left";\nexport default () => lefd;',
      "node_modules/left/index.js": "export const left = 1;",
    },
    expected: ['error a.ts:1:10 "node_modules/left/index.js" has no export "lefd". → Did you mean "left"?'],
  },
  {
    title: "a package that is not installed",
    files: { "a.ts": '\nimport pad from "@scope/left-pad/deep";\nexport default () => pad;' },
    expected: [
      `error a.ts:2:17 Cannot find the module "@scope/left-pad/deep". → Install it for the file (bun add @scope/left-pad, in FOLDER or a folder above it), or remove the import. ${KNOWN}`,
    ],
  },
  {
    title: "the module of OpenCode's tools",
    files: { "a.ts": 'import { tool } from "@opencode-ai/plugin";\nexport default () => tool;' },
    expected: [
      `error a.ts:1:22 Cannot find the module "@opencode-ai/plugin". → Import tool from "@bastani/atomic/plugin" instead. ${KNOWN}`,
    ],
  },
  {
    title: "a misspelt module of Atomic",
    files: { "a.ts": 'import { graph } from "@bastani/atomic/grahp";\nexport default () => graph;' },
    expected: [
      `error a.ts:1:23 Cannot find the module "@bastani/atomic/grahp". → Did you mean "@bastani/atomic/graph"? ${KNOWN}`,
    ],
  },
  {
    title: "a package imported late that is not installed",
    files: { "a.ts": 'const pad = await import("left-pad-nope");\nexport default () => pad;' },
    expected: [
      `error a.ts:1:26 Cannot find the module "left-pad-nope". → Install it for the file (bun add left-pad-nope, in FOLDER or a folder above it), or remove the import. ${KNOWN}`,
    ],
  },
  {
    title: "a syntax error that throws the parser off",
    files: { "a.ts": 'export default () => ({ id "x" })\n  .end(;\n' },
    expected: [
      'error a.ts:1:28 Syntax error: Expected "}" but found ""x"". → Correct the file; the rest of it has not been looked at.',
    ],
  },
  {
    title: "a helper that does not exist",
    files: { "a.ts": 'import { x } from "./_helpr.ts";\nexport default () => x;', "_helper.ts": "export const x = 1;" },
    expected: [
      'error a.ts:1:19 Cannot find the file "./_helpr.ts". → Did you mean "./_helper.ts"? Correct the path, or create the file.',
    ],
  },
  {
    title: "a part of Atomic by a path",
    files: { "a.ts": 'import { x } from "../graph/subagent-bridge";\nexport default () => x;' },
    expected: [
      'error a.ts:1:19 Cannot find the file "../graph/subagent-bridge". → Correct the path, or create the file. To use Atomic, import from "@bastani/atomic/graph".',
    ],
  },
  {
    title: "a helper's helper that does not exist",
    files: {
      "a.ts": 'import { x } from "./_helper.ts";\nexport default () => x;',
      "_helper.ts": 'export { x } from "../zzzzz.ts";',
    },
    expected: [
      'error _helper.ts:1:19 Cannot find the file "../zzzzz.ts". (imported by a.ts) → Correct the path, or create the file.',
    ],
  },
])("$title is reported with its place, and other files load", async ({ files, expected }) => {
  const { workflows, problems } = await loadFiles({ ...files, "good.ts": "export default () => 1;" });
  expect(workflows.map(({ metadata }) => metadata.name)).toEqual(["good"]);
  expect(formatProblems(problems)).toEqual(expected);
});

test("a path that Bun cannot import is reported as the reason", async () => {
  const odd = join(root, "what?");
  await mkdir(join(odd, ".atomic", "workflows"), { recursive: true });
  await writeFile(join(odd, ".atomic", "workflows", "a.ts"), "export default () => 1;");
  const steps = [{ type: "load" }] as const;
  const [report] = await runChild({ projectDirectory: odd, homeDirectory: join(root, "home"), isTrusted: true, steps });
  expect(report?.problems).toEqual([
    {
      path: join(odd, ".atomic", "workflows", "a.ts"),
      message: "Bun does not find the file under its own path.",
      remedy: 'Rename the file or its folders: a path with a "?" or "\\" in it cannot be imported.',
      severity: "error",
    },
  ]);
});

test("a failure of the exported function names the author's own line", async () => {
  const { workflows } = await loadFiles({
    "a.ts":
      'import { graph } from "@bastani/atomic/graph";\ntype A = { b: 1 };\nexport default (_: A) =>\n  graph()\n    .strat();\n',
    "b.ts": "\nexport default async () => {\n  await 1;\n  throw new Error('late');\n};",
    "c.ts": "export default () => {\n  throw 'text';\n};",
  });
  expect(workflows.map(({ createError }) => createError)).toEqual([
    {
      message: `The workflow "a" cannot be built: TypeError: graph().strat is not a function (${folder}/a.ts:5:6). Check the spelling of the method.`,
      problem: {
        path: join(folder, "a.ts"),
        line: 5,
        column: 6,
        message: "TypeError: graph().strat is not a function",
        remedy: "Check the spelling of the method.",
        severity: "error",
      },
    },
    {
      message: `The workflow "b" cannot be built: Error: late (${folder}/b.ts:4:13). Correct the file.`,
      problem: {
        path: join(folder, "b.ts"),
        line: 4,
        column: 13,
        message: "Error: late",
        remedy: "Correct the file.",
        severity: "error",
      },
    },
    {
      message: `The workflow "c" cannot be built: text (${folder}/c.ts). Correct the file.`,
      problem: { path: join(folder, "c.ts"), message: "text", remedy: "Correct the file.", severity: "error" },
    },
  ]);
});
