import { AtomicError } from "../../contracts/index.ts";
import type { CommandResult } from "../../graph/index.ts";

/** The demo's project needs programs that this machine lacks. */
export class DemoProgramsMissingError extends AtomicError {
  constructor(readonly missing: readonly string[]) {
    const names = missing.join(" and ");
    super(
      "DEMO_PROGRAMS_MISSING",
      `The demo repairs a project in a git repository with the tests of Node.js, and ${names} ${missing.length === 1 ? "is" : "are"} not on the PATH. Install ${missing.length === 1 ? "it" : "them"}, or try another part of Atomic: atomic -p "Hello" --agent scripted`,
    );
  }
}

/** A command of the demo failed on this machine. */
export class DemoCommandError extends AtomicError {
  constructor(readonly result: CommandResult) {
    const output = `${result.stdout}${result.stderr}`.trim();
    super(
      "DEMO_FAILED",
      `The demo failed: \`${result.command}\` ended with exit code ${result.exitCode}. Look at what it printed:\n${output}`,
    );
  }
}
