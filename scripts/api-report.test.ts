import { expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describeDifference } from "./api-report.ts";
import { DeclarationFiles } from "./declaration-files.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

const FILES = {
  "index.d.ts": `
import { Inner, Shared } from "./types-abc.js";
import { z } from "zod";
/**
 * Runs {@link Shared}.
 * Twice.
 *
 * @throws Error
 */
declare function run(shared: Shared): z.ZodType;
declare function run(): void;
declare namespace unrelated {}
export { type Shared as Public, run };
export declare const LIMIT: Inner;
`,
  "types-abc.d.ts": `
/** Not for others. */
interface Inner {
  /** Of its kind. */
  readonly left?: Inner;
}
/** For all. */
export interface Shared {
  // How many.
  readonly count: number;
}
export { Inner };
`,
};

test("a file's exports are found where they are declared, without comments", async () => {
  await using folder = await createTemporaryFolder();
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder.path, path)), { recursive: true });
    await writeFile(join(folder.path, path), text);
  }
  const files = await DeclarationFiles.read(folder.path);
  const exports = files.exportsOf("index.d.ts");
  expect([...exports].map(([name, { text, summary }]) => [name, text, summary])).toEqual([
    ["LIMIT", "const LIMIT: Inner;", ""],
    ["Public", "interface Shared {\n  readonly count: number;\n}", "For all."],
    ["run", "function run(shared: Shared): z.ZodType;\nfunction run(): void;", "Runs `Shared`. Twice."],
  ]);
  const mentioned = [...exports.values()].map((declaration) => files.mentionedBy(declaration).map(({ name }) => name));
  expect(mentioned).toEqual([["Inner"], [], ["Shared"]]);
});

test("a difference names the first line that differs, and the command that accepts it", () => {
  expect(describeDifference("docs/api/graph.md", { known: "a\nb\n", report: "a\nc\n" })).toBe(
    'docs/api/graph.md:2 api: the report has "b", and the declarations have "c". If the change is meant, run npm run api and commit the report.',
  );
  expect(describeDifference("docs/api/graph.md", { known: "a\nb", report: "a" })).toBe(
    'docs/api/graph.md:2 api: the report has "b", and the declarations have the end. If the change is meant, run npm run api and commit the report.',
  );
});
