/** Begins a piece of work when all that was handed over before has ended, well or not. */
export type OneAtATime = <T>(work: () => Promise<T>) => Promise<T>;

/** A queue for what there is only one of, such as the terminal's keyboard. */
export function createOneAtATime(): OneAtATime {
  let previous: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = previous.then(work);
    previous = result.catch(() => undefined);
    return result;
  };
}
