import type { PlatformPackage } from "../process/find-program.ts";

/** The package that brings OpenCode's program along. */
export const OPENCODE_PACKAGE: PlatformPackage = { name: "opencode-{platform}-{arch}", file: "bin/opencode" };

/** The first of the releases whose interface, settings and hooks Atomic was written for. */
export const OLDEST_OPENCODE_VERSION = "1.18.0";
