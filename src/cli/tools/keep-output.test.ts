import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, readdir, realpath, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { truncateToolOutput } from "../../clients/index.ts";
import { createOutputLimit, toolOutputFolder } from "./keep-output.ts";

let home = "";

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "atomic-output-")));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const lines = (count: number): string => Array.from({ length: count }, (_, index) => `${index}`).join("\n");

test.each([
  { title: "2,000 lines", text: lines(2_000) },
  { title: "50 KiB", text: "x".repeat(51_200) },
  { title: "nothing", text: "" },
])("a text of at most $title stays as it is, and no file is written", async ({ text }) => {
  const folder = toolOutputFolder(home);
  expect(await createOutputLimit(folder)(text, "lint")).toBe(text);
  expect(await readdir(home)).toEqual([]);
});

test.each([
  { title: "lines", text: lines(2_001) },
  { title: "bytes", text: "é".repeat(25_601) },
  { title: "both", text: lines(50_000) },
])("of a text with too many $title, a file for the user alone keeps everything", async ({ text }) => {
  const folder = toolOutputFolder(home);
  const shown = await createOutputLimit(folder)(text, "lint");
  const [name = ""] = await readdir(folder);
  const path = join(folder, name);
  expect(shown).toContain(` left out; the whole output is in ${path}) …`);
  expect(await Bun.file(path).text()).toBe(text);
  const modes = [await stat(folder), await stat(path)].map(({ mode }) => (mode & 0o777).toString(8));
  expect(modes).toEqual(["700", "600"]);
  // What agents' clients limit again is not shortened twice.
  expect(truncateToolOutput(shown)).toBe(shown);
});

test("files older than a week are removed, other files are not", async () => {
  const limit = createOutputLimit(home);
  for (const name of ["old.txt", "new.txt", "old.md"]) await writeFile(join(home, name), "");
  const eightDaysAgo = new Date(Date.now() - 8 * 86_400_000);
  for (const name of ["old.txt", "old.md"]) await utimes(join(home, name), eightDaysAgo, eightDaysAgo);
  await limit(lines(3_000), "lint");
  expect((await readdir(home)).map((name) => name.replace(/^lint-.*/, "kept")).sort()).toEqual([
    "kept",
    "new.txt",
    "old.md",
  ]);
});

test("where no file can be written, the text says so", async () => {
  await writeFile(join(home, "tool-output"), "a file");
  const shown = await createOutputLimit(toolOutputFolder(home))(lines(3_000), "lint");
  expect(shown).toMatch(/ left out; the whole output could not be kept: EEXIST.*\) …/);
});
