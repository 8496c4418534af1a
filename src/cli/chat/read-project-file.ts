import { isAbsolute, relative, resolve } from "node:path";
import { FileUnusableError, readBoundedFile, realPathOf } from "../../discovery/index.ts";

/** The largest file of which the chat shows lines, in bytes. */
const MAX_BYTES = 1_048_576;

/**
 * A file of the project, for the lines around a change. Undefined when there is none, when it is large or no regular file,
 * and when it is outside of the working directory, also through a link.
 */
export async function readProjectFile(
  path: string,
  { workingDirectory }: { readonly workingDirectory: string },
): Promise<string | undefined> {
  const file = realPathOf(resolve(workingDirectory, path));
  const name = relative(realPathOf(workingDirectory), file);
  if (name === "" || name === ".." || name.startsWith("../") || isAbsolute(name)) return undefined;
  try {
    return await readBoundedFile(file, MAX_BYTES);
  } catch (error) {
    // What the system says of it does not matter: the lines are only not shown.
    if (error instanceof FileUnusableError || (error instanceof Error && "code" in error)) return undefined;
    throw error;
  }
}
