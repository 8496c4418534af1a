import type { PermissionRequest } from "./permission.ts";

/** What "for this session" and "always" cover: the identical command or files, and for other tools what the title says. */
export function permissionKey(request: PermissionRequest): string {
  const { kind, toolName, command, paths, title } = request;
  return JSON.stringify([kind, toolName, command ?? (paths.join("\n") || title)]);
}
