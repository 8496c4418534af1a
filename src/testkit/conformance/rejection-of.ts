/** The error that a promise rejects with. Rejects when the promise resolves. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error(`Expected a rejection, got ${JSON.stringify(value)}.`);
    },
    (error: unknown) => error,
  );
}
