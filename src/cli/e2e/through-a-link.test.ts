import { expect, test } from "bun:test";
import { join } from "node:path";

/** What may be done with the path of the launcher: a link to it, and the folders beside it. */
const HARMLESS = /^import |^export const ATOMIC = |symlink\(ATOMIC, |dirname\(ATOMIC\)/;

// A call in the checkout finds what is installed there, which hides that a user's call would not.
test("every test of the program calls it through a link, in a project outside of the repository", async () => {
  const direct: string[] = [];
  for await (const path of new Bun.Glob("**/*.{ts,tsx}").scan(import.meta.dirname)) {
    if (path === "through-a-link.test.ts") continue;
    const lines = (await Bun.file(join(import.meta.dirname, path)).text()).split("\n");
    for (const [index, line] of lines.entries()) {
      const isLauncher = /\bATOMIC\b|\.\.\/bin\/atomic/.test(line);
      if (isLauncher && !HARMLESS.test(line.trim())) direct.push(`${path}:${index + 1}: ${line.trim()}`);
    }
  }
  expect(direct).toEqual([]);
});
