import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fingerprintModule } from "./fingerprint-module.ts";

let root = "";

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-fingerprint-")));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function write(name: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, name)), { recursive: true });
  await writeFile(join(root, name), text);
}

const fingerprint = () => fingerprintModule(join(root, "a.ts"));

test("a file that is written again with the same content keeps its fingerprint", async () => {
  await write("a.ts", "export default 1;");
  const before = await fingerprint();
  expect(before).toMatch(/^[0-9a-f]{64}$/);
  await write("a.ts", "export default 1;");
  expect(await fingerprint()).toBe(before);
});

test.each([
  { title: "itself", name: "a.ts", text: 'import "./b.ts";' },
  { title: "an imported file", name: "b.ts", text: "1" },
  { title: "a file that an imported file exports from", name: "lib/c.ts", text: "export const c = 2;" },
  { title: "a file that is imported later", name: "d.js", text: "1" },
  { title: "a required file of data", name: "data.json", text: "[1]" },
  { title: "a missing file that appears", name: "missing.ts", text: "" },
])("a change of $title changes the fingerprint", async ({ name, text }) => {
  await write(
    "a.ts",
    'import { b } from "./b.ts"; await import("./d.js"); require("./data.json"); import "./missing"; export default b;',
  );
  await write("b.ts", 'export { c as b } from "./lib/c"; import "./a.ts";');
  await write("lib/c.ts", "export const c = 1;");
  await write("d.js", "");
  await write("data.json", "[]");
  const before = await fingerprint();
  await write("beside.ts", "export default 1;");
  expect(await fingerprint()).toBe(before);
  await write(name, text);
  expect(await fingerprint()).not.toBe(before);
});

test("a module that cannot be read, or has too many files, has no fingerprint", async () => {
  expect(await fingerprint()).toBeUndefined();
  for (let index = 0; index < 205; index++) await write(`m${index}.ts`, `import "./m${index + 1}.ts";`);
  await write("m205.ts", "");
  await write("a.ts", 'import "./m0.ts";');
  expect(await fingerprint()).toBeUndefined();
  await write("a.ts", 'import "./m100.ts";');
  expect(await fingerprint()).toMatch(/^[0-9a-f]{64}$/);
});
