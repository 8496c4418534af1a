import { expect, test } from "bun:test";
import { checkWords, checkWordsOf } from "./check-words.ts";
import { runChecks } from "./run-checks.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";
import { WORD_TABLE, type WordTable } from "./word-rules.ts";

const TABLE: WordTable = {
  notYet: [],
  words: [
    { pattern: "whoever", instead: "the caller" },
    { pattern: "uses? up", instead: "spends" },
    { pattern: "refused", instead: "denied", except: ["connection refused"] },
  ],
};

/** A repository in which nothing is wrong. */
const REPOSITORY = {
  "README.md": "# Atomic\n",
  "CONTRIBUTING.md": "# Contributing\n",
  "AGENTS.md": "# Agents\n",
  "ARCHITECTURE.md": "# Architecture\n",
  "docs/graph.md": "# Graphs\n",
  "src/cli/program.ts": 'program.option("--verify <command>", "the command that must succeed");\n',
  "scripts/check.ts": "check();\n",
  "scripts/start.mjs": "start();\n",
  "bench/run.ts": "run();\n",
  "examples/hello.ts": "hello();\n",
  "bin/start.ts": "start();\n",
};

test.each([
  {
    title: "a word is found in any case, with its line",
    text: "One.\n\nWhoever calls it.\n",
    problems: ['README.md:3 words: "Whoever". Write instead: the caller.'],
  },
  {
    title: "words that a line break parts are found",
    text: "- A run uses\n  up its tokens.\n",
    problems: ['README.md:1 words: "uses up". Write instead: spends.'],
  },
  {
    title: "several are reported in the order of the text",
    text: "It is refused.\n`code` Whoever reads.\n",
    problems: [
      'README.md:1 words: "refused". Write instead: denied.',
      'README.md:2 words: "Whoever". Write instead: the caller.',
    ],
  },
  { title: "a part of a word is something else", text: "whoevers, un-refused, refused-by\n", problems: [] },
  { title: "an exception is fine", text: "Connection refused.\n", problems: [] },
  {
    title: "an exception does not excuse the next use",
    text: "Connection refused, so the call is refused.\n",
    problems: ['README.md:1 words: "refused". Write instead: denied.'],
  },
  {
    title: "code, quotations, comments and addresses are quoted text",
    text: 'A\n\n  ```sh\n  whoever\n  ```\n\n`whoever`, ``a `whoever` b``, "whoever\ncalls", [a](whoever.md).\n<!-- whoever -->\n',
    problems: [],
  },
  { title: "a quotation separates the words around it", text: "It uses `one` up.\n", problems: [] },
  {
    title: "a quotation mark without a partner hides no other paragraph",
    text: '6" wide.\n\nWhoever said "yes".\n',
    problems: ['README.md:3 words: "Whoever". Write instead: the caller.'],
  },
])("$title", ({ text, problems }) => {
  expect(checkWords({ path: "README.md", text }, TABLE)).toEqual(problems);
});

test("texts and comments of code are checked, its names and single words are not", () => {
  const text = [
    "// whoever reads this",
    'const whoever = "whoever";',
    'program.option("--max-cost <usd>", "what it uses up");',
    "const help = `one",
    "$" + "{whoever}: refused`;",
    "/**",
    " * A `refused` call uses",
    " * up tokens.",
    " */",
  ].join("\n");
  expect(checkWords({ path: "src/cli/program.ts", text }, TABLE)).toEqual([
    'src/cli/program.ts:1 words: "whoever". Write instead: the caller.',
    'src/cli/program.ts:3 words: "uses up". Write instead: spends.',
    'src/cli/program.ts:5 words: "refused". Write instead: denied.',
    'src/cli/program.ts:7 words: "uses up". Write instead: spends.',
  ]);
});

