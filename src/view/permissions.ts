export { describeRemembered } from "./visible/describe-remembered.ts";
export { mostColumnsOf } from "./visible/exact-width.ts";
export {
  describePermissionRequest,
  formatPermissionRequest,
  type PermissionPart,
} from "./visible/format-permission-request.ts";
export { toReadable } from "./visible/long-request.ts";
