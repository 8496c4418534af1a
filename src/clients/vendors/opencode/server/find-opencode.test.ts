import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { arch, platform, tmpdir } from "node:os";
import path from "node:path";
import { findOpenCode } from "./find-opencode.ts";
import { startOpenCodeServer } from "./opencode-server.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "atomic-find-opencode-"));
  for (const name of ["bin", path.join("node_modules", ".bin")]) {
    await mkdir(path.join(folder, name), { recursive: true });
    const file = path.join(folder, name, "opencode");
    await writeFile(file, "#!/bin/sh\necho 'cannot open the database' >&2\nexit 7\n");
    await chmod(file, 0o755);
  }
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const NOT_FOUND = 'The agent "opencode" cannot start: its program was not found. Run "atomic install opencode".';

test("the program installed next to Atomic is used: the platform's own, not a wrapper", async () => {
  expect(await findOpenCode({ env: { PATH: path.join(folder, "bin") } })).toMatch(
    /node_modules\/opencode-[a-z]+-[a-z0-9]+(-baseline)?(-musl)?\/bin\/opencode$/,
  );
});

test("if nothing is installed, the PATH is searched, except the wrappers in node_modules", async () => {
  const resolveFrom = path.join(folder, "index.js");
  const search = (...names: string[]) => ({ PATH: names.map((name) => path.join(folder, name)).join(path.delimiter) });
  expect(await findOpenCode({ env: search("empty", "bin"), resolveFrom })).toBe(path.join(folder, "bin", "opencode"));
  await expect(findOpenCode({ env: search("node_modules/.bin"), resolveFrom })).rejects.toThrow(NOT_FOUND);
  await expect(findOpenCode({ env: {}, resolveFrom })).rejects.toThrow(NOT_FOUND);
});

test("a program installed by `atomic install` comes before the PATH", async () => {
  const vendorDirectory = path.join(folder, "vendor");
  const packageFolder = path.join(vendorDirectory, "node_modules", `opencode-${platform()}-${arch()}`);
  const program = path.join(packageFolder, "bin", "opencode");
  await mkdir(path.dirname(program), { recursive: true });
  await writeFile(path.join(packageFolder, "package.json"), "{}");
  await writeFile(program, "");
  await chmod(program, 0o755);
  const resolveFrom = path.join(folder, "index.js");
  const env = { PATH: path.join(folder, "bin") };
  expect(await findOpenCode({ env, resolveFrom, vendorDirectory })).toBe(program);
  expect(await findOpenCode({ env, resolveFrom, vendorDirectory: folder })).toBe(path.join(folder, "bin", "opencode"));
});

test("with a given path, no other program is used", async () => {
  const binaryPath = path.join(folder, "bin", "opencode");
  expect(await findOpenCode({ env: {}, binaryPath })).toBe(binaryPath);
  await expect(findOpenCode({ env: {}, binaryPath: "/nowhere/opencode" })).rejects.toThrow(
    'The agent "opencode" cannot start: the program "/nowhere/opencode" was not found. Run "atomic install opencode".',
  );
});

test("a program that ends before it listens is reported with its last output", async () => {
  const start = startOpenCodeServer({
    binaryPath: path.join(folder, "bin", "opencode"),
    env: { PATH: process.env.PATH ?? "" },
    workingDirectory: folder,
    startTimeoutMs: 10_000,
  });
  await expect(start).rejects.toThrow(
    'The process of the agent "opencode" ended unexpectedly (exit code 7). Its last words: cannot open the database Run it again.',
  );
});

test("a program that never listens is stopped and reported", async () => {
  const binaryPath = path.join(folder, "bin", "silent");
  await writeFile(binaryPath, "#!/bin/sh\nexec sleep 60\n");
  await chmod(binaryPath, 0o755);
  const start = startOpenCodeServer({
    binaryPath,
    env: { PATH: process.env.PATH ?? "" },
    workingDirectory: folder,
    startTimeoutMs: 100,
  });
  await expect(start).rejects.toThrow(
    'The process of the agent "opencode" ended unexpectedly (no address within 100 ms).',
  );
});

test("a program of the user that is too old is rejected, with what to do", async () => {
  const binaryPath = path.join(folder, "bin", "old");
  await writeFile(binaryPath, "#!/bin/sh\necho 1.2.27\n");
  await chmod(binaryPath, 0o755);
  await expect(findOpenCode({ env: {}, binaryPath })).rejects.toThrow(
    `The program "${binaryPath}" of the agent "opencode" has the version 1.2.27, and Atomic needs 1.18.0 or newer. Update it, or run "atomic install opencode".`,
  );
});

test.each(["2.0.0", "opencode v2.3.1"])("OpenCode 2, which prints %s, is rejected, with what to do", async (said) => {
  const binaryPath = path.join(folder, "bin", "new");
  await writeFile(binaryPath, `#!/bin/sh\necho ${said}\n`);
  await chmod(binaryPath, 0o755);
  const found = /[\d.]+/.exec(said)?.[0];
  await expect(findOpenCode({ env: {}, binaryPath })).rejects.toThrow(
    `The program "${binaryPath}" of the agent "opencode" has the version ${found}, and Atomic works with the versions from 1.18.0 up to, but not including, 2.0.0. Run "atomic install opencode", which installs one that works beside your own.`,
  );
});
