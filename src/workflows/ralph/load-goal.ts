import { isUtf8 } from "node:buffer";
import type { Stats } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { EmptyPromptFileError, NoPromptError, PromptFileNotFoundError, UnusablePromptError } from "./ralph-errors.ts";

/** A prompt longer than this is not looked up as a file. */
const MAX_PATH_LENGTH = 1_024;
/** A longer one would fill the context window of the agent that plans. */
const MAX_GOAL_LENGTH = 1024 * 1024;
const TOO_LONG = "is longer than 1 MiB";

/**
 * What a prompt of Ralph's means: itself, or the content of the file it names.
 *
 * @throws NoPromptError, PromptFileNotFoundError, EmptyPromptFileError, UnusablePromptError
 */
export async function loadRalphGoal(text: string, workingDirectory: string | undefined): Promise<string> {
  const prompt = text.trim();
  if (prompt === "") throw new NoPromptError();
  if (prompt.length > MAX_GOAL_LENGTH) throw new UnusablePromptError("The prompt", TOO_LONG);
  const path = workingDirectory === undefined ? undefined : resolve(workingDirectory, prompt);
  if (path === undefined || prompt.length > MAX_PATH_LENGTH || prompt.includes("\n")) return prompt;
  const found = await statOf(path);
  if (found?.isFile()) return await readGoal(path, found.size);
  if (found?.isDirectory() && !/\s/.test(prompt)) throw new UnusablePromptError(path, "is a folder");
  // One word with the ending of a document is a path that was misspelt, and no work to plan.
  if (/^\S+\.(?:md|markdown|txt|json)$/i.test(prompt)) throw new PromptFileNotFoundError(path);
  return prompt;
}

async function readGoal(path: string, size: number): Promise<string> {
  if (size > MAX_GOAL_LENGTH) throw new UnusablePromptError(path, TOO_LONG);
  const bytes = await readFile(path);
  if (!isUtf8(bytes) || bytes.includes(0)) throw new UnusablePromptError(path, "is not text in UTF-8");
  const goal = bytes.toString("utf8");
  if (goal.trim() === "") throw new EmptyPromptFileError(path);
  return goal;
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch {
    // Most prompts are no paths.
    return undefined;
  }
}
