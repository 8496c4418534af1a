import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { bundlePackage } from "./bundle-package.ts";

const ROOT = join(import.meta.dirname, "..");
const ENTRIES = ["index", "graph/index", "workflows/index", "testkit/index"];
let folder = "";

/** What a program prints in Node, as JSON. */
async function runNode(program: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)("node", ["--input-type=module", "-e", program], { cwd: folder });
  return JSON.parse(stdout);
}

describe("the bundles for Node", () => {
  beforeAll(async () => {
    // Below node_modules, so that what stays outside of the bundles is found.
    folder = await mkdtemp(join(ROOT, "node_modules/.bundle-test-"));
    await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    await bundlePackage(folder);
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  test.each(ENTRIES)("%s exports what its source exports", async (entry) => {
    const source: object = await import(join(ROOT, "src", `${entry}.ts`));
    const program = `console.log(JSON.stringify(Object.keys(await import("./${entry}.js"))))`;
    expect(await runNode(program)).toEqual(Object.keys(source).toSorted());
  });
});
