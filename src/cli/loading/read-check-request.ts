import { fstatSync, readFileSync } from "node:fs";
import { isListOf, isRecord, isText } from "../../contracts/index.ts";
import type { WorkflowFile } from "../../discovery/index.ts";
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
  if (!isRecord(value)) return false;
  const { kind, file, others, workingDirectory, importTimeoutMs, token } = value;
  return (
    (kind === "workflow" || kind === "tools") &&
    isFile(file) &&
    isListOf(others, isFile) &&
    typeof importTimeoutMs === "number" &&
    [workingDirectory, token].every(isText)
  );
}

function isFile(value: unknown): value is WorkflowFile {
  if (!isRecord(value)) return false;
  return [value.path, value.realPath].every(isText) && (value.source === "local" || value.source === "global");
}
