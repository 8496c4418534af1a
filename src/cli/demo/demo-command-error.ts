import { AtomicError } from "../../contracts/index.ts";
import type { CommandResult } from "../../graph/index.ts";

/** A command of the demo failed on this machine. */
export class DemoCommandError extends AtomicError {
  constructor(readonly result: CommandResult) {
    const output = `${result.stdout}${result.stderr}`.trim();
    super(
      "DEMO_FAILED",
      `The demo failed: \`${result.command}\` ended with exit code ${result.exitCode}. Check that git and node are on the PATH (atomic doctor).\n${output}`,
    );
  }
}
