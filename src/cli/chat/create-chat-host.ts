import type { PermissionPolicy, SessionConfig } from "../../contracts/index.ts";
import type { ChatHost, RunsPort, Theme } from "../../tui/index.ts";
import { agentEnvironment } from "../agents/agent-environment.ts";
import { knownAgents } from "../agents/agent-types.ts";
import type { Agents } from "../agents/agents.ts";
import { createGitReader } from "../agents/create-git-reader.ts";
import { loadForConversation, openAgents, permissionsForConversation } from "../agents/open-agents.ts";
import { createProjectPermissions, type ProjectPermissions } from "../agents/permission-memory.ts";
import { type Config, modelFor, settingsOf } from "../config/config.ts";
import { conversationSettingsOf } from "../config/conversation-flags.ts";
import { resolveSandboxSetting } from "../config/resolve-sandbox-setting.ts";
import type { CliEnvironment } from "../environment.ts";
import { ProjectTrust } from "../trust/project-trust.ts";
import { Workspace } from "../workspace.ts";
import type { ChatFlags } from "./chat-flags.ts";
import { chatSettingsOf } from "./chat-settings-of.ts";
import { readClipboardImage } from "./clipboard-image.ts";
import { loadHostCommands } from "./commands/load-host-commands.ts";
import { type DefinitionWatch, watchDefinitions } from "./commands/watch-definitions.ts";
import type { StartRun } from "./commands/workflow-commands.ts";
import { WorkflowList } from "./commands/workflow-list.ts";
import { describeTopic } from "./describe-topic.ts";
import { describeUnknownTheme } from "./describe-unknown-theme.ts";
import { editText } from "./edit-text.ts";
import { type ContinuedConversation, findConversation } from "./find-conversation.ts";
import { readBranch } from "./git-branch.ts";
import { LateConnection } from "./late-connection.ts";
import { createMessageHistory } from "./message-history.ts";
import { createProjectFiles } from "./project-files.ts";
import { rememberApprovals } from "./remember-approvals.ts";
import { runUserCommand } from "./run-user-command.ts";
import { saveSetting } from "./save-setting.ts";
import { runStatusCommand } from "./status-command.ts";
import { createStoredConversations, type StoredConversations } from "./stored-conversations.ts";
import { createStoredEntries } from "./stored-entries.ts";
import { writeExport } from "./write-export.ts";

