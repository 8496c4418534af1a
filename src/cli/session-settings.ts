import { realpathSync } from "node:fs";
import { basename, relative, sep } from "node:path";
import type { PermissionPolicy, SessionConfig } from "../contracts/index.ts";
import { createQuestionPrompt } from "./ask-agent-question.ts";
import { createPermissionPrompt } from "./ask-permission.ts";
import { promptStreams } from "./ask-question.ts";
import type { CliEnvironment } from "./environment.ts";
import { createOneAtATime } from "./one-at-a-time.ts";
import { createProjectPermissions } from "./permission-memory.ts";
import type { RunReporter } from "./progress/run-reporter.ts";

/** What the sessions of a call depend on. */
export interface SessionSettings {
  readonly environment: CliEnvironment;
  readonly atomicHome: string;
  readonly projectDirectory: string;
  /** Where agents work. */
  readonly workingDirectory: string;
  readonly permissions: PermissionPolicy;
  /** Whether a program reads the output; then nobody is asked. */
  readonly isJson: boolean;
  readonly reporter: Pick<RunReporter, "pause">;
  /** Called when the person presses Ctrl+C instead of answering. */
  readonly onCancel: () => void;
}

/** How agents' sessions ask: by the policy, then by what was allowed for good, then the person, if one is there. */
export function createSessionConfig(settings: SessionSettings): SessionConfig {
  const { environment, isJson, reporter, onCancel } = settings;
  const base = { permissions: protectAtomicHome(settings), permissionMemory: createProjectPermissions(settings) };
  if (!environment.isInteractive || isJson) return base;
  const prompt = { streams: promptStreams(environment), reporter, onCancel, oneAtATime: createOneAtATime() };
  return { ...base, onPermissionAsk: createPermissionPrompt(prompt), onQuestion: createQuestionPrompt(prompt) };
}

/**
 * The built-in list protects `.atomic`; a home of another name (`ATOMIC_HOME`) holds the same: who is trusted, what was
 * allowed for good, the settings. Patterns are compared with paths from the working directory, or without the first slash.
 */
function protectAtomicHome({
  permissions,
  atomicHome,
  workingDirectory,
}: Pick<SessionSettings, "permissions" | "atomicHome" | "workingDirectory">): PermissionPolicy {
  const homes = [...new Set([atomicHome, realPath(atomicHome)])].filter((home) => basename(home) !== ".atomic");
  if (homes.length === 0) return permissions;
  const own = homes.flatMap((home) => {
    const inside = relative(workingDirectory, home).split(sep).join("/");
    const absolute = home.split(sep).join("/").replace(/^\//, "");
    return (inside === "" || inside.startsWith("../") ? [absolute] : [inside, absolute]).map(literally);
  });
  return { ...permissions, protectedPaths: [...(permissions.protectedPaths ?? []), ...own] };
}

/** A folder may be reached by a link: an agent knows it by either name. */
function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** A glob that matches a name whose characters could be read as wildcards. */
function literally(name: string): string {
  return name.replace(/[*?{},]/g, "?");
}
