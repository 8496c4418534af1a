import type { JsonSchema } from "../json/json.ts";

/** An input that a workflow declares in `export const inputs`. */
export interface WorkflowInput {
  readonly name: string;
  /** One line. */
  readonly description?: string;
  /** Whether a run needs a value for it. */
  readonly isRequired: boolean;
  /** The value of a run that sets none, as JSON. */
  readonly default?: unknown;
  /** What its values look like, before the workflow's schema transforms them. */
  readonly schema: JsonSchema;
}
