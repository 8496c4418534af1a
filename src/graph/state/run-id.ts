import { randomBytes } from "node:crypto";

/** An id for a run that is given none: 32 hexadecimal digits. */
export function createRunId(): string {
  return randomBytes(16).toString("hex");
}
