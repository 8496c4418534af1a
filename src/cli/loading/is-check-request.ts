import { isListOf, isRecord, isText } from "../../contracts/index.ts";
import type { WorkflowFile } from "../../discovery/index.ts";
import type { CheckRequest } from "./check-request.ts";

/** Whether a value is what `checkInChild()` sends. */
export function isCheckRequest(value: unknown): value is CheckRequest {
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
