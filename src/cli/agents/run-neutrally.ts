import { execFile } from "node:child_process";
import { parse } from "node:path";
import { promisify } from "node:util";

/** How {@link runNeutrally} starts a program. */
export interface RunNeutrallyOptions {
  /** The complete environment; nothing else is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/**
 * The output of a program, started in the root folder of the file system. Programs read settings, some of which run code,
 * from the folder they start in and those above it. Only the system's owner can write to the root.
 *
 * @param program its absolute path
 */
export async function runNeutrally(
  program: string,
  args: readonly string[],
  { env, timeoutMs }: RunNeutrallyOptions,
): Promise<string> {
  const cwd = parse(program).root;
  const { stdout } = await promisify(execFile)(program, [...args], {
    cwd,
    env: { ...env, PWD: cwd },
    timeout: timeoutMs,
  });
  return stdout.trim();
}
