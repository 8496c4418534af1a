import { afterAll, describe, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { arch, platform, tmpdir } from "node:os";
import path from "node:path";
import { AgentTooOldError, ClientNotInstalledError } from "../../../contracts/index.ts";
import { rejectionOf } from "../../../testkit/conformance/rejection-of.ts";
import { findClaude } from "./find-claude.ts";

const folder = await mkdtemp(path.join(tmpdir(), "atomic-find-claude-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

const PATH = process.env.PATH ?? "";
/** A folder without `node_modules`. */
const NOWHERE = path.join(folder, "nowhere", "module.js");

async function install(name: string, version: string): Promise<string> {
  const file = path.join(folder, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `#!/bin/sh\necho "${version} (Claude Code)"\n`);
  await chmod(file, 0o755);
  return file;
}

describe("Claude Code's program", () => {
  test("is the platform's package next to Atomic", async () => {
    expect(await findClaude({ env: { PATH } })).toEndWith(`claude-agent-sdk-${platform()}-${arch()}/claude`);
  });

  test("is the given one even if another is installed", async () => {
    const binaryPath = await install("given/claude", "2.1.400");
    expect(await findClaude({ env: { PATH }, binaryPath })).toBe(binaryPath);
  });

  test("is the one in the vendor directory rather than the one on the PATH", async () => {
    const vendorDirectory = path.join(folder, "vendor");
    const packageName = `@anthropic-ai/claude-agent-sdk-${platform()}-${arch()}`;
    const packed = await install(`vendor/node_modules/${packageName}/claude`, "2.1.330");
    await writeFile(path.join(path.dirname(packed), "package.json"), JSON.stringify({ name: packageName }));
    const onPath = await install("bin/claude", "2.1.400");
    const env = { PATH: [path.dirname(onPath), PATH].join(path.delimiter) };
    expect(await findClaude({ env, vendorDirectory, resolveFrom: NOWHERE })).toBe(packed);
    expect(await findClaude({ env, resolveFrom: NOWHERE })).toBe(onPath);
  });

  test("is rejected when it is too old", async () => {
    const binaryPath = await install("old/claude", "2.1.99");
    const error = await rejectionOf(findClaude({ env: { PATH }, binaryPath }));
    expect(error).toEqual(new AgentTooOldError("claude", binaryPath, { found: "2.1.99", oldest: "2.1.261" }));
    expect(String(error)).toBe(
      `AgentTooOldError: The program "${binaryPath}" of the agent "claude" has the version 2.1.99, and Atomic needs 2.1.261 or newer. Update it, or run "atomic install claude".`,
    );
  });

  test("is reported as missing with the command that installs it", async () => {
    const error = await rejectionOf(findClaude({ env: { PATH: folder }, resolveFrom: NOWHERE }));
    expect(error).toBeInstanceOf(ClientNotInstalledError);
    expect(String(error)).toBe(
      'ClientNotInstalledError: The agent "claude" cannot start: its program was not found. Run "atomic install claude".',
    );
    const binaryPath = path.join(folder, "missing");
    expect(String(await rejectionOf(findClaude({ env: { PATH }, binaryPath })))).toContain(`"${binaryPath}"`);
  });
});
