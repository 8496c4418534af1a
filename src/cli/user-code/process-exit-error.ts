import { AtomicError } from "../../contracts/index.ts";

/** Code of a workflow or of its libraries tried to end the process, which is Atomic's own. */
export class ProcessExitError extends AtomicError {
  constructor(readonly exitCode: number | string | null | undefined) {
    const call = `process.exit(${exitCode ?? ""})`;
    super("PROCESS_EXIT", `${call} was called, which would end Atomic itself. Return, or throw an error, instead.`);
  }
}
