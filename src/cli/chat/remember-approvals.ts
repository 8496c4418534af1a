import { type PermissionHandler, type PermissionMemory, permissionKey } from "../../contracts/index.ts";

/**
 * A handler that asks about equal calls only once, if the person allowed them for the session or the project. As for the
 * calls of agents, a call that can only be allowed once is never remembered.
 */
export function rememberApprovals(ask: PermissionHandler, memory: PermissionMemory): PermissionHandler {
  const allowedForSession = new Set<string>();
  return async (request, options) => {
    const key = permissionKey(request);
    const isKept = request.isOnce !== true;
    if (isKept && (allowedForSession.has(key) || (await memory.isAllowed(request)))) return { type: "allow" };
    const decision = await ask(request, options);
    if (!isKept || decision.type !== "allow") return decision;
    if (decision.scope === "project") await memory.allow(request);
    if (decision.scope === "project" || decision.scope === "session") allowedForSession.add(key);
    return decision;
  };
}
