import { afterAll, beforeAll, expect, test } from "bun:test";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { installPackage } from "../src/cli/e2e/fixtures/install-package.ts";
import { bundlePackage } from "./bundle-package.ts";
import { bundleTypes } from "./bundle-types.ts";
import { listEntryPoints } from "./entry-points.ts";
import budget from "./package-budget.json";
import { packStaged, stagePackage } from "./stage-package.ts";

const MODULES = join(import.meta.dirname, "../node_modules");

/** The compiler of this repository, and the oldest one that a dependency brings along. */
const COMPILERS = {
  "7": join(MODULES, "typescript/bin/tsc"),
  "5.6": createRequire(join(MODULES, "@arethetypeswrong/core/package.json")).resolve("typescript/bin/tsc"),
};

/** The package is made of ES modules with `exports`: these are `require` of Node before 20.19, and resolution without `exports`. */
const OLD_RESOLUTIONS = ["node10", "node16-cjs"];

/** What is read of the report of `attw`. */
interface AttwReport {
  readonly analysis: {
    readonly entrypoints: object;
    readonly problems: readonly { readonly kind: string; readonly resolutionKind?: string }[];
  };
}

let folder: string;
let archive: string;
let project: string;

/** Runs a program of an npm package by Node. @throws what it printed, if its exit code is not 0 */
async function runNode(program: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)("node", [program, ...args], { cwd: project }).catch((error) => {
    throw new Error(`${error.stdout}${error.stderr}`);
  });
  return stdout;
}

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "atomic-staged-")));
  await bundlePackage(join(folder, "built"));
  await bundleTypes(join(folder, "built"));
  await stagePackage(join(folder, "staged"), { built: join(folder, "built") });
  archive = await packStaged(join(folder, "staged"), folder);
  project = join(folder, "project");
  await installPackage(archive, project);
  await mkdir(join(project, "node_modules/@types"), { recursive: true });
  await symlink(join(MODULES, "@types/node"), join(project, "node_modules/@types/node"));
  const imports = listEntryPoints().map(({ name }, index) => `import * as entry${index} from "${name}";`);
  const used = listEntryPoints().map((_, index) => `entry${index}`);
  await writeFile(join(project, "index.ts"), `${imports.join("\n")}\nexport const all = [${used.join(", ")}];\n`);
  await writeFile(join(project, "package.json"), JSON.stringify({ type: "module" }));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test("publint has no complaint about the archive", async () => {
  expect(await runNode(join(MODULES, "publint/src/cli.js"), [archive, "--strict"])).toContain("All good!");
});

test("the types of every entry point are those of its module, in every way that programs resolve modules", async () => {
  const program = join(MODULES, "@arethetypeswrong/cli/dist/index.js");
  const report = await runNode(program, [archive, "--profile", "esm-only", "--format", "json"]);
  const { analysis }: AttwReport = JSON.parse(report);
  const found = Object.keys(analysis.entrypoints).filter((key) => !key.endsWith(".json"));
  expect(found.toSorted()).toEqual(
    listEntryPoints()
      .map(({ name }) => name.replace("@bastani/atomic", "."))
      .toSorted(),
  );
  expect(analysis.problems.filter(({ resolutionKind = "" }) => !OLD_RESOLUTIONS.includes(resolutionKind))).toEqual([]);
});

test.each([
  { compiler: "7", module: "nodenext", conditions: [] },
  { compiler: "7", module: "esnext", conditions: ["bun"] },
  { compiler: "5.6", module: "nodenext", conditions: [] },
] as const)(
  "TypeScript $compiler checks the declarations without the vendors' packages, as $module $conditions",
  async ({ compiler, module, conditions }) => {
    const compilerOptions = {
      ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true, target: "es2022" },
      ...{ module, moduleResolution: module === "esnext" ? "bundler" : module, types: ["node"] },
      ...(conditions.length === 0 ? {} : { customConditions: conditions }),
    };
    await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["index.ts"] }));
    expect(await runNode(COMPILERS[compiler], ["--project", "tsconfig.json"])).toBe("");
  },
);

test("the package is not larger than its budget", async () => {
  const files = await readdir(join(folder, "staged"), { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    files.map(async (file) => (file.isFile() ? stat(join(file.parentPath, file.name)) : undefined)),
  );
  const unpackedBytes = sizes.reduce((sum, entry) => sum + (entry?.size ?? 0), 0);
  const archiveBytes = (await stat(archive)).size;
  expect(archiveBytes).toBeLessThanOrEqual(budget.archiveBytes);
  expect(unpackedBytes).toBeLessThanOrEqual(budget.unpackedBytes);
});

test("the declarations name no package but zod", async () => {
  const { stdout } = await promisify(execFile)("tar", ["-tzf", archive]);
  const files = stdout.split("\n").filter((file) => /^package\/dist\/.*\.d\.ts$/.test(file));
  const names = await Promise.all(
    files.map((file) => importsOf(join(folder, "staged", file.slice("package/".length)))),
  );
  expect([...new Set(names.flat())]).toEqual(["zod"]);
});

/** The packages that a file of declarations imports. */
async function importsOf(path: string): Promise<readonly string[]> {
  const text = await readFile(path, "utf8");
  const imports = text.matchAll(/^(?:import|export)\b[^"]* from "([^."][^"]*)";$|\bimport\("([^."][^"]*)"\)/gm);
  return [...imports].map(([, stated, inline]) => stated ?? inline ?? "");
}
