import type { PlatformPackage } from "../../process/find-program.ts";

/** The package that brings OpenCode's program along. */
export const OPENCODE_PACKAGE: PlatformPackage = { name: "opencode-{platform}-{arch}", file: "bin/opencode" };

/** The first of the releases whose interface, settings and hooks Atomic was written for. */
export const OLDEST_OPENCODE_VERSION = "1.18.0";

/** OpenCode 2 has other addresses, another service in the background, and other plugins under the same command name. */
export const FIRST_FOREIGN_OPENCODE_VERSION = "2.0.0";
