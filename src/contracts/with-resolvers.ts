/** A promise with the functions that settle it, as `Promise.withResolvers()` returns them, which Node 20 does not have. */
export function withResolvers<T>(): PromiseWithResolvers<T> {
  const settle: Partial<Pick<PromiseWithResolvers<T>, "resolve" | "reject">> = {};
  const promise = new Promise<T>((resolve, reject) => Object.assign(settle, { resolve, reject }));
  // The cast is true: the promise has called its function.
  return { promise, ...settle } as PromiseWithResolvers<T>;
}
