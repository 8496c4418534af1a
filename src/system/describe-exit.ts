import { constants } from "node:os";

/** How a process ended: the name of a signal, or `exit code 1`. The supervising shell reports a signal as an exit code, too. */
export function describeExit(exitCode: number | null, signalName?: NodeJS.Signals | null): string {
  if (signalName) return signalName;
  const signal = Object.entries(constants.signals).find(([, number]) => number + 128 === exitCode)?.[0];
  return signal ?? `exit code ${exitCode}`;
}
