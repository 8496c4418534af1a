import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { firstExecutable, programsOnPath } from "../../system/index.ts";
import { importPackage, packageOrigins, resolvePackage } from "./find-program.ts";

let folder: string;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), "atomic-find-")));
  const files = {
    "vendor/node_modules/only-imported/package.json": JSON.stringify({
      name: "only-imported",
      type: "module",
      exports: { "./client": { import: "./client.js" }, "./package.json": "./package.json" },
    }),
    "vendor/node_modules/only-imported/client.js": "export const answer = 42;",
    "bin/tool": "#!/bin/sh\n",
    "bin/notes": "text",
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  await chmod(path.join(folder, "bin", "tool"), 0o755);
});
afterAll(() => rm(folder, { recursive: true }));

const importClient = (vendorDirectory?: string) =>
  importPackage<{ readonly answer: number }>({
    name: "only-imported/client",
    load: () => import("only-imported/client" as string),
    vendorDirectory,
  });

test("a package that is not next to Atomic is imported from the vendor's folder", async () => {
  expect((await importClient(path.join(folder, "vendor"))).answer).toBe(42);
});

test.each([{ vendorDirectory: undefined }, { vendorDirectory: "/nowhere" }])(
  "what is in neither place is the import's own error ($vendorDirectory)",
  async ({ vendorDirectory }) => {
    await expect(importClient(vendorDirectory)).rejects.toThrow("only-imported");
  },
);

test("what is next to Atomic comes first", async () => {
  const found = await importPackage({
    name: "only-imported/client",
    load: async () => ({ answer: 1 }),
    vendorDirectory: folder,
  });
  expect(found).toEqual({ answer: 1 });
});

test("a package's file is found from every place that is searched, in order", () => {
  const vendorDirectory = path.join(folder, "vendor");
  const origins = packageOrigins({ vendorDirectory, resolveFrom: path.join(folder, "bin", "tool") });
  const manifest = path.join(vendorDirectory, "node_modules", "only-imported", "package.json");
  expect(origins.map((origin) => resolvePackage(origin, "only-imported/package.json"))).toEqual([undefined, manifest]);
});

test("programs are looked for in the absolute folders of the PATH, but not among npm's wrappers", async () => {
  const bin = path.join(folder, "bin");
  const env = { PATH: ["relative", ".", "/work/node_modules/.bin", "/nowhere", bin].join(path.delimiter) };
  expect(programsOnPath("tool", env)).toEqual(["/nowhere/tool", path.join(bin, "tool")]);
  expect(await firstExecutable(programsOnPath("tool", env))).toBe(path.join(bin, "tool"));
  expect(await firstExecutable(programsOnPath("notes", env))).toBeUndefined();
  expect(programsOnPath("tool", {})).toEqual([]);
});
