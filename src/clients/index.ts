export { type FindOpenCodeOptions, findOpenCode } from "./opencode/find-opencode.ts";
export { createOpenCodeClient } from "./opencode/opencode-client.ts";
export type { OpenCodeEndpoint, OpenCodeEndpointModel, OpenCodeOptions } from "./opencode/opencode-options.ts";
export {
  type EvaluatePermissionOptions,
  evaluatePermission,
  isOrdinaryReading,
  type PermissionEvaluation,
} from "./policy/evaluate-permission.ts";
