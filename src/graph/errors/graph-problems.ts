/** A problem in a graph. */
export interface GraphProblem {
  readonly text: string;
  /** Created in the method that caused the problem. Its stack is formatted only when needed. */
  readonly origin: Error | undefined;
}

/** The line of a stack with the caller of the method in which the error was created. */
export function callerFrameOf(origin: Error | undefined): string | undefined {
  const [, , caller] = origin?.stack?.split("\n") ?? [];
  return caller;
}

/** The location in a line of a stack: `path:line:column`. */
export function placeIn(frame: string | undefined): string | undefined {
  return frame?.replace(/^\s*at (?:.*\()?(.*?)\)?$/, "$1");
}
