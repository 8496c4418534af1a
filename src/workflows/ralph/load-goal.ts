import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { EmptyPromptFileError, NoPromptError, PromptFileNotFoundError } from "./ralph-errors.ts";

/** A prompt longer than this is not looked up as a file. */
const MAX_PATH_LENGTH = 1_024;

/**
 * What a prompt of Ralph's means: itself, or the content of the file it names.
 *
 * @throws NoPromptError, PromptFileNotFoundError, EmptyPromptFileError
 */
export async function loadRalphGoal(text: string, workingDirectory: string | undefined): Promise<string> {
  const prompt = text.trim();
  if (prompt === "") throw new NoPromptError();
  const path = workingDirectory === undefined ? undefined : resolve(workingDirectory, prompt);
  if (path === undefined || prompt.length > MAX_PATH_LENGTH || prompt.includes("\n")) return prompt;
  if (await isRegularFile(path)) {
    const goal = await readFile(path, "utf8");
    if (goal.trim() === "") throw new EmptyPromptFileError(path);
    return goal;
  }
  // One word with the ending of a document is a path that was misspelt, and no work to plan.
  if (/^\S+\.(?:md|markdown|txt|json)$/i.test(prompt)) throw new PromptFileNotFoundError(path);
  return prompt;
}

async function isRegularFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    // Most prompts are no paths.
    return false;
  }
}
