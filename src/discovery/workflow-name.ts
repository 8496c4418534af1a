/** The longest name of a workflow. */
const MAX_NAME_LENGTH = 64;

/** Tells whether a text can name a workflow: letters, digits, `-` and `_`, so that it can be typed and never be a path. */
export function isWorkflowName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && /^[a-z0-9][a-z0-9\-_]*$/i.test(name);
}
