import type {
  AgentQuestionHandler,
  PermissionHandler,
  PermissionPolicy,
  SessionConfig,
} from "../../contracts/index.ts";
import type { CliEnvironment } from "../environment.ts";
import type { RunReporter } from "../progress/run-reporter.ts";
import { createQuestionPrompt } from "../prompts/ask-agent-question.ts";
import { createPermissionPrompt } from "../prompts/ask-permission.ts";
import { createOneAtATime } from "../prompts/one-at-a-time.ts";
import { promptStreams } from "../prompts/prompt-streams.ts";
import { createProjectPermissions } from "./permission-memory.ts";

/** Settings of {@link createSessionConfig}. */
export interface SessionSettings {
  readonly environment: CliEnvironment;
  readonly atomicHome: string;
  readonly projectDirectory: string;
  /** From `resolvePermissions`, which protects Atomic's own folder. */
  readonly permissions: PermissionPolicy;
  /** Whether a program reads the output. If so, nothing asks a person. */
  readonly isJson: boolean;
  readonly reporter: Pick<RunReporter, "pause">;
  /** What an approval that lasts longer than one call is for. @default "session" */
  readonly scope?: "run" | "session";
  /** Asks other processes where there is no person. @default calls that require approval are denied */
  readonly askElsewhere?: PermissionHandler | undefined;
  /** Answers the agents' questions where there is no person. @default they are declined */
  readonly answerElsewhere?: AgentQuestionHandler | undefined;
  /** Called when the person presses Ctrl+C instead of answering. */
  readonly onCancel: () => void;
}

/** How a session decides about a call: the policy, then the calls that are always allowed, then the person, if there is one. */
export function createSessionConfig(settings: SessionSettings): SessionConfig {
  const { environment, isJson, reporter, onCancel, scope } = settings;
  const base = { permissions: settings.permissions, permissionMemory: createProjectPermissions(settings) };
  if (!environment.isInteractive || isJson) {
    const { askElsewhere, answerElsewhere } = settings;
    return {
      ...base,
      ...(askElsewhere === undefined ? {} : { onPermissionAsk: askElsewhere }),
      ...(answerElsewhere === undefined ? {} : { onQuestion: answerElsewhere }),
    };
  }
  const prompt = { streams: promptStreams(environment), reporter, onCancel, oneAtATime: createOneAtATime() };
  const permissionPrompt = { ...prompt, ...(scope === undefined ? {} : { scope }) };
  return {
    ...base,
    onPermissionAsk: createPermissionPrompt(permissionPrompt),
    onQuestion: createQuestionPrompt(prompt),
  };
}
