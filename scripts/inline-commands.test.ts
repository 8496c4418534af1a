import { expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { readInlineCommands } from "./inline-commands.ts";
import { parseCall } from "./parse-call.ts";

const ROOT = join(import.meta.dirname, "..");

const PAGES = (await readdir(join(ROOT, "docs"))).filter((name) => name.endsWith(".md")).toSorted();
const DOCUMENTS = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "ARCHITECTURE.md",
  ...PAGES.map((name) => `docs/${name}`),
];

/** What a document names because it does not exist. */
const FORMER_CALLS: ReadonlySet<string> = new Set(['atomic ralph setup -a claude "test"']);

test("calls are read from sentences and tables, without code blocks", () => {
  const document = [
    'Use `atomic runs show RUN`, or `git diff | atomic -p "Review `this`"`.',
    "```sh",
    "atomic nothing",
    "```",
    "| `A=1 atomic … runs pause\\|cancel RUN 2>&1` | `atomic review [BASE]` |",
    "The name `atomic-x` and `run atomic` are none, but `atomic",
    "  doctor` is one.",
  ].join("\n");
  expect(readInlineCommands(document)).toEqual([
    { line: 1, text: "atomic runs show RUN", calls: [["runs", "show", "RUN"]] },
    { line: 1, text: 'git diff | atomic -p "Review', calls: [["-p", "Review"]] },
    {
      ...{ line: 5, text: "A=1 atomic … runs pause|cancel RUN 2>&1" },
      calls: [
        ["runs", "pause", "RUN"],
        ["runs", "cancel", "RUN"],
      ],
    },
    { line: 5, text: "atomic review [BASE]", calls: [["review", "BASE"]] },
    { line: 6, text: "atomic doctor", calls: [["doctor"]] },
  ]);
});

test.each([
  { words: ["runs", "answer"], problem: undefined },
  { words: ["run", "NAME", "--plan", "--agent"], problem: undefined },
  { words: ["runs", "shwo", "RUN"], problem: /too many arguments for 'runs'/ },
  { words: ["nothing"], problem: /no command or argument for "nothing"/ },
  { words: ["run", "NAME", "--plam"], problem: /unknown option '--plam'/ },
  { words: ["doctor", "all"], problem: /too many arguments for 'doctor'/ },
])("of a call, its commands and options must exist: $words", async ({ words, problem }) => {
  const found = await parseCall(words);
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(problem);
});

test("the README has calls in its tables", async () => {
  const commands = readInlineCommands(await readFile(join(ROOT, "README.md"), "utf8"));
  expect(commands.map(({ text }) => text)).toContain("atomic runs retry RUN STEP");
});

test.each(DOCUMENTS)("every call of atomic in a sentence or a table of %s can be parsed", async (path) => {
  const commands = readInlineCommands(await readFile(join(ROOT, path), "utf8"));
  const problems: string[] = [];
  for (const { line, text, calls } of commands) {
    if (FORMER_CALLS.has(text)) continue;
    for (const call of calls) {
      const problem = await parseCall(call);
      if (problem !== undefined) problems.push(`${path}:${line} \`${text}\`: ${problem}`);
    }
  }
  expect(problems).toEqual([]);
});
