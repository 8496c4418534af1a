/** The function that React looks for when it is loaded. */
export interface TimeStamping {
  timeStamp?: unknown;
}

/**
 * Loads modules of React so that its development build measures nothing. It would add an entry to the process's list of
 * `performance` at each render, with a copy of all properties that changed: the whole text so far for each piece of an answer.
 * No entry is ever removed. React decides once, when it is loaded, by whether `console.timeStamp` is there.
 *
 * @param load imports the modules
 * @param target the process's `console`, whose function is back when the modules are loaded, or could not be
 * @throws what `load` rejects with
 */
export async function loadWithoutMeasures<Result>(load: () => Promise<Result>, target: TimeStamping): Promise<Result> {
  // It is not there, or another load of the same modules is about to put it back.
  if (typeof target.timeStamp !== "function") return await load();
  const own = Object.getOwnPropertyDescriptor(target, "timeStamp");
  Object.defineProperty(target, "timeStamp", { value: undefined, configurable: true, writable: true });
  try {
    return await load();
  } finally {
    if (own === undefined) delete target.timeStamp;
    else Object.defineProperty(target, "timeStamp", own);
  }
}
