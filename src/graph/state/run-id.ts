import { randomBytes } from "node:crypto";

/** Creates an id for a run without one: 32 hexadecimal digits. */
export function createRunId(): string {
  return randomBytes(16).toString("hex");
}
