import { noRedaction, type RunEvent, redactFields } from "../contracts/index.ts";
import type { RunServices } from "../graph/index.ts";
import type { WorkflowSession } from "./session-store/workflow-session.ts";

type Input = Readonly<Record<string, unknown>>;

/** An input as the run keeps it. It is redacted before the run starts: the session's file has it too. */
export function redactInput(input: Input, { redactor = noRedaction }: RunServices): Input {
  return redactFields(input, redactor);
}

/** Says that a run works with another input than the given one. */
export function warnOfSecrets({ onEvent }: { readonly onEvent?: (event: RunEvent) => void }, runId: string): void {
  const message =
    "The input has a secret, which the run gets as [redacted], because its files contain the input. Put it into an environment variable, and let the command that needs it read that.";
  onEvent?.({ type: "warning", runId, at: Date.now(), message });
}

/** The input a session was started with. */
export function inputOf({ input }: WorkflowSession): Input {
  return typeof input === "object" && input !== null && !Array.isArray(input) ? { ...input } : {};
}
