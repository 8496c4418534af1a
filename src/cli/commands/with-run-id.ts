import { AtomicError } from "../../contracts/index.ts";

/** Does something with a run. Errors that do not know of which run they are get its id, which `--json` prints. */
export async function withRunId<T>(runId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // The cast is true: whether the field exists is what is looked at.
    if (error instanceof AtomicError && (error as { readonly runId?: unknown }).runId === undefined) {
      Object.assign(error, { runId });
    }
    throw error;
  }
}
