import { lstatSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { PROJECT_MARKS } from "./find-project.ts";
import { hasProjectSetting } from "./find-project-settings.ts";
import { realPathOf } from "./real-path.ts";
import { PROJECT_SETTINGS } from "./vendor-project-settings.ts";

/** Settings of {@link findNestedSettings}. */
export interface FindNestedSettingsOptions {
  /** The absolute folder that agents work in. */
  readonly workingDirectory: string;
  /** The absolute root of the project. */
  readonly projectDirectory: string;
}

/**
 * The folders between a project's root and the working directory that have settings of their own: one may be somebody
 * else's project. Deepest first, with all links followed. Must not throw.
 */
export async function findNestedSettings({
  workingDirectory,
  projectDirectory,
}: FindNestedSettingsOptions): Promise<readonly string[]> {
  const root = realPathOf(projectDirectory);
  const nested: string[] = [];
  for (let folder = realPathOf(workingDirectory); folder.startsWith(root + sep); folder = dirname(folder)) {
    if (await hasSettings(folder)) nested.push(folder);
  }
  return nested;
}

async function hasSettings(folder: string): Promise<boolean> {
  if (PROJECT_MARKS.some((mark) => lstatSync(join(folder, mark), { throwIfNoEntry: false }) !== undefined)) return true;
  for (const setting of PROJECT_SETTINGS) if (await hasProjectSetting(folder, setting)) return true;
  return false;
}
