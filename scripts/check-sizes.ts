import type { CheckOutcome } from "./check-outcome.ts";
import { loadSources } from "./load-sources.ts";
import type { SourceFacts } from "./source-facts.ts";
import { isTestFile } from "./source-location.ts";

const MAX_FILE_LINES = 400;
const MAX_FUNCTION_LINES = 60;

/** Checks that files and functions stay short. Functions of test files may be long. */
export function checkSizes(files: readonly SourceFacts[]): readonly string[] {
  return files.flatMap((file) => {
    const longFunctions = isTestFile(file.path) ? [] : file.functions;
    return [
      ...(file.lineCount > MAX_FILE_LINES
        ? [
            `${file.path}:${MAX_FILE_LINES + 1} file-too-long: ${file.lineCount} lines, at most ${MAX_FILE_LINES}. Split it by kind of work: decide, do, translate, show.`,
          ]
        : []),
      ...longFunctions
        .filter((item) => item.lineCount > MAX_FUNCTION_LINES)
        .map(
          (item) =>
            `${file.path}:${item.line} function-too-long: ${item.name} has ${item.lineCount} lines, at most ${MAX_FUNCTION_LINES}. Name its parts and call them.`,
        ),
    ];
  });
}

/** Checks the sizes of everything below `src/` and `scripts/` of a repository. */
export async function checkSizesOf(root: string): Promise<CheckOutcome> {
  return { problems: checkSizes(await loadSources(root, ["src", "scripts"])) };
}
