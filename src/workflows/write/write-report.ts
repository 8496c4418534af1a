import type { WriteState } from "./write-state.ts";

/** The result of a run that had an agent write a script. */
export interface WriteReport {
  /** The script's name. */
  readonly name: string;
  readonly decision: WriteState["decision"];
  /** What the script returned; null where it did not run. */
  readonly result: unknown;
  /** Where it is kept; null where it is not. */
  readonly path: string | null;
}

/** What a run came to. Pure. */
export function createWriteReport({ outline, decision, result, keptPath }: Readonly<WriteState>): WriteReport {
  return { name: outline?.name ?? "", decision, result, path: keptPath === "" ? null : keptPath };
}

/** The result for people: what the script returned, and where it is. */
export function formatWriteReport({ name, decision, result, path }: WriteReport): string {
  const text = typeof result === "string" ? result : JSON.stringify(result, null, 2);
  return [
    ...(decision === "run" && result !== null ? [text.trim(), ""] : []),
    ...(path === null
      ? [`The script "${name}" was not kept.`]
      : [`Kept as ${path}. Run it: atomic run ${name} (a project that you have not trusted needs --trust)`]),
  ].join("\n");
}
