export { describeRemembered } from "./visible/describe-remembered.ts";
export {
  describePermissionRequest,
  formatPermissionRequest,
  type PermissionDescription,
  type PermissionPart,
} from "./visible/format-permission-request.ts";
