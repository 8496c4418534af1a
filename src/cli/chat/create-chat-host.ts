import { homedir } from "node:os";
import type { SessionConfig } from "../../contracts/index.ts";
import type { ChatHost, RunsPort, Theme } from "../../tui/index.ts";
import { agentEnvironment } from "../agents/agent-environment.ts";
import { knownAgents } from "../agents/agent-types.ts";
import { loadForConversation, permissionsForConversation } from "../agents/load-for-conversation.ts";
import { modelFor } from "../config/config.ts";
import { conversationSettingsOf } from "../config/conversation-flags.ts";
import { resolveSandboxSetting } from "../config/resolve-sandbox-setting.ts";
import type { CliEnvironment } from "../environment.ts";
import { ProjectPlace } from "../project-place.ts";
import { type CallTelemetry, NO_TELEMETRY } from "../telemetry/open-telemetry.ts";
import { ProjectTrust } from "../trust/project-trust.ts";
import type { ChatFlags } from "./chat-flags.ts";
import { chatSettingsOf } from "./chat-settings-of.ts";
import { readClipboardImage } from "./clipboard-image.ts";
import type { StartRun } from "./commands/workflow-commands.ts";
import { describeUnknownTheme } from "./describe-unknown-theme.ts";
import { editText } from "./edit-text.ts";
import { type ContinuedConversation, findConversation } from "./find-conversation.ts";
import { LateConnection } from "./late-connection.ts";
import { LateServices } from "./late-services.ts";
import type { ConversationContext } from "./open-chat-services.ts";
import { runStatusCommand } from "./status-command.ts";
import { writeExport } from "./write-export.ts";

/** What the host is made with. */
export interface ChatHostOptions {
  readonly environment: CliEnvironment;
  readonly flags: ChatFlags;
  /** Checks a theme of the settings. @throws when it cannot be used */
  readonly parseTheme: (theme: unknown) => Promise<Theme>;
  readonly startRun: StartRun;
  /** @default nothing is tracked */
  readonly telemetry?: CallTelemetry;
  /** @default the chat shows no runs */
  readonly runs?: RunsPort;
  /** Resolves when the first frame is on the screen: what takes a while to load is loaded then. @default at once */
  readonly drawn?: Promise<void>;
  /** As in `WorkflowListOptions`. */
  readonly graceMs?: number;
}

/** The program as the chat sees it. */
export interface OpenedChatHost {
  readonly host: ChatHost;
  /** Shows a line in the conversation, once. */
  readonly tell: (line: string) => void;
  /** Ends the agents. */
  stop(): Promise<void>;
}

/** What the screen shows first. */
interface FirstScreen extends ConversationContext {
  readonly continued: ContinuedConversation | undefined;
  /** Those of the settings. */
  readonly themes: readonly Theme[];
}

/**
 * Loads the settings, and what decides whether the chat opens at all. Asks for trust in the project, as every call of an
 * agent does. Agents, commands and what the chat stores are loaded after the first frame; calls wait for it.
 *
 * @throws ConfigInvalidError, UnknownAgentError, UsageError, SandboxInvalidError, and what `parseTheme` throws
 */
export async function createChatHost(options: ChatHostOptions): Promise<OpenedChatHost> {
  const screen = await loadFirstScreen(options);
  const { connection } = screen;
  const { runs, drawn = Promise.resolve() } = options;
  const services = new LateServices(screen, drawn);
  const host: ChatHost = {
    ...describeConversation(screen, services),
    ...services.ofHost,
    ...machineServices(screen),
    ...(runs === undefined ? {} : { runs }),
    connect: (ui) => connection.connect(ui),
  };
  return { host, tell: connection.tell, stop: () => services.stop() };
}

