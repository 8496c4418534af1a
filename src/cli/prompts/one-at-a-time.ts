/** Starts work after all previous work has settled. */
export type OneAtATime = <T>(work: () => Promise<T>) => Promise<T>;

/** Creates a queue for an exclusive resource, such as the keyboard. */
export function createOneAtATime(): OneAtATime {
  let previous: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = previous.then(work);
    previous = result.catch(() => undefined);
    return result;
  };
}
