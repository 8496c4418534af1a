import type { DiscoveryProblem } from "../contracts/index.ts";
import type { WorkflowFile } from "./discover-workflow-files.ts";
import type { CheckWorkflow } from "./metadata/check-cache.ts";
import type { WorkflowHeader } from "./metadata/read-workflow-header.ts";

/** Settings of {@link findWorkflowFile}. */
export interface FindWorkflowFileOptions {
  /** The files that may be executed, in order of precedence. */
  readonly headers: readonly WorkflowHeader[];
  /** The names of each built-in workflow, its own name first. */
  readonly builtIns: readonly (readonly string[])[];
  /** Executes a file whose names are not literals. */
  readonly check: CheckWorkflow;
}

/** The result of {@link findWorkflowFile}. */
export interface FoundWorkflowFile {
  /** What the name means: a file, the name of a built-in workflow, or nothing. */
  readonly found: WorkflowFile | string | undefined;
  /** Files of the same scope that have the same name, the found one first; empty if it is the only one. */
  readonly rivals: readonly WorkflowFile[];
  /** All names that are known. */
  readonly knownNames: readonly string[];
  /** What is wrong with the files that had to be checked. */
  readonly problems: readonly DiscoveryProblem[];
}

interface Candidate {
  readonly target: WorkflowFile | string;
  readonly names: readonly string[];
}

/**
 * Finds the workflow that a name means, ignoring case, by the rules of `resolveNameClashes()`. Files are checked only if
 * their names are not literals, and only until the name is found: those of a scope after the others in it.
 */
export async function findWorkflowFile(
  name: string,
  { headers, builtIns, check }: FindWorkflowFileOptions,
): Promise<FoundWorkflowFile> {
  const candidates: Candidate[] = [];
  const problems: DiscoveryProblem[] = [];
  const result = ([found, ...others]: readonly Candidate[]): FoundWorkflowFile => ({
    found: found?.target,
    rivals: found === undefined || others.length === 0 ? [] : [found, ...others].flatMap(fileOf),
    knownNames: [...new Set(candidates.flatMap(({ names }) => names))],
    problems,
  });
  for (const source of ["local", "global"] as const) {
    const scope = headers.filter(({ file }) => file.source === source);
    candidates.push(...scope.flatMap(({ file, names }) => (names ? [{ target: file, names }] : [])));
    // No name of the scope before matched.
    const named = findByName(name, candidates);
    if (named.length > 0) return result(named);
    const unknown = scope.filter(({ names }) => names === undefined).map(({ file }) => file);
    for (const [index, checked] of (await Promise.all(unknown.map(check))).entries()) {
      problems.push(...checked.problems);
      const target = unknown[index];
      const { metadata } = checked.workflow ?? {};
      if (target && metadata) candidates.push({ target, names: [metadata.name, ...metadata.aliases] });
    }
    const computed = findByName(name, candidates);
    if (computed.length > 0) return result(computed);
  }
  candidates.push(...builtIns.map((names) => ({ target: names[0] ?? "", names })));
  const named = findByName(name, candidates);
  return result(
    named.length > 0 ? named : candidates.filter(({ names }) => names.slice(1).some(equals(name))).slice(0, 1),
  );
}

function findByName(name: string, candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.filter(({ names }) => names.slice(0, 1).some(equals(name)));
}

function fileOf({ target }: Candidate): readonly WorkflowFile[] {
  return typeof target === "string" ? [] : [target];
}

/** Whether a name is the other one, ignoring case. */
function equals(name: string): (other: string) => boolean {
  return (other) => other.toLowerCase() === name.toLowerCase();
}
