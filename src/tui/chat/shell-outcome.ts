import type { ShellEntry } from "./chat-entry.ts";

type ShellEnd = Pick<ShellEntry, "exitCode" | "ending">;

/** Whether a command of the user still runs. */
export function isShellRunning({ exitCode, ending }: ShellEnd): boolean {
  return exitCode === undefined && ending === undefined;
}

/** How a command of the user ended: `exit 1`, `did not run`, `stopped`. Undefined while it runs. */
export function shellOutcome({ exitCode, ending }: ShellEnd): string | undefined {
  if (ending !== undefined) return ending === "not-run" ? "did not run" : "stopped";
  return exitCode === undefined ? undefined : `exit ${exitCode}`;
}
