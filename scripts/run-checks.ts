import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { checkApiOf } from "./api-report.ts";
import { checkLayersOf } from "./check-layers.ts";
import { checkLockfileOf } from "./check-lockfile.ts";
import type { CheckOutcome } from "./check-outcome.ts";
import { checkPicturesOf } from "./check-pictures.ts";
import { checkPosixOf } from "./check-posix.ts";
import { checkWordsOf } from "./check-words.ts";
import { checkLicencesOf } from "./licences.ts";

/** A finished check. */
export interface CheckReport extends CheckOutcome {
  readonly name: string;
  readonly durationMs: number;
}

/** Checks a repository and reports what is wrong with it. */
type Check = (root: string) => Promise<CheckOutcome>;

const BIOME = "@biomejs/biome/bin/biome";
const BIOME_FLAGS = ["--colors=off", "--max-diagnostics=30", "--error-on-warnings"];

const CHECKS: { readonly [name: string]: Check } = {
  format: runTool(BIOME, ["check", "--linter-enabled=false", ...BIOME_FLAGS, "."]),
  lint: runTool(BIOME, ["lint", ...BIOME_FLAGS, "."]),
  types: runTool("typescript/bin/tsc", ["--project", ".", "--pretty", "false"]),
  layers: checkLayersOf,
  pictures: checkPicturesOf,
  lockfile: checkLockfileOf,
  api: checkApiOf,
  unused: runTool("knip/bin/knip-bun.js", ["--no-progress"], process.execPath),
  licences: checkLicencesOf,
  posix: checkPosixOf,
  words: checkWordsOf,
};

/** Runs the checks with the given names in parallel; without names, all checks. */
export async function runChecks(root: string, names: readonly string[] = []): Promise<readonly CheckReport[]> {
  const wanted = names.length === 0 ? Object.keys(CHECKS) : names;
  return Promise.all(
    wanted.map(async (name) => {
      const startedAt = performance.now();
      const outcome = await runCheck(name, root);
      return { name, ...outcome, durationMs: performance.now() - startedAt };
    }),
  );
}

/** The reports with at least one problem. */
export function failedChecks(reports: readonly CheckReport[]): readonly CheckReport[] {
  return reports.filter((report) => report.problems.length > 0);
}

/** A line that says how a check went, followed by its problems. */
export function formatCheckReport(report: CheckReport): string {
  const verdict = report.problems.length === 0 ? "pass" : "FAIL";
  const heading = `${verdict} ${report.name} (${(report.durationMs / 1000).toFixed(1)} s)`;
  return [heading, ...report.problems.map((problem) => problem.replace(/^/gm, "  "))].join("\n");
}

async function runCheck(name: string, root: string): Promise<CheckOutcome> {
  const check = CHECKS[name];
  if (check === undefined) {
    return { problems: [`There is no check "${name}". Known checks: ${Object.keys(CHECKS).join(", ")}.`] };
  }
  try {
    return await check(root);
  } catch (error) {
    return { problems: [error instanceof Error ? error.message : String(error)] };
  }
}

/** A check by a program of an npm package, run by Node or another runtime. If it fails, its output is one problem. */
function runTool(program: string, args: readonly string[], runtime = "node"): Check {
  return async (root) => {
    const path = join(root, "node_modules", program);
    const child = spawn(runtime, [path, ...args], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    return { problems: code === 0 ? [] : [`${output}${errors}`.trim() || `${program} ended with exit code ${code}`] };
  };
}