async function loadFirstScreen(options: ChatHostOptions): Promise<FirstScreen> {
  const { environment, flags, parseTheme, startRun, graceMs, telemetry = NO_TELEMETRY } = options;
  const place = new ProjectPlace(environment);
  const { projectDirectory, workingDirectory } = place;
  const trust = new ProjectTrust({
    ...{ environment, workspace: place, projectDirectory, workingDirectory, isJson: false, isChat: true },
  });
  const continued = await findContinued(place, flags);
  const wanted = flags.agent ?? continued?.agentType;
  const { config, agent } = await loadForConversation(place, trust, {
    ...flags,
    ...(wanted === undefined ? {} : { agent: wanted }),
  });
  const connection = new LateConnection();
  if (flags.continue && continued === undefined) {
    connection.tell("This project has no conversation to continue: this is a new one.", "info");
  }
  const { tell } = connection;
  const themes = await Promise.all((config.ui?.themes ?? []).map(parseTheme));
  const themeProblem = describeUnknownTheme(config.ui?.theme, themes);
  if (themeProblem !== undefined) tell(themeProblem, "warning");
  return {
    ...{ environment, flags, place, trust, connection, config, agent, continued, startRun, telemetry },
    permissions: permissionsForConversation({ place, config, flags, tell }),
    isSandboxed: resolveSandboxSetting({ config, flags, environment }) !== undefined,
    themes,
    env: agentEnvironment({ kind: "shell", env: environment.env }),
    ...(graceMs === undefined ? {} : { graceMs }),
  };
}

async function findContinued(place: ProjectPlace, flags: ChatFlags): Promise<ContinuedConversation | undefined> {
  if (flags.session === undefined && flags.continue !== true) return undefined;
  const { createStoredConversations } = await import("./stored-conversations.ts");
  return findConversation(flags, await createStoredConversations(place).list());
}

function describeConversation(
  { place, environment, flags, config, agent, permissions, continued, themes }: FirstScreen,
  { permissionMemory }: LateServices,
): Pick<
  ChatHost,
  | "workingDirectory"
  | "agentType"
  | "agentTypes"
  | "sessionConfigFor"
  | "resumeSessionId"
  | "settings"
  | "allowingOptions"
> {
  // Before the UI: the options of a call are checked at once.
  const own = conversationSettingsOf(flags, undefined);
  return {
    workingDirectory: place.workingDirectory,
    agentType: agent,
    // The scripted agent is for tests and demonstrations.
    agentTypes: knownAgents(config).filter((name) => name !== "scripted" || agent === "scripted"),
    sessionConfigFor(agentType): SessionConfig {
      // A model has the spelling of one agent.
      const model = (agentType === agent ? flags.model : undefined) ?? modelFor(config, agentType);
      return { ...(model === undefined ? {} : { model }), permissions, permissionMemory, ...own };
    },
    ...(continued === undefined ? {} : { resumeSessionId: continued.sessionId }),
    allowingOptions: [
      ...(flags.yolo === true ? ["--yolo"] : []),
      ...((flags.allow ?? []).length > 0 ? ["--allow"] : []),
    ],
    settings: chatSettingsOf(config.ui ?? {}, { flags, env: environment.env, themes }),
  };
}

function machineServices({
  place,
  config,
  env,
}: FirstScreen): Pick<
  ChatHost,
  "editText" | "readClipboardImage" | "readImageFile" | "readFile" | "statusLine" | "writeExport"
> {
  const { workingDirectory, redactor } = place;
  const command = config.ui?.statusLine?.command;
  return {
    editText: (text) => editText(text, { env, workingDirectory }),
    readFile: async (path) => (await import("./read-project-file.ts")).readProjectFile(path, { workingDirectory }),
    readImageFile: async (path) => (await import("./read-image-file.ts")).readImageFile(path, { workingDirectory }),
    readClipboardImage: () => readClipboardImage(env),
    writeExport: (name, text) =>
      writeExport(name, redactor.text(text), { workingDirectory, homeDirectory: env.HOME ?? homedir() }),
    ...(command === undefined
      ? {}
      : { statusLine: (facts) => runStatusCommand(command, facts, { workingDirectory, env, redactor }) }),
  };
}
