import type { PlatformPackage } from "../../process/find-program.ts";

/** The package that contains OpenCode's program. */
export const OPENCODE_PACKAGE: PlatformPackage = { name: "opencode-{platform}-{arch}", file: "bin/opencode" };

/** The first release whose API, settings and hooks Atomic supports. */
export const OLDEST_OPENCODE_VERSION = "1.18.0";

/** OpenCode 2 has another API, another background service and other plugins under the same command name. */
export const FIRST_FOREIGN_OPENCODE_VERSION = "2.0.0";
