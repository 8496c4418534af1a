import type { PermissionPolicy, SessionConfig } from "../../contracts/index.ts";
import type { CliEnvironment } from "../environment.ts";
import type { RunReporter } from "../progress/run-reporter.ts";
import { createQuestionPrompt } from "../prompts/ask-agent-question.ts";
import { createPermissionPrompt } from "../prompts/ask-permission.ts";
import { createOneAtATime } from "../prompts/one-at-a-time.ts";
import { promptStreams } from "../prompts/prompt-streams.ts";
import { createProjectPermissions } from "./permission-memory.ts";

/** What the sessions of a call depend on. */
export interface SessionSettings {
  readonly environment: CliEnvironment;
  readonly atomicHome: string;
  readonly projectDirectory: string;
  /** As `resolvePermissions` makes it, which protects Atomic's own folder. */
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
  const base = { permissions: settings.permissions, permissionMemory: createProjectPermissions(settings) };
  if (!environment.isInteractive || isJson) return base;
  const prompt = { streams: promptStreams(environment), reporter, onCancel, oneAtATime: createOneAtATime() };
  return { ...base, onPermissionAsk: createPermissionPrompt(prompt), onQuestion: createQuestionPrompt(prompt) };
}