/** What the host is made with. */
export interface ChatHostOptions {
  readonly environment: CliEnvironment;
  readonly flags: ChatFlags;
  /** Checks a theme of the settings. @throws when it cannot be used */
  readonly parseTheme: (theme: unknown) => Promise<Theme>;
  readonly startRun: StartRun;
  /** @default the chat shows no runs */
  readonly runs?: RunsPort;
  /** As in {@link WorkflowListOptions}. */
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

/** What all parts of a host use. */
interface HostContext extends ChatHostOptions {
  readonly workspace: Workspace;
  readonly connection: LateConnection;
  readonly config: Config;
  /** The agent that the chat starts with. */
  readonly agent: string;
  readonly agents: Agents;
  readonly permissions: PermissionPolicy;
  readonly permissionMemory: ProjectPermissions;
  readonly conversations: StoredConversations;
  readonly continued: ContinuedConversation | undefined;
  /** Those of the settings. */
  readonly themes: readonly Theme[];
  /** The environment of the user's own commands. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Loads the settings and opens what the chat needs. Asks for trust in the project, as every call of an agent does.
 *
 * @throws ConfigInvalidError, UnknownAgentError, UsageError, and what `parseTheme` throws
 */
export async function createChatHost(options: ChatHostOptions): Promise<OpenedChatHost> {
  const context = await createContext(options);
  const { environment, workspace, connection, agents } = context;
  let watch: DefinitionWatch | undefined;
  const onChange = (): void => connection.reloadCommands();
  const { loadCommands, ...services } = commandServices(context);
  const host: ChatHost = {
    ...describeConversation(context),
    ...services,
    async loadCommands(signal) {
      // Then no change between the two is lost.
      await watch?.begun;
      return await loadCommands(signal);
    },
    ...storageServices(context),
    ...machineServices(context),
    connect(ui) {
      connection.connect(ui);
      watch = watchDefinitions({ environment, workspace, onChange });
    },
  };
  return {
    host,
    tell: connection.tell,
    async stop() {
      watch?.stop();
      await agents.stop();
    },
  };
}

async function createContext(options: ChatHostOptions): Promise<HostContext> {
  const { environment, flags, parseTheme } = options;
  const workspace = new Workspace(environment);
  const { projectDirectory, workingDirectory, atomicHome } = workspace;
  const trust = new ProjectTrust({ environment, workspace, projectDirectory, workingDirectory, isJson: false });
  const conversations = createStoredConversations(workspace);
  const continued = findConversation(flags, await conversations.list());
  const wanted = flags.agent ?? continued?.agentType;
  const { config, agent } = await loadForConversation(workspace, trust, {
    ...flags,
    ...(wanted === undefined ? {} : { agent: wanted }),
  });
  const connection = new LateConnection();
  if (flags.continue && continued === undefined) {
    connection.tell("This project has no conversation to continue: this is a new one.", "info");
  }
  const { tell } = connection;
  const permissions = permissionsForConversation({ workspace, config, flags, tell });
  const themes = await Promise.all((config.ui?.themes ?? []).map(parseTheme));
  const themeProblem = describeUnknownTheme(config.ui?.theme, themes);
  if (themeProblem !== undefined) tell(themeProblem, "warning");
  return {
    ...options,
    ...{ workspace, connection, config, agent, permissions, conversations, continued },
    permissionMemory: createProjectPermissions({ atomicHome, projectDirectory }),
    agents: openAgents({ environment, workspace, trust, flags, config, agent, tell }),
    themes,
    env: agentEnvironment({ kind: "shell", env: environment.env }),
  };
}

function describeConversation({
  workspace,
  environment,
  flags,
  config,
  agent,
  agents,
  permissions,
  permissionMemory,
  continued,
  themes,
}: HostContext): Pick<
  ChatHost,
  "workingDirectory" | "agentType" | "agentTypes" | "openClient" | "sessionConfigFor" | "resumeSessionId" | "settings"
> {
  // Before the UI: the options of a call are checked at once.
  const own = conversationSettingsOf(flags, undefined);
  return {
    workingDirectory: workspace.workingDirectory,
    agentType: agent,
    // The scripted agent is for tests and demonstrations.
    agentTypes: knownAgents(config).filter((name) => name !== "scripted" || agent === "scripted"),
    openClient: async (agentType) => await agents.provider(agentType),
    sessionConfigFor(agentType): SessionConfig {
      // A model has the spelling of one agent.
      const model = (agentType === agent ? flags.model : undefined) ?? modelFor(config, agentType);
      return { ...(model === undefined ? {} : { model }), permissions, permissionMemory, ...own };
    },
    ...(continued === undefined ? {} : { resumeSessionId: continued.sessionId }),
    settings: chatSettingsOf(config.ui ?? {}, { flags, env: environment.env, themes }),
  };
}

function commandServices(
  context: HostContext,
): Pick<ChatHost, "runShell" | "runs"> & Required<Pick<ChatHost, "loadCommands">> {
  const { environment, workspace, connection, config, flags, permissions, permissionMemory } = context;
  const { workingDirectory, projectDirectory, redactor } = workspace;
  const onPermissionAsk = rememberApprovals(connection.ask, permissionMemory);
  const isSandboxed = resolveSandboxSetting({ config, flags, environment }) !== undefined;
  const onWarn = (line: string): void => connection.tell(line);
  const place = { workingDirectory, projectDirectory, permissions, onPermissionAsk, isSandboxed, onWarn };
  const hasUserSettings = (agentType: string): boolean => settingsOf(config, agentType)?.userSettings !== false;
  const { startRun, runs, env, graceMs } = context;
  const workflows = new WorkflowList({
    ...{ workspace, tell: onWarn, onLate: () => connection.reloadCommands() },
    ...(graceMs === undefined ? {} : { graceMs }),
  });
  const sources = { environment, workspace, place, hasUserSettings, startRun, workflows, tell: onWarn };
  return {
    loadCommands: (signal) => loadHostCommands(sources, signal),
    runShell: (command, run) => runUserCommand(command, run, { workingDirectory, env, permissions, redactor }),
    ...(runs === undefined ? {} : { runs }),
  };
}

function storageServices({
  workspace,
  conversations,
}: HostContext): Pick<ChatHost, "history" | "conversations" | "saveSetting" | "writeExport"> {
  const { redactor, workingDirectory } = workspace;
  const history = createMessageHistory(workspace);
  const entries = createStoredEntries(workspace);
  return {
    history,
    conversations: {
      list: conversations.list,
      save: conversations.save,
      saveEntries: entries.save,
      loadEntries: entries.load,
    },
    saveSetting: (name, value) => saveSetting(name, value, workspace),
    writeExport: (name, text) => writeExport(name, redactor.text(text), { workingDirectory }),
  };
}

function machineServices({
  environment,
  flags,
  workspace,
  config,
  env,
}: HostContext): Pick<
  ChatHost,
  "listFiles" | "editText" | "readClipboardImage" | "readBranch" | "statusLine" | "describe"
> {
  const { workingDirectory, projectDirectory, redactor } = workspace;
  const git = createGitReader({ environment, projectDirectory });
  const command = config.ui?.statusLine?.command;
  return {
    listFiles: createProjectFiles({ workingDirectory, git }),
    editText: (text) => editText(text, { env, workingDirectory }),
    readClipboardImage: () => readClipboardImage(env),
    readBranch: () => readBranch(git, workingDirectory),
    describe: (topic) => describeTopic(environment, topic, { flags }),
    ...(command === undefined
      ? {}
      : { statusLine: (facts) => runStatusCommand(command, facts, { workingDirectory, env, redactor }) }),
  };
}
