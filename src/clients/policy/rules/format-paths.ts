import { isOutside, relativeTo } from "./match-rule.ts";

/** Files as a person is shown them: those in the working directory, which is absolute, without its name. Pure. */
export function formatPaths(paths: readonly string[], workingDirectory: string): string {
  const names = paths.map((file) => {
    const relative = relativeTo(workingDirectory, file);
    return isOutside(relative) ? file : relative;
  });
  return names.join(", ");
}
