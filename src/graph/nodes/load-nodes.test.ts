import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The files that a file imports late. */
function lateImportsOf(file: string): readonly string[] {
  const text = readFileSync(join(import.meta.dir, file), "utf8");
  // `typeof import("…")` is a type.
  return [...text.matchAll(/(?<!typeof )\bimport\("\.\/([^"]+)"\)/g)].map(([, imported = ""]) => imported);
}

test("everything is loaded that a node imports when it is executed, but for what runs commands", () => {
  const files = readdirSync(import.meta.dir).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
  const late = files.filter((name) => name !== "load-nodes.ts").flatMap(lateImportsOf);
  // A plan runs no commands; and it loads a package of Node that takes milliseconds.
  const wanted = new Set(late.filter((name) => name !== "run-command.ts"));
  expect(new Set(lateImportsOf("load-nodes.ts"))).toEqual(wanted);
});
