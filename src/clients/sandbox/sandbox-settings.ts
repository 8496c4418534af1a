import type { JsonObject } from "../../contracts/index.ts";
import { isWithin } from "../../system/index.ts";
import type { SandboxPrograms } from "./find-sandbox-programs.ts";

/** What a process may reach, as real paths. */
export interface SandboxPlan {
  readonly readRoots: readonly string[];
  /** They are readable as well. */
  readonly writeRoots: readonly string[];
  readonly denyRead: readonly string[];
  /** Read-only paths in writable folders. */
  readonly denyWrite: readonly string[];
  /** Folders that are empty when the process starts; what is written there is discarded. */
  readonly emptied: readonly string[];
  /** Files that are replaced by a copy for the process. */
  readonly copied: readonly string[];
  /** Hosts beyond this machine. */
  readonly hosts: readonly string[];
}

/** Where the system keeps its programs, their libraries and settings. */
export const SYSTEM_ROOTS: readonly string[] = [
  "/bin",
  "/etc",
  "/gnu",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/nix",
  "/opt",
  "/run/current-system",
  "/sbin",
  "/snap",
  "/usr",
];

/** Secrets of the system, for Atomic running as root. */
export const SYSTEM_SECRETS: readonly string[] = [
  "/etc/gshadow",
  "/etc/gshadow-",
  "/etc/shadow",
  "/etc/shadow-",
  "/etc/ssh",
  "/etc/ssl/private",
  "/etc/sudoers",
  "/etc/sudoers.d",
];

/** Secrets of a user, in whose home folder the project may be. */
export const USER_SECRETS: readonly string[] = [
  ".aws",
  ".azure",
  ".config/gcloud",
  ".config/gh",
  ".docker",
  ".git-credentials",
  ".gnupg",
  ".kube",
  ".local/share/keyrings",
  ".mozilla",
  ".netrc",
  ".npmrc",
  ".password-store",
  ".pypirc",
  ".ssh",
];

/**
 * The settings of `@anthropic-ai/sandbox-runtime`: only the roots can be read, only the writable ones written, only the
 * hosts reached. `helper` starts in place of the package's own one, before the system call filter is active. Pure.
 */
export function buildSandboxSettings(
  { readRoots, writeRoots, denyRead, denyWrite, hosts }: Omit<SandboxPlan, "emptied" | "copied">,
  { programs, helper }: { readonly programs: SandboxPrograms; readonly helper: string },
): JsonObject {
  return {
    network: { allowedDomains: [...new Set(hosts)], deniedDomains: [], strictAllowlist: true },
    filesystem: {
      denyRead: ["/", ...denyRead.map(literal)],
      allowRead: [...new Set([...SYSTEM_ROOTS, ...readRoots, ...writeRoots, programs.packageFolder, helper])].map(
        literal,
      ),
      allowWrite: writeRoots.map(literal),
      denyWrite: denyWrite.filter((file) => writeRoots.some((root) => isWithin(file, root))).map(literal),
    },
    seccomp: { applyPath: helper },
    bwrapPath: programs.bubblewrap,
    socatPath: programs.socat,
    ripgrep: { command: programs.ripgrep },
  };
}

/** A path in which special characters of patterns have no effect. */
function literal(path: string): JsonObject {
  return { path, literal: true };
}
