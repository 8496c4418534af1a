import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { platform } from "node:os";
import path from "node:path";

/** Claude Code starts commands, hooks and MCP servers with it, giving it the whole command line. */
const SCRIPT = `#!/bin/sh
unset ANTHROPIC_API_KEY
exec "\${SHELL:-/bin/bash}" -c "$1"
`;

/** Where {@link writeShellWithoutKey} puts its program. Pure. */
export function shellWithoutKeyPath(configDirectory: string): string {
  return path.join(configDirectory, "atomic", "shell-without-key");
}

/** Whether the system can run the program. */
export function hasShellWithoutKey(): boolean {
  return platform() !== "win32";
}

/** Writes a program that runs a command without the endpoint's key, which is in the environment of Claude Code itself. */
export async function writeShellWithoutKey(configDirectory: string): Promise<void> {
  const file = shellWithoutKeyPath(configDirectory);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  // Other clients of the user's write it, too, and shells may be reading it: so it is replaced as a whole.
  const written = `${file}.${randomUUID()}`;
  try {
    await writeFile(written, SCRIPT, { mode: 0o700 });
    await rename(written, file);
  } catch (error) {
    await rm(written, { force: true });
    throw error;
  }
}
