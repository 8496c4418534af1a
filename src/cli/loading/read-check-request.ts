import { fstatSync, readFileSync } from "node:fs";
import { isRecord, isText } from "../../contracts/index.ts";
import { FIRST_EXTRA_PIPE } from "../../system/index.ts";
import type { CheckRequest } from "./check-request.ts";

/**
 * Reads standard input to its end. Undefined if there is no request: the process was started by something other than
 * `checkInChild()`.
 */
export function readCheckRequest(): CheckRequest | undefined {
  // A terminal would be waited for.
  if (!isPipe(FIRST_EXTRA_PIPE) || !isPipe(0)) return undefined;
  try {
    const request: unknown = JSON.parse(readFileSync(0, "utf8"));
    return isRequest(request) ? request : undefined;
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

function isRequest(value: unknown): value is CheckRequest {
  if (!isRecord(value) || !isRecord(value.file)) return false;
  const { kind, file, workingDirectory, importTimeoutMs, token } = value;
  const texts = [file.path, file.realPath, workingDirectory, token];
  return (
    (kind === "workflow" || kind === "tools") &&
    (file.source === "local" || file.source === "global") &&
    typeof importTimeoutMs === "number" &&
    texts.every(isText)
  );
}
