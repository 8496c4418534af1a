import { isUtf8 } from "node:buffer";
import { lstatSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { AtomicError, messageOf } from "../../contracts/index.ts";
import { FileUnusableError } from "../../discovery/trust-kit.ts";
import { readBoundedBytes } from "../../system/index.ts";
import type { ConfigValues } from "./config-schema.ts";
import type { ConfigProblem } from "./describe-config-issue.ts";
import { formatPlace } from "./format-place.ts";
import { parseJsoncWithLines } from "./parse-jsonc.ts";

/** The names that a settings file may have. */
export const CONFIG_NAMES = ["config.json", "config.jsonc"] as const;

/** A line about one setting of a file. */
export interface ConfigNote {
  readonly text: string;
  /** From 1; undefined if the whole file is meant, or the text has its place. */
  readonly line?: number;
  /** The setting. @default the whole file */
  readonly path?: readonly PropertyKey[];
}

/** A settings file cannot be used. */
export class ConfigInvalidError extends AtomicError {
  /** One text for each mistake, without its line. */
  readonly problems: readonly string[];

  constructor(
    readonly path: string,
    readonly notes: readonly ConfigNote[],
    options?: { readonly cause?: unknown },
  ) {
    super(
      "CONFIG_INVALID",
      `The settings in ${path} cannot be used:\n${notes.map((note) => `  - ${formatNote(note)}`).join("\n")}\nCorrect the file.`,
      options,
    );
    this.problems = notes.map(({ text }) => text);
  }
}

function formatNote({ text, line }: ConfigNote): string {
  return line === undefined ? text : `line ${line}: ${text}`;
}

/** The settings of one file. */
export interface ConfigFile {
  readonly path: string;
  readonly config: ConfigValues;
  /** Unknown keys that were left out. */
  readonly ignored: readonly ConfigProblem[];
  /** A line for each of them, and for each key that is there twice: `/home/me/.atomic/config.json:3: …` */
  readonly warnings: readonly string[];
  /** The line of a setting, from 1. */
  lineOf(path: readonly PropertyKey[]): number;
}

/**
 * The path of the settings file of a folder, `config.json` or `config.jsonc`. Without one, that of a new one, `config.json`.
 *
 * @throws ConfigInvalidError when the folder has both, or when a link leads to nothing: rules of its file would be lost silently
 */
export function findConfigFile(folder: string): string {
  const [first, ...others] = CONFIG_NAMES.map((name) => join(folder, name)).filter(hasEntry);
  const [second] = others;
  if (first !== undefined && second !== undefined) {
    throw new ConfigInvalidError(second, [{ text: `There is also ${first}. Move its settings into one of the two.` }]);
  }
  assertTarget(first ?? folder);
  return first ?? join(folder, CONFIG_NAMES[0]);
}

/** Whether a folder has this file, or a link of this name that leads to nothing. */
export function hasEntry(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Reading the file has the reason.
    return false;
  }
}

function assertTarget(path: string): void {
  if (!hasEntry(path) || !lstatSync(path).isSymbolicLink()) return;
  try {
    statSync(path);
  } catch (error) {
    if (!isMissing(error)) return;
    const problem = `It is a link to ${readlinkSync(path)}, which does not exist. Make that available, or remove the link.`;
    throw new ConfigInvalidError(path, [{ text: problem }], { cause: error });
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** Reads the settings file of a folder. A missing file counts as empty. @throws ConfigInvalidError */
export async function readConfigFile(folder: string): Promise<ConfigFile> {
  const path = findConfigFile(folder);
  let text: string;
  try {
    text = await readSettingsText(path);
  } catch (error) {
    if (isMissing(error)) {
      return { path, config: {}, ignored: [], warnings: [], lineOf: () => 1 };
    }
    if (error instanceof ConfigInvalidError) throw error;
    const problem = error instanceof FileUnusableError ? `It ${error.reason}.` : messageOf(error);
    throw new ConfigInvalidError(path, [{ text: problem }], { cause: error });
  }
  return await parseConfigFile(text, path);
}

/** The text of a settings file. @throws ConfigInvalidError, FileUnusableError; the system's errors, `ENOENT` included */
export async function readSettingsText(path: string): Promise<string> {
  const bytes = await readBoundedBytes(path);
  // Without its mark, UTF-16 is valid UTF-8, with a zero in every second byte.
  if (isUtf8(bytes) && !bytes.includes(0)) return bytes.toString("utf8");
  throw new ConfigInvalidError(path, [{ text: "It is not encoded in UTF-8. Save it as UTF-8." }]);
}

/** Parses a settings file; comments and trailing commas are allowed. @throws ConfigInvalidError */
export async function parseConfigFile(text: string, path: string): Promise<ConfigFile> {
  let parsed: Awaited<ReturnType<typeof parseJsoncWithLines>>;
  try {
    parsed = await parseJsoncWithLines(text);
  } catch (error) {
    throw new ConfigInvalidError(path, [{ text: messageOf(error) }], { cause: error });
  }
  const { value, lineOf, duplicates } = parsed;
  // Loaded here because most calls find no settings file.
  const { checkConfig } = await import("./config-schema.ts");
  const checked = checkConfig(value);
  if (checked.type === "invalid") {
    const notes = checked.problems.map((problem) => ({ ...problem, line: lineOf(problem.path) }));
    throw new ConfigInvalidError(path, notes, { cause: checked.cause });
  }
  const repeated = duplicates.map(({ path: place, line, lastLine }) => {
    const last = lastLine === line ? "" : `, in line ${lastLine}`;
    return `${path}:${line}: ${formatPlace(place)}: the key is there twice. Only the last one counts${last}. Remove the other.`;
  });
  const unknown = checked.ignored.map(
    ({ text: about, path: place }) => `${path}:${lineOf(place)}: ${about} It has no effect.`,
  );
  const warnings = [...repeated, ...unknown];
  return { path, config: checked.config, ignored: checked.ignored, warnings, lineOf };
}
