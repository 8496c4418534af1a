import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { files } from "../package.json";

const ROOT = join(import.meta.dirname, "..");

/** A page as messages name it: `See docs/hooks.md`, `(docs/telemetry.md)`. */
const NAMED = /(?:See |\()(docs\/[a-z-]+\.md)\b/g;

test("the package has the pages that messages name, and neither pictures nor reports of the API", async () => {
  const left = files.filter((entry) => entry.startsWith("!")).map((entry) => new Glob(entry.slice(1)));
  const isPackaged = (path: string): boolean =>
    files.includes(path.split("/", 1)[0] ?? "") && !left.some((glob) => glob.match(path));
  const pages = new Set<string>();
  for await (const path of new Glob("src/cli/**/*.ts").scan(ROOT)) {
    if (/\.(?:test|slow|soak|agents)\.ts$/.test(path)) continue;
    for (const [, page = ""] of (await Bun.file(join(ROOT, path)).text()).matchAll(NAMED)) pages.add(page);
  }
  expect(pages.size).toBeGreaterThan(1);
  expect([...pages].filter((page) => !existsSync(join(ROOT, page)) || !isPackaged(page))).toEqual([]);
  expect(["docs/images/chat.png", "docs/api/index.md"].filter(isPackaged)).toEqual([]);
});
