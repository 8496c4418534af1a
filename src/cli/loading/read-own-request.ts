import { fstatSync, readFileSync, writeSync } from "node:fs";
import process from "node:process";
import { FIRST_EXTRA_PIPE } from "../../system/index.ts";
import { ExitCode } from "../exit-code.ts";

/**
 * Reads the request of `runOwnProgram` from standard input, to its end. A process that was started by something else ends
 * with an error.
 *
 * @param option what makes Atomic this program
 */
export function readOwnRequest<Request>(option: string, isRequest: (value: unknown) => value is Request): Request {
  const request = readRequest();
  if (isRequest(request)) return request;
  writeSync(2, `error: only Atomic itself can use ${option} (see: atomic --help)\n`);
  return process.exit(ExitCode.usage);
}

function readRequest(): unknown {
  // A terminal would be waited for.
  if (!isPipe(FIRST_EXTRA_PIPE) || !isPipe(0)) return undefined;
  try {
    return JSON.parse(readFileSync(0, "utf8"));
  } catch {
    return undefined;
  }
}

/** Node's pipes are sockets. */
function isPipe(descriptor: number): boolean {
  try {
    const status = fstatSync(descriptor);
    return status.isFIFO() || status.isSocket();
  } catch {
    // It is closed.
    return false;
  }
}
