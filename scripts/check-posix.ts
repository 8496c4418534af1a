import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CheckOutcome } from "./check-outcome.ts";
import places from "./posix-places.json";
import { parseSource } from "./syntax-tree.ts";

/** What only POSIX systems have, as it looks in the source. */
const POSIX_ONLY: Readonly<Record<string, RegExp>> = {
  shell: /"(?:\/bin\/)?(?:ba)?sh",\s*\[?\s*(?:"-c"|HOLD_SCRIPT)|"\/bin\/sh"/g,
  "group-signal": /\bkill\(\s*-/g,
  tty: /"\/dev\/tty"/g,
  proc: /["`]\/proc\//g,
  mode: /\bchmod(?:Sync)?\(/g,
  user: /\bget(?:e?uid|e?gid)\b/g,
};

const TESTS = /\.(?:test|slow|soak|agents|attack|conformance)\.tsx?$|\/(?:fixtures|attacks|conformance)\//;

/** What a file outside of `src/system` may use of a POSIX system, by its path. */
type PosixPlaces = Readonly<Record<string, readonly string[]>>;

/** The problems of a file: what it uses of a POSIX system without being in the list, and what the list has for nothing. */
export function checkPosix(path: string, text: string, permitted: readonly string[] = []): readonly string[] {
  const { comments, lineOf } = parseSource(path, text);
  const code = comments.reduce(
    (rest, { start, text: { length } }) => `${rest.slice(0, start)}${" ".repeat(length)}${rest.slice(start + length)}`,
    text,
  );
  const found = Object.entries(POSIX_ONLY).flatMap(([name, pattern]) =>
    [...code.matchAll(pattern)].map(({ index }) => ({ name, line: lineOf(index) })),
  );
  const unused = permitted.filter((name) => !found.some((use) => use.name === name));
  return [
    ...found
      .filter(({ name }) => !permitted.includes(name))
      .map(
        ({ name, line }) =>
          `${path}:${line} posix: "${name}" works on POSIX systems only. Move it into src/system, or add it to scripts/posix-places.json.`,
      ),
    ...unused.map(
      (name) => `${path} posix: the file no longer uses "${name}". Remove it from scripts/posix-places.json.`,
    ),
  ];
}

/** Checks a repository's source outside of `src/system`. */
export async function checkPosixOf(root: string): Promise<CheckOutcome> {
  const known: PosixPlaces = places;
  const entries = await readdir(join(root, "src"), { recursive: true });
  const paths = entries.map((entry) => `src/${entry}`).filter((path) => /\.tsx?$/.test(path) && !TESTS.test(path));
  const outside = paths.filter((path) => !path.startsWith("src/system/")).toSorted();
  const missing = Object.keys(known).filter((path) => !outside.includes(path));
  const problems = await Promise.all(
    outside.map(async (path) => checkPosix(path, await readFile(join(root, path), "utf8"), known[path])),
  );
  return {
    problems: [
      ...problems.flat(),
      ...missing.map((path) => `scripts/posix-places.json posix: there is no file ${path}.`),
    ],
  };
}
