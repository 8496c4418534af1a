import { isOutside, relativeTo } from "./match-rule.ts";

/** Files as a person sees them: relative if they are in the absolute working directory. Pure. */
export function formatPaths(paths: readonly string[], workingDirectory: string): string {
  const names = paths.map((file) => {
    const relative = relativeTo(workingDirectory, file);
    return isOutside(relative) ? file : relative;
  });
  return names.join(", ");
}
