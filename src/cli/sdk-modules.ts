import type { SdkModules } from "../discovery/index.ts";

/** Modules that workflow and tool files can import without installing them: Atomic's own, and its zod. */
export const SDK_MODULES: SdkModules = {
  "@bastani/atomic": async () => ({
    ...(await import("../contracts/index.ts")),
    ...(await import("../clients/index.ts")),
  }),
  "@bastani/atomic/graph": () => import("../graph/index.ts"),
  "@bastani/atomic/workflows": () => import("../workflows/index.ts"),
  "@bastani/atomic/plugin": () => import("../discovery/plugin.ts"),
  "@atomic/plugin": () => import("../discovery/plugin.ts"),
  "@bastani/atomic/tui": () => import("./tui.ts"),
  "@bastani/atomic/testing": () => import("../testkit/index.ts"),
  zod: () => import("zod"),
};
