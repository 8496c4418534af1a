import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Glob } from "bun";

const ROOT = join(import.meta.dirname, "..");
const PAGE = "docs/troubleshooting.md";

/** Files that are not the product. */
const TESTS = /\.(?:test|agents|slow|soak|conformance|attack)\.tsx?$|\/fixtures\/|\/attacks\//;

/** An error's code is the first argument of its `super` or of an `AtomicError`, or a default for errors of others. */
const CODE =
  /(?:\bsuper\(|\bAtomicError\(|\bcode: |error\.code : |\bforeignCode = |recordedErrorOf\(.*, )\s*"([A-Z]+(?:_[A-Z]+)*)"/g;

async function codesOfSource(): Promise<string[]> {
  const codes = new Set<string>();
  for await (const path of new Glob("src/**/*.{ts,tsx}").scan(ROOT)) {
    if (TESTS.test(path)) continue;
    for (const [, code = ""] of (await readFile(join(ROOT, path), "utf8")).matchAll(CODE)) codes.add(code);
  }
  return [...codes].sort();
}

async function codesOfPage(): Promise<string[]> {
  const rows = (await readFile(join(ROOT, PAGE), "utf8")).split("\n").filter((line) => line.startsWith("| `"));
  return rows.flatMap((row) => [...(row.split(" | ")[0] ?? "").matchAll(/`([A-Z_]+)`/g)].map(([, code = ""]) => code));
}

test("the page about troubleshooting has each code of an error once, and no other", async () => {
  expect([...(await codesOfPage())].sort()).toEqual(await codesOfSource());
});
