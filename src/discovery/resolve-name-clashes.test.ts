import { expect, test } from "bun:test";
import type { WorkflowSource } from "../contracts/index.ts";
import { type NamedEntry, resolveNameClashes } from "./resolve-name-clashes.ts";

function entry(source: WorkflowSource, name: string, ...aliases: readonly string[]): NamedEntry {
  const metadata = { name, description: "", aliases, source };
  return source === "builtin" ? { metadata } : { metadata, path: `/${source}/${name}.ts` };
}

function show(entries: readonly NamedEntry[]): readonly string[] {
  const resolved = resolveNameClashes(entries);
  const names = resolved.entries.map(({ metadata }) => [metadata.source, metadata.name, ...metadata.aliases].join(" "));
  return [...names, ...resolved.problems.map(({ path, message, severity }) => `${severity} ${path} ${message}`)];
}

test.each([
  {
    title: "the order of precedence is local, global, built in",
    entries: [entry("builtin", "a"), entry("global", "b"), entry("local", "c")],
    expected: ["local c", "global b", "builtin a"],
  },
  {
    title: "a name of a higher scope overrides silently, whatever its case",
    entries: [entry("builtin", "ralph", "loop"), entry("global", "RALPH"), entry("local", "Ralph")],
    expected: ["local Ralph"],
  },
  {
    title: "within a scope the first is listed, and the other is an error that names both",
    entries: [entry("global", "x"), { ...entry("global", "X"), path: "/global/second.ts" }],
    expected: [
      "global x",
      'error /global/second.ts Two workflow files have the name "X": /global/x.ts and /global/second.ts.',
    ],
  },
  {
    title: "an alias of a higher scope overrides silently",
    entries: [entry("builtin", "ralph", "loop", "r"), entry("local", "mine", "LOOP")],
    expected: ["local mine LOOP", "builtin ralph r"],
  },
  {
    title: "within a scope the first has the alias",
    entries: [entry("local", "a", "x"), entry("local", "b", "X", "y")],
    expected: ["local a x", "local b y", 'warning /local/b.ts The alias "X" of "b" is taken by "a" (/local/a.ts).'],
  },
  {
    title: "an alias never hides a name, also not one of a lower scope",
    entries: [entry("local", "a", "ralph", "b"), entry("local", "b"), entry("builtin", "ralph")],
    expected: [
      "local a",
      "local b",
      "builtin ralph",
      'warning /local/a.ts The alias "ralph" of "a" is taken by "ralph" (a built-in workflow).',
      'warning /local/a.ts The alias "b" of "a" is taken by "b" (/local/b.ts).',
    ],
  },
  {
    title: "an alias equal to the workflow's own name is dropped without a word",
    entries: [entry("local", "a", "A", "x")],
    expected: ["local a x"],
  },
  {
    title: "a workflow that is overridden takes its aliases along",
    entries: [entry("local", "a"), entry("global", "a", "x"), entry("builtin", "b", "x")],
    expected: ["local a", "builtin b x"],
  },
])("$title", ({ entries, expected }) => {
  expect(show(entries)).toEqual(expected);
});

test("what another scope overrides is named with what overrides it", () => {
  const [project, user, builtIn] = [entry("local", "A"), entry("global", "a"), entry("builtin", "a")];
  expect(resolveNameClashes([builtIn, user, project]).overridden).toEqual([
    { entry: user, owner: project },
    { entry: builtIn, owner: project },
  ]);
});
