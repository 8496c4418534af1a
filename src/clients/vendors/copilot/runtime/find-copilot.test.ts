import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { arch, platform, tmpdir } from "node:os";
import path from "node:path";
import { findCopilot, loadCopilotSdk } from "./find-copilot.ts";

const SYSTEM = `${platform()}-${arch()}`;
const NOT_FOUND = 'The agent "copilot" cannot start: its program was not found. Run "atomic install copilot".';

let folder: string;

async function writeProgram(...names: readonly string[]): Promise<string> {
  const file = path.join(folder, ...names);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, "#!/bin/sh\n");
  await chmod(file, 0o755);
  return file;
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "atomic-find-copilot-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test("the runtime installed next to Atomic comes before the PATH", async () => {
  const onPath = await writeProgram("bin", "copilot");
  expect(await findCopilot({ env: { PATH: path.dirname(onPath) } })).toEndWith(
    path.join("@github", `copilot-sdk-${SYSTEM}`, "prebuilds", SYSTEM, "copilot-runtime"),
  );
});

test("if it is not next to Atomic, the vendor's folder is searched, then the PATH", async () => {
  const resolveFrom = path.join(folder, "index.js");
  const onPath = await writeProgram("bin", "copilot");
  const env = { PATH: ["/nowhere", path.dirname(onPath)].join(path.delimiter) };
  expect(await findCopilot({ env, resolveFrom })).toBe(onPath);
  const packageFolder = path.join("vendor", "node_modules", "@github", `copilot-sdk-${SYSTEM}`);
  const runtime = await writeProgram(packageFolder, "prebuilds", SYSTEM, "copilot-runtime");
  await writeFile(path.join(folder, packageFolder, "package.json"), "{}");
  const vendorDirectory = path.join(folder, "vendor");
  expect(await findCopilot({ env, resolveFrom, vendorDirectory })).toBe(runtime);
  await expect(findCopilot({ env: {}, resolveFrom })).rejects.toThrow(NOT_FOUND);
});

test("with a given path, no other program is used", async () => {
  const binaryPath = await writeProgram("own", "copilot");
  expect(await findCopilot({ env: {}, binaryPath })).toBe(binaryPath);
  await expect(findCopilot({ env: {}, binaryPath: "/nowhere/copilot" })).rejects.toThrow(
    'The agent "copilot" cannot start: the program "/nowhere/copilot" was not found. Run "atomic install copilot".',
  );
});

test("the SDK is loaded on demand", async () => {
  expect(Object.keys(await loadCopilotSdk({}))).toContain("CopilotClient");
});
