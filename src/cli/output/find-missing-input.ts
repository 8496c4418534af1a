import type { Json, RunErrorInfo } from "../../contracts/index.ts";
import type { RegisteredWorkflow } from "../../workflows/index.ts";

/** What `undefined` was used as: `undefined is not an object (evaluating 'args.files.map')`. */
const USE_OF_UNDEFINED = /\bundefined\b.*\((?:evaluating|reading|near) '([^']*)'\)/;

/** What is known of a run that failed. */
export interface FailedScript {
  readonly error: RunErrorInfo | undefined;
  readonly workflow: Pick<RegisteredWorkflow, "scriptOutline">;
  /** The input that the run was started with. */
  readonly input: Json;
}

/**
 * The input without which a script failed: its text reads it, nobody gave it, and the failure is about its use. Undefined
 * where that cannot be seen.
 */
export function findMissingInput({ error, workflow, input }: FailedScript): string | undefined {
  const used = USE_OF_UNDEFINED.exec(error?.message ?? "")?.[1];
  if (used === undefined) return undefined;
  const given = typeof input === "object" && input !== null && !Array.isArray(input) ? input : {};
  const missing = (workflow.scriptOutline?.args ?? []).filter((name) => !Object.hasOwn(given, name));
  const words = used.split(/[^\w$]+/);
  return missing.find((name) => words.includes(name));
}

/** What to do about a missing input: a resumed run has the same input. */
export function describeMissingInput(name: string): string {
  return `The script reads the input "${name}": start it again with --input ${name}=…`;
}
