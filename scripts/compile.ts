import { join, relative } from "node:path";
import { alignColumns } from "../bench/src/align-columns.ts";
import { nearestName } from "../src/contracts/index.ts";
import { compileProgram } from "./compile-program.ts";
import { type CompiledProgram, compilePrograms } from "./compile-programs.ts";
import { PROGRAM_TARGETS, type ProgramTarget, targetOfMachine } from "./program-targets.ts";

// npm run compile: dist/atomic, for this platform.
// npm run compile -- all, or names of targets: a program for each, in dist/programs, and a table of them.

const ROOT = join(import.meta.dirname, "..");
const NAMES = PROGRAM_TARGETS.map(({ name }) => name);

/** The targets that the arguments name. Undefined if one of them is unknown, which is then said. */
function chooseTargets(names: readonly string[]): readonly ProgramTarget[] | undefined {
  if (names.includes("all")) return PROGRAM_TARGETS;
  const unknown = names.find((name) => !NAMES.includes(name));
  if (unknown === undefined) return PROGRAM_TARGETS.filter(({ name }) => names.includes(name));
  const near = nearestName(unknown, NAMES);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  console.error(`There is no target "${unknown}".${hint} Possible: all, ${NAMES.join(", ")}.`);
  return undefined;
}

function rowOf({ target, path, bytes, chat, ran, problem }: CompiledProgram): readonly string[] {
  const built = path === undefined ? "no" : "yes";
  const size = bytes === undefined ? "" : `${Math.round(bytes / 1e6)} MB`;
  const kind = chat === "plain" ? "plain: no native library" : (chat ?? "");
  return [target, size, built, kind, problem === undefined ? ran : `${ran} (failed)`, relative(ROOT, path ?? ROOT)];
}

async function compileTargets(targets: readonly ProgramTarget[]): Promise<boolean> {
  const programs: CompiledProgram[] = [];
  for await (const program of compilePrograms(targets, {
    ...{ folder: join(ROOT, "dist/programs"), packages: join(ROOT, "build/other-platforms") },
    machine: targetOfMachine(process),
  })) {
    programs.push(program);
    if (program.problem !== undefined) console.error(`${program.target}: ${program.problem}`);
  }
  console.log(alignColumns([["target", "size", "built", "chat", "run", "program"], ...programs.map(rowOf)], 6));
  return programs.every(({ problem }) => problem === undefined);
}

const names = process.argv.slice(2);
if (names.length === 0) {
  const outfile = join(ROOT, "dist/atomic");
  await compileProgram(outfile);
  console.log(outfile);
} else {
  const targets = chooseTargets(names);
  if (targets === undefined || !(await compileTargets(targets))) process.exitCode = targets === undefined ? 2 : 1;
}
