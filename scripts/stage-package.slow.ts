import { expect, test } from "bun:test";
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
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

test("the package offers its declarations before its source, whatever conditions a program sets", async () => {
  await using folder = await createTemporaryFolder();
  await stagePackage(folder.path);
  const { exports } = await readManifest(folder.path);
  const expected = { ...checkout.exports, "./config.schema.json": "./config.schema.json" };
  expect(exports).toEqual(expected);
  const orders = Object.values(expected).map((entry) => typeof entry === "string" || Object.keys(entry));
  expect(
    Object.values(Object(exports)).map((entry) => typeof entry === "string" || Object.keys(Object(entry))),
  ).toEqual(orders.map((order) => order === true || ["types", "bun", "default"]));
});

test("the package bundles the terminal UI's packages, which require one core, and no Node", async () => {
  await using folder = await createTemporaryFolder();
  await stagePackage(folder.path);
  const { private: _, scripts: __, devDependencies: ___, overrides: ____, ...kept } = checkout;
  const core = await readManifest(join(ROOT, "node_modules/@opentui/core"));
  expect(await readManifest(folder.path)).toEqual({
    ...kept,
    dependencies: {
      ...{ "bun-ffi-structs": "0.3.1", marked: "17.0.1", "react-reconciler": "^0.33.0", "string-width": "7.2.0" },
      ...{ "strip-ansi": "7.1.2", "web-tree-sitter": "0.25.10" },
      ...checkout.dependencies,
    },
    optionalDependencies: core.optionalDependencies,
    bundleDependencies: ["@opentui/core", "@opentui/react", "bun-ffi-structs"],
    files: [...checkout.files, "config.schema.json"],
    exports: { ...checkout.exports, "./config.schema.json": "./config.schema.json" },
  });
  // npm takes what only a bundled package requires for bundled, and in a global installation leaves its folder empty.
  for (const name of ["@opentui/core", "@opentui/react", "bun-ffi-structs"]) {
    const shipped = await readManifest(join(folder.path, "node_modules", name));
    const kinds = ["dependencies", "optionalDependencies", "peerDependencies", "engines"];
    expect(kinds.filter((kind) => kind in shipped)).toEqual([]);
    expect(shipped).toMatchObject({ name, exports: expect.anything() });
  }
  const structs = await readManifest(join(folder.path, "node_modules/bun-ffi-structs"));
  expect(core.dependencies).toMatchObject({ "bun-ffi-structs": structs.version });
  expect(structs.peerDependencies).toBeUndefined();
});

test("the package names the repository that publishes it", async () => {
  await using folder = await createTemporaryFolder();
  await stagePackage(folder.path, { repository: "somebody/atomic" });
  expect(await readManifest(folder.path)).toMatchObject({ repository: "github:somebody/atomic" });
});

test("the package has no tests, and no compiled program", async () => {
  await using folder = await createTemporaryFolder();
  await mkdir(join(folder.path, "built/graph"), { recursive: true });
  await Promise.all(
    ["atomic", "index.js", "graph/index.js"].map((file) => writeFile(join(folder.path, "built", file), "")),
  );
  const staged = join(folder.path, "staged");
  await stagePackage(staged, { built: join(folder.path, "built") });
  const files = await readdir(staged, { recursive: true });
  const unwanted = /\.(test|agents|slow|soak|conformance|attack)\.tsx?$|^src\/.*\/(fixtures|attacks)\/|^dist\/atomic$/;
  expect(files.filter((file) => unwanted.test(file))).toEqual([]);
  expect(files).toEqual(
    expect.arrayContaining(["README.md", "LICENSE", "bin/atomic", "src/cli/main.ts", "dist/graph/index.js"]),
  );
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
