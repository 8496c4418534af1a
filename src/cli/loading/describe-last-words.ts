import type { AtomicError } from "../../contracts/index.ts";
import { safeText } from "../../view/index.ts";
import type { CliEnvironment, TextOutput } from "../environment.ts";
import { formatError } from "../output/format-error.ts";
import { formatJson } from "../output/format-json.ts";
import type { LastWords } from "./watchdog.ts";

/** How an error is reported when the process has to be ended from outside of its own thread. */
export function describeLastWords(
  error: AtomicError,
  { args, stdout, stderr }: Pick<CliEnvironment, "args" | "stdout" | "stderr">,
): LastWords {
  if (args.includes("--json")) {
    const { code, message } = error;
    return { descriptor: descriptorOf(stdout), text: `${formatJson({ type: "error", runId: null, code, message })}\n` };
  }
  // A live display may have hidden the cursor.
  return { descriptor: 2, text: `${stderr.isTTY ? "\u001b[?25h" : ""}${safeText(formatError(error))}\n` };
}

/** Standard output may have got another descriptor, so that it has nothing but JSON. */
function descriptorOf({ stream }: TextOutput): number {
  return "fd" in stream && typeof stream.fd === "number" ? stream.fd : 1;
}
