import { formatTime } from "../../view/index.ts";
import { formatPermissionRequest } from "../../view/permissions.ts";
import { PERMISSION_ANSWERS, type PublishedPermission } from "../prompts/published-permissions.ts";

/** A permission request that waits, and the commands that answer it. Nothing that the call does is cut. */
export function formatPublished(
  runId: string,
  { id, request, deadline }: PublishedPermission,
  columns: number,
): readonly string[] {
  const answers = PERMISSION_ANSWERS.filter((answer) => answer !== "always" || request.isOnce !== true);
  return [
    ...formatPermissionRequest(request, Number.isFinite(columns) ? columns : 200),
    `  Denied at ${formatTime(new Date(deadline).toISOString())} UTC without an answer:`,
    // Never cut or wrapped: people copy it.
    ...answers.map((answer) => `  atomic runs answer ${runId} ${answer} --request ${id}`),
  ];
}
