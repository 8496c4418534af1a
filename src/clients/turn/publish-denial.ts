import type { DeniedPermission, PermissionRequest } from "../../contracts/index.ts";
import type { AgentTurn } from "./agent-turn.ts";

/** Why a call is denied, and what the reply lists about it besides. */
export type Denial = Pick<DeniedPermission, "reason" | "allowedBy" | "isUnasked">;

/** Publishes that a call is denied, so that the reply of the turn lists it. */
export function publishDenial(
  turn: Pick<AgentTurn, "publish">,
  { sessionId, toolName, kind, title }: Pick<PermissionRequest, "sessionId" | "toolName" | "kind" | "title">,
  { reason, allowedBy, isUnasked }: Denial,
): void {
  const listed = {
    ...(allowedBy === undefined ? {} : { allowedBy }),
    ...(isUnasked === undefined ? {} : { isUnasked }),
  };
  turn.publish({ type: "permission-denied", sessionId, denied: { toolName, kind, title, reason, ...listed } });
}
