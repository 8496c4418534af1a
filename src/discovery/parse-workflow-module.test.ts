import { expect, test } from "bun:test";
import type { WorkflowFile } from "./discover-workflow-files.ts";
import { parseWorkflowModule } from "./parse-workflow-module.ts";

const FILE: WorkflowFile = {
  path: "/p/.atomic/workflows/flow.ts",
  realPath: "/p/.atomic/workflows/flow.ts",
  source: "local",
};
const build = (): string => "graph";

function parse(exports: Readonly<Record<string, unknown>>, { file = FILE, text = "", sdkVersion = "1.5.0" } = {}) {
  return parseWorkflowModule({ file, exports, text, sdkVersion });
}

const NAME_RULE = 'a text of letters, digits, "-" and "_", at most 64, such as "review-changes"';

test.each([
  { key: "name", value: 7, is: "the number 7", expected: NAME_RULE },
  { key: "name", value: "../evil", is: 'the text "../evil"', expected: NAME_RULE },
  { key: "name", value: "", is: 'the text ""', expected: NAME_RULE },
  { key: "name", value: "-x", is: 'the text "-x"', expected: NAME_RULE },
  { key: "name", value: "a/b", is: 'the text "a/b"', expected: NAME_RULE },
  { key: "name", value: "a".repeat(65), is: `the text "${"a".repeat(56)}…`, expected: NAME_RULE },
  { key: "description", value: ["x"], is: 'a list ["x"]', expected: "a text of at most 10,000 characters" },
  { key: "aliases", value: "rs", is: 'the text "rs"', expected: `a list whose every entry is ${NAME_RULE}` },
  {
    key: "aliases",
    value: ["ok", "../x"],
    is: 'a list ["ok", "../x"]',
    expected: `a list whose every entry is ${NAME_RULE}`,
  },
  { key: "version", value: "1.0", is: 'the text "1.0"', expected: 'a version such as "1.2.0"' },
  { key: "version", value: 1, is: "the number 1", expected: 'a version such as "1.2.0"' },
  { key: "minSDKVersion", value: "latest", is: 'the text "latest"', expected: 'a version such as "1.2.0"' },
  { key: "stateVersion", value: "2", is: 'the text "2"', expected: "a whole number from 0" },
  { key: "isReadOnly", value: "yes", is: 'the text "yes"', expected: "true or false" },
  { key: "stateVersion", value: 1.5, is: "the number 1.5", expected: "a whole number from 0" },
  { key: "defaultConfig", value: [], is: "an empty list", expected: "an object" },
  { key: "defaultConfig", value: null, is: "null", expected: "an object" },
  { key: "argumentHint", value: {}, is: "an object", expected: "a text of at most 10,000 characters" },
  {
    key: "argumentHint",
    value: "x".repeat(10_001),
    is: `the text "${"x".repeat(56)}…`,
    expected: "a text of at most 10,000 characters",
  },
  { key: "inputs", value: { a: 1 }, is: "an object", expected: "a schema of zod 4: z.object({ … })" },
  { key: "migrateState", value: true, is: "the boolean true", expected: "a function (fromVersion, state) => state" },
])("$key = $value is a problem", ({ key, value, is, expected }) => {
  const text = `// first line\nexport const ${key} = 1;`;
  expect(parse({ default: build, [key]: value }, { text })).toEqual({
    problems: [
      {
        path: FILE.path,
        line: 2,
        column: 1,
        message: `The export "${key}" is ${is}, but must be ${expected}.`,
        remedy: `Correct "${key}", or remove it.`,
        severity: "error",
      },
    ],
  });
});

test("all problems of a file are reported at once", () => {
  const { workflow, problems } = parse({ default: { compiled: true }, name: 1, version: 2 });
  expect(workflow).toBeUndefined();
  expect(problems.map(({ message }) => message)).toEqual([
    "The default export is an object, but must be a function that returns the compiled graph.",
    `The export "name" is the number 1, but must be ${NAME_RULE}.`,
    'The export "version" is the number 2, but must be a version such as "1.2.0".',
  ]);
});

test("a file whose name cannot name a workflow needs the export", () => {
  const file = { ...FILE, path: "/p/.atomic/workflows/my flow.v2.ts" };
  expect(parse({ default: build }, { file }).problems.map(({ message, remedy }) => [message, remedy])).toEqual([
    [
      'The file\'s name "my flow.v2" cannot name a workflow.',
      `Rename the file, or add: export const name = "…" (${NAME_RULE}).`,
    ],
  ]);
  expect(parse({ default: build, name: "mine" }, { file }).workflow?.metadata.name).toBe("mine");
});

test.each([
  { min: "1.5.0", isProblem: false },
  { min: "1.4.99", isProblem: false },
  { min: "1.5.0-beta.1", isProblem: false },
  { min: "1.5.1", isProblem: true },
  { min: "1.10.0", isProblem: true },
  { min: "2.0.0-alpha", isProblem: true },
])("minSDKVersion $min under Atomic 1.5.0: problem $isProblem", ({ min, isProblem }) => {
  const { workflow, problems } = parse({ default: build, minSDKVersion: min });
  expect(workflow === undefined).toBe(isProblem);
  expect(problems).toEqual(
    isProblem
      ? [
          {
            path: FILE.path,
            message: `This workflow needs Atomic ${min} or newer; this is 1.5.0.`,
            remedy: 'Update Atomic. Where the file needs nothing newer, set its minSDKVersion to "1.5.0".',
            severity: "error",
          },
        ]
      : [],
  );
});

test("an export that looks misspelt is a warning, and other exports are the author's business", () => {
  const { workflow, problems } = parse({
    default: build,
    alias: ["x"],
    minSdkVersion: "1.0.0",
    State: {},
    outputs: {},
    searchCode: 1,
  });
  expect(workflow?.metadata.name).toBe("flow");
  expect(problems.map(({ message, remedy, severity }) => [message, remedy, severity])).toEqual([
    ['The export "alias" means nothing to Atomic.', 'Did you mean "aliases"?', "warning"],
    ['The export "minSdkVersion" means nothing to Atomic.', 'Did you mean "minSDKVersion"?', "warning"],
  ]);
});

test("a CommonJS file is no workflow, whatever its function's properties are", () => {
  const text = 'const { graph } = require("@bastani/atomic/graph");\nmodule.exports = () => graph();\n';
  expect(parse({ default: build, name: "", length: 0 }, { text })).toEqual({
    problems: [
      {
        path: FILE.path,
        message: "The file sets module.exports; a workflow file is an ES module.",
        remedy: 'Write "export default" instead of "module.exports =", and "import" instead of "require".',
        severity: "error",
      },
    ],
  });
  const mixed = "export default () => `\nmodule.exports = 1`;";
  expect(parse({ default: build }, { text: mixed }).problems).toEqual([]);
});
