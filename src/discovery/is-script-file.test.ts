import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isScriptFile } from "./is-script-file.ts";

const META = 'export const meta = { name: "x" };';
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "atomic-script-file-"));
});
afterAll(() => rm(folder, { recursive: true }));

test.each([
  { title: "a script", text: `${META}\nreturn 1;`, isScript: true },
  { title: "a script after comments", text: `// one\n/* two ** */\n${META}`, isScript: true },
  { title: "a module with a default export", text: `${META}\nexport default 1;`, isScript: false },
  { title: "a module that imports", text: `${META}\nimport a from "a";`, isScript: false },
  { title: "a module that exports names", text: `${META}\nexport { meta as other };`, isScript: false },
  { title: "a module that begins with other code", text: `const a = 1;\n${META}`, isScript: false },
  { title: "a word of a text", text: `${META}\nawait agent(\`\nimport { x } from "x";\n\`);`, isScript: true },
  { title: "a word of a comment", text: `${META}\n/*\nexport default 1;\n*/`, isScript: true },
  { title: "a module whose words are in comments", text: `/* export const meta */ export default 1;`, isScript: false },
  { title: "a script that is not JavaScript", text: `${META}\nreturn return;`, isScript: true },
])("$title: $isScript", async ({ text, isScript }) => {
  const path = join(folder, "file.js");
  await writeFile(path, text);
  expect(await isScriptFile(path)).toBe(isScript);
});

test("other kinds of files, and files that cannot be read, are none", async () => {
  await writeFile(join(folder, "file.ts"), META);
  expect([await isScriptFile(join(folder, "file.ts")), await isScriptFile(join(folder, "missing.js"))]).toEqual([
    false,
    false,
  ]);
});

test("texts that are made to take long take no longer", async () => {
  const path = join(folder, "slow.js");
  for (const text of ["/**/".repeat(20_000), "\n".repeat(100_000), "/*".repeat(40_000), "// \n".repeat(30_000)]) {
    await writeFile(path, `${text}x`);
    expect(await isScriptFile(path)).toBe(false);
  }
});
