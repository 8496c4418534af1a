import { BUILD_PROGRAMS } from "./build-programs.ts";
import { FILE_PROGRAMS } from "./file-programs.ts";
import { GIT_PROGRAM } from "./git-program.ts";
import { PACKAGE_PROGRAMS } from "./package-programs.ts";
import type { RiskyProgram } from "./risky-program.ts";
import { INTERPRETER_PROGRAMS, SHELL_PROGRAMS } from "./shell-programs.ts";
import { WRAPPER_PROGRAMS } from "./wrapper-programs.ts";
import { WRITING_PROGRAMS } from "./writing-programs.ts";

/** All programs with arguments that run other programs or write files. A name may have several entries; all apply. */
export const RISKY_PROGRAMS: readonly RiskyProgram[] = [
  GIT_PROGRAM,
  ...SHELL_PROGRAMS,
  ...INTERPRETER_PROGRAMS,
  ...FILE_PROGRAMS,
  ...BUILD_PROGRAMS,
  ...PACKAGE_PROGRAMS,
  ...WRITING_PROGRAMS,
  ...WRAPPER_PROGRAMS,
];

const BY_NAME: ReadonlyMap<string, readonly RiskyProgram[]> = RISKY_PROGRAMS.reduce((map, program) => {
  for (const name of program.names) map.set(name, [...(map.get(name) ?? []), program]);
  return map;
}, new Map<string, readonly RiskyProgram[]>());

/** The entries of a program, also for a name with a version, such as `python3.12`. */
export function findPrograms(name: string): readonly RiskyProgram[] {
  return BY_NAME.get(name) ?? BY_NAME.get(name.replace(/[-.\d]+$/, "")) ?? [];
}
