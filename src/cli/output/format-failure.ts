import type { RunErrorInfo } from "../../contracts/index.ts";
import { safeText } from "../../view/index.ts";

/** How much a failure tells. */
export interface FailureStyle {
  /** Whether the whole stack is shown. */
  readonly isDebug: boolean;
}

/** What failed, where in the user's own code, and with `isDebug` the whole stack. */
export function formatFailure(error: RunErrorInfo, { isDebug }: FailureStyle): readonly string[] {
  const where = error.nodeId === undefined ? "" : ` in "${safeText(error.nodeId)}"`;
  return [
    `Failed${where}: ${safeText(error.message)}`,
    ...formatFrame(error),
    ...(isDebug && error.stack !== undefined ? [safeText(error.stack)] : []),
  ];
}

/** Where in the user's own code an error came from, if that is known. */
export function formatFrame({ frame }: RunErrorInfo): readonly string[] {
  return frame === undefined ? [] : [`  at ${safeText(frame)}`];
}