test.each([
  { title: "a phrase over two comment lines", text: "// It uses\n// up tokens.\n", found: ["1 uses up"] },
  {
    title: "a word after an escaped line break",
    text: 'say("One.\\nWhoever calls");\nsay(`\\nrefused`);\n',
    found: ["1 Whoever", "2 refused"],
  },
  { title: "the text of a type", text: 'type Kind = "is refused" | "ok";\n', found: ["1 refused"] },
  {
    title: "a word between two values in quotation marks",
    text: 'say(`"$' + '{a}" refused "$' + '{b}"`);\n',
    found: ["1 refused"],
  },
  { title: "a text within a template", text: "say(`one $" + '{list("for whoever")} two`);\n', found: ["1 whoever"] },
  { title: "a word that a message quotes", text: `say('It printed "refused" twice');\n`, found: [] },
  { title: "a comment after another statement", text: "one(); // it uses\n\n// up\n", found: [] },
  { title: "neighbouring texts", text: 'say("what it uses", "up to now");\n', found: [] },
])("code with $title: $found", ({ text, found }) => {
  expect(checkWords({ path: "src/cli/program.ts", text }, TABLE)).toEqual(
    found.map((place) => {
      const [line, ...words] = place.split(" ");
      const instead = { "uses up": "spends", refused: "denied" }[words.join(" ")] ?? "the caller";
      return `src/cli/program.ts:${line} words: "${words.join(" ")}". Write instead: ${instead}.`;
    }),
  );
});

test("of a test, comments and titles are checked, its data is not", () => {
  const text = [
    'test("whoever calls", () => say("it is refused"));',
    'describe.each([{ title: "is refused", answer: "it is refused" }])("$title to whoever", () => {});',
    "test.skipIf(isRoot)(`is refused by $" + "{name}`, () => {});",
    "// refused",
    "test.each([{ title: `$" + "{name} is refused`, answer: `it is refused` }])();",
  ].join("\n");
  expect(checkWords({ path: "src/cli/program.test.ts", text }, TABLE)).toEqual([
    'src/cli/program.test.ts:1 words: "whoever". Write instead: the caller.',
    'src/cli/program.test.ts:2 words: "refused". Write instead: denied.',
    'src/cli/program.test.ts:2 words: "whoever". Write instead: the caller.',
    'src/cli/program.test.ts:3 words: "refused". Write instead: denied.',
    'src/cli/program.test.ts:4 words: "refused". Write instead: denied.',
    'src/cli/program.test.ts:5 words: "refused". Write instead: denied.',
  ]);
});

test("every document and source file is checked, except those that are not rewritten yet", async () => {
  await using folder = await createTemporaryFolder();
  await folder.write(REPOSITORY);
  expect(await checkWordsOf(folder.path, TABLE)).toEqual({ problems: [] });

  const paths = Object.keys(REPOSITORY);
  const planted = paths.map((path) => [path, path.endsWith(".md") ? "whoever\n" : 'say("for whoever");\n']);
  await folder.write(Object.fromEntries(planted));
  const { problems } = await checkWordsOf(folder.path, TABLE);
  expect(problems).toEqual(paths.map((path) => `${path}:1 words: "whoever". Write instead: the caller.`));

  const documents = paths.filter((path) => path.endsWith(".md"));
  expect(
    await checkWordsOf(folder.path, {
      ...TABLE,
      notYet: [...documents, "src/cli", "scripts", "bench", "examples", "bin", "sr"],
    }),
  ).toEqual({
    problems: ['scripts/words.json notYet: "sr" has no checked file. Remove it from the list.'],
  });
});

test("npm run check reports a word of words.json", async () => {
  await using folder = await createTemporaryFolder();
  const rest = WORD_TABLE.notYet.map((path) => [/\.\w+$/.test(path) ? path : `${path}/empty.ts`, ""]);
  await folder.write({ ...REPOSITORY, ...Object.fromEntries(rest), "README.md": "A step is under way.\n" });
  const reports = await runChecks(folder.path, ["words"]);
  expect(reports.map(({ name, problems }) => ({ name, problems }))).toEqual([
    { name: "words", problems: ['README.md:1 words: "under way". Write instead: in progress.'] },
  ]);
});
