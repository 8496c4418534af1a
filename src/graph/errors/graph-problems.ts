/** Something that is wrong with a graph. */
export interface GraphProblem {
  readonly text: string;
  /** Made in the method by which the author brought it about. Its stack becomes text only when somebody wants it. */
  readonly origin: Error | undefined;
}

/** The line of a stack that says from where the method in which the error was made was called. */
export function callerFrameOf(origin: Error | undefined): string | undefined {
  const [, , caller] = origin?.stack?.split("\n") ?? [];
  return caller;
}

/** The place that a line of a stack names: `path:line:column`. */
export function placeIn(frame: string | undefined): string | undefined {
  return frame?.replace(/^\s*at (?:.*\()?(.*?)\)?$/, "$1");
}
