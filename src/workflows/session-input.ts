import { noRedaction, type Redactor, type RunEvent, redactFields, type WorkflowMetadata } from "../contracts/index.ts";
import type { RunServices } from "../graph/index.ts";
import { toJson } from "./session-store/to-json.ts";
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

/** What an edit of a run's state can change of its input. */
export interface InputEdit {
  /** The new values of fields of the state. */
  readonly set: Input;
  readonly metadata: Pick<WorkflowMetadata, "inputs">;
  /** @default nothing is redacted */
  readonly redactor?: Redactor | undefined;
}

/**
 * The session with the input that its run works with after an edit: fields of the state that were given as inputs, the
 * prompt, and declared inputs. Other fields belong to the state only. Pure.
 */
export function editInput(
  session: WorkflowSession,
  { set, metadata, redactor = noRedaction }: InputEdit,
): WorkflowSession {
  const input = inputOf(session);
  const declared = metadata.inputs?.map(({ name }) => name) ?? [];
  const names = new Set([...Object.keys(input), "prompt", ...declared]);
  const edited = Object.entries(set).filter(([name]) => names.has(name));
  if (edited.length === 0) return session;
  return { ...session, input: toJson({ ...input, ...redactFields(Object.fromEntries(edited), redactor) }) };
}
