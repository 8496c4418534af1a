import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { isHarmlessSedScript } from "./sed-script.ts";

test.each([
  "s/[^/]*$//",
  "s/[/]/x/",
  "s,[],],x,",
  "s/[^]/]*/x/g",
  "s/[[:alpha:]/]*/x/",
  "s/[\\/]/x/;s/[\\\\]/y/",
  "/[]/]/d;p",
  "y/[]/()/",
  "s/a/[/;s/b/]/",
  "s/a/x\\\ny/",
])("%j only edits text", (script) => {
  expect(isHarmlessSedScript(script)).toBe(true);
});

test.each([
  "s/[]/]/;y/g\ne touch m\n/abcd/ p",
  "s/[^]/]/;y/g\ne touch m\n/abcd/ p",
  "s/[[:alpha:]/]*/;s/w m\n/1/",
  "s/[[:a/:]/]*/x/",
  "s/[[.a.]/]*/x/",
  "s/[\\]/]/w m",
  "s/[\\[:a]/x/",
  "s/[a/x/",
  "s/[a\n]/x/",
  "s/a\nb/x/",
  "s/a/x\ny/",
  "s/a\\\nb/x/",
  "s/[/]/w m",
  "/[/]/w m",
])("%j is not known to", (script) => {
  expect(isHarmlessSedScript(script)).toBe(false);
});

const PIECES = [
  ..."sy/,|;gpdnNx1e{}[]^:.=\\ab",
  "\n",
  "[",
  "]",
  "/",
  "[]",
  "[^]",
  "[:",
  ":]",
  "[[:alpha:]",
  "s/",
  "y/",
  "\\/",
  "\\]",
  "\\[",
  "\\n",
  "w m",
  "w m\n",
  "\nw m\n",
  ";w m",
  "//",
  "/p",
];

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "atomic-sed-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Whether sed creates the file `m`. */
function writes(script: string, ...options: readonly string[]): boolean {
  const marker = path.join(folder, "m");
  spawnSync("sed", [...options, "-e", script], { cwd: folder, input: "a/b]c\nab\n", timeout: 5_000 });
  const isThere = existsSync(marker);
  rmSync(marker, { force: true });
  return isThere;
}

test("no generated script that counts as harmless writes a file in the real sed", () => {
  expect(writes("w m")).toBe(true);
  const bracket = fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }).map((pieces) => pieces.join(""));
  const script = fc
    .tuple(
      fc.constantFrom("s/", "y/", "/", "s,", ""),
      bracket,
      fc.constantFrom("/", ",", "]/", "]*/"),
      bracket,
      bracket,
    )
    .map(([start, first, delimiter, second, third]) => `${start}${first}${delimiter}${second}/${third}`);
  const harmless = fc.sample(script, { numRuns: 30_000, seed: 10 }).filter((text) => isHarmlessSedScript(text));
  const withWriting = harmless.filter((text) => /[we]/.test(text)).slice(0, 250);
  expect(withWriting.length).toBeGreaterThan(100);
  expect(withWriting.filter((text) => writes(text) || writes(text, "--posix") || writes(text, "-E"))).toEqual([]);
});
