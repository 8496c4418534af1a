/** Waits until all have ended; then throws the first error in their order, or returns their results. */
export async function waitForAll<Result>(works: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(works);
  return await Promise.all(works);
}
