import type { PermissionRequest } from "./permission.ts";

/** What "for this session" and "always" cover: the identical command or files, and for other tools the request's `key`. */
export function permissionKey(request: PermissionRequest): string {
  return JSON.stringify([request.kind, request.toolName, permissionSubject(request)]);
}

/** The subject of a call, in a form that no other kind of subject can imitate. */
export function permissionSubject({ command, paths, search, key, title, isDeletion }: PermissionRequest): unknown {
  if (command !== undefined) return command;
  if (search !== undefined) return { paths, include: search.include ?? null };
  if (isDeletion === true) return { deleted: paths };
  if (paths.length > 0) return paths;
  return key === undefined ? title : { key };
}
