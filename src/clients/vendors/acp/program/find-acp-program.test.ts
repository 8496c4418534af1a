import { afterAll, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { AcpOptions } from "./acp-options.ts";
import { findAcpProgram } from "./find-acp-program.ts";

const folder = await mkdtemp(path.join(tmpdir(), "atomic-find-acp-"));
afterAll(() => rm(folder, { recursive: true, force: true }));
const nowhere = { resolveFrom: pathToFileURL(path.join(folder, "no", "module.ts")).href };

async function program(...parts: readonly string[]): Promise<string> {
  const file = path.join(folder, ...parts);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, "#!/bin/sh\n");
  await chmod(file, 0o755);
  return file;
}

function optionsFor(overrides: Partial<AcpOptions>): AcpOptions {
  // The cast is true: the overrides name a command or a preset.
  return { workingDirectory: folder, env: {}, agentType: "odd", ...overrides } as AcpOptions;
}

test("a program named by its path is used, and no other", async () => {
  const file = await program("bin", "odd");
  expect(await findAcpProgram(optionsFor({ command: "other", binaryPath: file }))).toBe(file);
  expect(await findAcpProgram(optionsFor({ command: file }))).toBe(file);
  expect(findAcpProgram(optionsFor({ command: "/no/odd" }))).rejects.toThrow(
    'The agent "odd" cannot start: the program "/no/odd" was not found. Install it, or set its command.',
  );
});

test("a vendor's folder takes precedence over the PATH", async () => {
  const onPath = await program("path", "gemini");
  const env = { PATH: `relative:${path.dirname(onPath)}` };
  expect(await findAcpProgram(optionsFor({ preset: "gemini", env }))).toBe(onPath);
  const inVendor = await program("vendor", "node_modules", ".bin", "gemini");
  const vendorDirectory = path.join(folder, "vendor");
  expect(await findAcpProgram(optionsFor({ preset: "gemini", env, vendorDirectory }))).toBe(inVendor);
});

test("a package with the program itself takes precedence over its launcher", async () => {
  const found = await findAcpProgram(optionsFor({ preset: "opencode" }));
  expect(path.basename(path.dirname(path.dirname(found)))).toMatch(/^opencode-/);
});

test("a package with the program may be in its own folder, whose launchers are ignored", async () => {
  const options = { preset: "opencode", env: {}, vendorDirectory: path.join(folder, "acp") } as const;
  await program("launchers", "node_modules", ".bin", "opencode");
  const launchers = optionsFor({ ...options, programDirectory: path.join(folder, "launchers") });
  expect(findAcpProgram(launchers, nowhere)).rejects.toThrow('its program "opencode" was not found');
  const place = ["own", "node_modules", `opencode-${process.platform}-${process.arch}`] as const;
  const packaged = await program(...place, "bin", "opencode");
  await writeFile(path.join(folder, ...place, "package.json"), "{}");
  const own = optionsFor({ ...options, programDirectory: path.join(folder, "own") });
  expect(await findAcpProgram(own, nowhere)).toBe(packaged);
});

test("a program on the PATH that is too old is rejected with a remedy; the user's own command is not", async () => {
  const old = await program("old", "opencode");
  await writeFile(old, "#!/bin/sh\necho 1.2.27\n");
  const env = { PATH: path.dirname(old) };
  await expect(findAcpProgram(optionsFor({ preset: "opencode", agentType: "oc", env }), nowhere)).rejects.toThrow(
    `The program "${old}" of the agent "oc" has the version 1.2.27, and Atomic needs 1.18.0 or newer. Update it, or run "atomic install oc".`,
  );
  const fork = await program("old", "opencode-fork");
  expect(await findAcpProgram(optionsFor({ preset: "opencode", command: "opencode-fork", env }), nowhere)).toBe(fork);
});

test("a missing program is reported with the command that installs it", async () => {
  expect(findAcpProgram(optionsFor({ preset: "gemini", agentType: "gemini" }), nowhere)).rejects.toThrow(
    'The agent "gemini" cannot start: its program "gemini" was not found. Run: npm install -g @google/gemini-cli',
  );
});
