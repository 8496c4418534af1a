import { isAbsolute, normalize, sep } from "node:path";
import {
  assertOptions,
  listOf,
  type OptionCheck,
  type OptionTable,
  object,
  required,
  shape,
  showValue,
  text,
} from "../../graph/engine.ts";
import { InvalidOptionsError } from "../../graph/index.ts";
import type { TestFiles, TestRepositoryOptions } from "./test-repository-options.ts";

/** Texts by path. A path stays inside the repository, and outside of git's own folder. */
const files: OptionCheck = {
  ...object,
  expected: 'texts by path, such as { "src/sum.js": "export const one = 1;" }',
  // The cast is true: only what is accepted is looked into.
  inside: (value, path) =>
    Object.entries(value as object).flatMap(([name, content]) => fileProblems(name, content, path)),
};

function fileProblems(name: string, content: unknown, path: string): readonly string[] {
  const isText = typeof content === "string";
  return [
    ...(isInside(name) ? [] : [`has the file ${JSON.stringify(name)} in ${path}, which is outside of the repository`]),
    ...(isText ? [] : [`has ${path}[${JSON.stringify(name)}] ${showValue(content)}; it must be a text`]),
  ];
}

function isInside(name: string): boolean {
  const [first = ""] = normalize(name).split(sep);
  return name !== "" && !isAbsolute(name) && !["..", ".", ".git"].includes(first.toLowerCase());
}

const OPTIONS: OptionTable<TestRepositoryOptions> = {
  files,
  commits: listOf(
    shape({ message: required(text), files: required(files) }),
    "a list of commits, each with a message and files",
  ),
};

/** @throws InvalidOptionsError */
export function assertRepositoryOptions(options: TestRepositoryOptions): void {
  assertOptions("createTestRepository", options, { table: OPTIONS });
}

/** Checks files before the first of them is written. @throws InvalidOptionsError */
export function assertTestFiles(method: string, given: TestFiles): void {
  const problems = files.accepts(given)
    ? (files.inside?.(given, "files") ?? [])
    : [`has files ${showValue(given)}; they must be ${files.expected}`];
  if (problems.length === 0) return;
  throw new InvalidOptionsError(
    method,
    problems.map((problem) => `${method}() ${problem}`),
  );
}
