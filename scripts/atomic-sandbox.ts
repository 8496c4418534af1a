import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { createTemporaryFolder } from "./temporary-folder.ts";

const REPOSITORY = join(import.meta.dirname, "..");

/** A command's exit code, and both outputs in order of arrival. */
export interface CommandOutcome {
  readonly code: number;
  readonly output: string;
}

/** A new installation of Atomic from this repository: a home folder, a project in it, `atomic` on the PATH. */
export interface AtomicSandbox extends AsyncDisposable {
  readonly home: string;
  /** The folder that commands run in. */
  readonly project: string;
  /** Writes files, given as path in the project and text. */
  write(files: { readonly [path: string]: string }): Promise<void>;
  /** Runs a command line of `sh`, without a terminal and without the settings of this machine's user. */
  run(command: string): Promise<CommandOutcome>;
}

/** Creates a sandbox that is removed when the block that holds it (`await using`) ends. */
export async function createAtomicSandbox(): Promise<AtomicSandbox> {
  const folder = await createTemporaryFolder();
  const home = join(folder.path, "home");
  const project = join(home, "project");
  const bin = join(folder.path, "bin");
  for (const path of [join(project, ".atomic/workflows"), join(folder.path, "tmp"), bin])
    await mkdir(path, { recursive: true });
  await symlink(join(REPOSITORY, "bin/atomic"), join(bin, "atomic"));
  const env = {
    PATH: `${bin}:${process.env.PATH ?? ""}`,
    HOME: home,
    TMPDIR: join(folder.path, "tmp"),
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
  };
  return {
    home,
    project,
    write: (files) =>
      folder.write(Object.fromEntries(Object.entries(files).map(([path, text]) => [`home/project/${path}`, text]))),
    async run(command) {
      const line = ["sh", "-c", `exec 2>&1\n${command}`];
      const child = Bun.spawn(line, { cwd: project, env, stdin: "ignore", stdout: "pipe", stderr: "inherit" });
      const [code, output] = await Promise.all([child.exited, child.stdout.text()]);
      return { code, output };
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
