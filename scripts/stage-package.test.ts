import { expect, test } from "bun:test";
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import checkout from "../package.json";
import { createConfigSchema } from "../src/cli/config/create-config-schema.ts";
import { stagePackage } from "./stage-package.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

const ROOT = join(import.meta.dirname, "..");

async function readManifest(folder: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
}

test("the package bundles @opentui/react, and both require the same @opentui/core", async () => {
  await using folder = await createTemporaryFolder();
  await stagePackage(folder.path);
  const { private: _, scripts: __, devDependencies: ___, overrides: ____, ...kept } = checkout;
  const bundled = await readManifest(join(ROOT, "node_modules/@opentui/react"));
  expect(await readManifest(folder.path)).toEqual({
    ...kept,
    dependencies: { ...checkout.dependencies, "react-reconciler": "^0.33.0" },
    bundleDependencies: ["@opentui/react"],
    files: [...checkout.files, "config.schema.json"],
    exports: { ...checkout.exports, "./config.schema.json": "./config.schema.json" },
  });
  const { devDependencies: _____, ...shipped } = bundled;
  expect(await readManifest(join(folder.path, "node_modules/@opentui/react"))).toEqual({
    ...shipped,
    dependencies: { "@opentui/core": checkout.dependencies["@opentui/core"], "react-reconciler": "^0.33.0" },
    peerDependencies: { react: ">=19.2.0" },
  });
});

test("the package has no tests, and no compiled program", async () => {
  await using folder = await createTemporaryFolder();
  await stagePackage(folder.path);
  const files = await readdir(folder.path, { recursive: true });
  const unwanted = /\.(test|agents|slow|soak|conformance|attack)\.tsx?$|^src\/.*\/(fixtures|attacks)\/|^dist\/atomic$/;
  expect(files.filter((file) => unwanted.test(file))).toEqual([]);
  expect(files).toEqual(expect.arrayContaining(["README.md", "LICENSE", "bin/atomic", "src/cli/main.ts"]));
});

test("the package has the JSON Schema of settings files", async () => {
  await using folder = await createTemporaryFolder();
  await stagePackage(folder.path);
  const schema: unknown = JSON.parse(await readFile(join(folder.path, "config.schema.json"), "utf8"));
  expect(schema).toEqual(JSON.parse(JSON.stringify(createConfigSchema())));
});

test("npm pack in the checkout stops, and names the command that makes the package", async () => {
  const packed = promisify(execFile)("npm", ["pack", "--dry-run", "--loglevel=silent"], { cwd: ROOT });
  await expect(packed).rejects.toMatchObject({
    code: 1,
    stderr: "The npm package is not this folder: npm run package makes it, in build/.\n",
  });
});
