import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A folder for one test. */
export interface TemporaryFolder extends AsyncDisposable {
  /** Its real path, free of symbolic links. */
  readonly path: string;
  /** Writes files, given as path and text; a text that starts with `#!` becomes a program. */
  write(files: { readonly [path: string]: string }): Promise<void>;
}

/** Creates an empty folder that is removed when the block that holds it (`await using`) ends. */
export async function createTemporaryFolder(): Promise<TemporaryFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "atomic-scripts-")));
  return {
    path,
    async write(files) {
      for (const [name, text] of Object.entries(files)) {
        const file = join(path, name);
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, text);
        if (text.startsWith("#!")) await chmod(file, 0o755);
      }
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
