import type { OptionTable } from "../options/find-option-problems.ts";
import { aFunction, count, described, oneOf, required, someText, text } from "../options/option-checks.ts";
import type { FileSaverOptions } from "./file-store.ts";
import type { ResearchDirSaverOptions } from "./research-dir-store.ts";
import type { SessionDirSaverOptions } from "./session-dir-store.ts";
import type { SqliteSaverOptions } from "./sqlite-store.ts";

const OWNER = { owner: text, processId: count } as const;
const FILE_OPTIONS: OptionTable<ResearchDirSaverOptions> = { ...OWNER, durability: oneOf(["every-step", "on-close"]) };
const directory = required(described(someText, "a path"), "name the folder of the journals");

/** The options of a `SqliteSaver`. */
export const SQLITE_OPTIONS: OptionTable<SqliteSaverOptions> = {
  ...OWNER,
  path: required(described(someText, "a path"), "name the database file"),
  durability: oneOf(["every-step", "on-checkpoint"]),
};

/** The options of a `FileSaver`. */
export const FILE_SAVER_OPTIONS: OptionTable<FileSaverOptions> = { ...FILE_OPTIONS, directory };

/** The options of a `SessionDirSaver`, with its first argument as one. */
export const SESSION_DIR_OPTIONS: OptionTable<SessionDirSaverOptions & { readonly sessionDirectory: unknown }> = {
  ...FILE_OPTIONS,
  sessionDirectories: aFunction,
  sessionDirectory: required(
    { expected: "a path or a function", accepts: (value) => someText.accepts(value) || aFunction.accepts(value) },
    "name the session's folder",
  ),
};

/** The options of a `ResearchDirSaver`, with its first argument as one. */
export const RESEARCH_DIR_OPTIONS: OptionTable<ResearchDirSaverOptions & { readonly projectRoot: string }> = {
  ...FILE_OPTIONS,
  projectRoot: required(described(someText, "a path"), "name the project's folder"),
};
