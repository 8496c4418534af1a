import type { PermissionMemory, PermissionPolicy } from "../../contracts/index.ts";
import type { ChatHost } from "../../tui/index.ts";
import { createGitReader } from "../agents/create-git-reader.ts";
import { openAgents } from "../agents/open-agents.ts";
import { createProjectPermissions } from "../agents/permission-memory.ts";
import { type Config, settingsOf } from "../config/config.ts";
import type { CliEnvironment } from "../environment.ts";
import type { ProjectPlace } from "../project-place.ts";
import type { CallTelemetry } from "../telemetry/open-telemetry.ts";
import type { ProjectTrust } from "../trust/project-trust.ts";
import { Workspace } from "../workspace.ts";
import type { ChatFlags } from "./chat-flags.ts";
import { loadHostCommands } from "./commands/load-host-commands.ts";
import { type DefinitionWatch, watchDefinitions } from "./commands/watch-definitions.ts";
import type { StartRun } from "./commands/workflow-commands.ts";
import { WorkflowList } from "./commands/workflow-list.ts";
import { describeTopic } from "./describe-topic.ts";
import { readBranch } from "./git-branch.ts";
import type { LateConnection } from "./late-connection.ts";
import { createMessageHistory } from "./message-history.ts";
import { createProjectFiles } from "./project-files.ts";
import { rememberApprovals } from "./remember-approvals.ts";
import { runUserCommand } from "./run-user-command.ts";
import { saveSetting } from "./save-setting.ts";
import { createStoredConversations } from "./stored-conversations.ts";
import { createStoredEntries } from "./stored-entries.ts";

/** What is known of a conversation before anything is drawn. */
export interface ConversationContext {
  readonly environment: CliEnvironment;
  readonly flags: ChatFlags;
  readonly place: ProjectPlace;
  readonly trust: ProjectTrust;
  readonly connection: LateConnection;
  readonly config: Config;
  /** The agent that the chat starts with. */
  readonly agent: string;
  readonly permissions: PermissionPolicy;
  readonly isSandboxed: boolean;
  /** The environment of the user's own commands. */
  readonly env: Readonly<Record<string, string>>;
  readonly startRun: StartRun;
  readonly telemetry: CallTelemetry;
  /** As in `WorkflowListOptions`. */
  readonly graceMs?: number;
}

/** The parts of the host that take a while to load: agents, commands, and what the chat stores. */
export interface ChatServices
  extends Required<
    Pick<
      ChatHost,
      | "openClient"
      | "loadCommands"
      | "runShell"
      | "history"
      | "saveSetting"
      | "listFiles"
      | "readBranch"
      | "describe"
      | "conversations"
    >
  > {
  readonly permissionMemory: PermissionMemory;
  /** Ends the agents. */
  stop(): Promise<void>;
}

/** Opens what the chat does besides drawing. Starts no agent yet. */
export function openChatServices(context: ConversationContext): ChatServices {
  const { environment, place, trust, connection, config, agent, flags, telemetry } = context;
  const { tell } = connection;
  const workspace = new Workspace(environment, { place });
  const agents = openAgents({ environment, workspace, trust, flags, config, agent, tell, telemetry });
  const permissionMemory = createProjectPermissions(place);
  const commands = commandServices(context, { workspace, permissionMemory });
  return {
    openClient: async (agentType) => await agents.provider(agentType),
    permissionMemory,
    ...commands,
    ...storageServices(context),
    ...projectServices(context),
    async stop() {
      commands.stop();
      await agents.stop();
    },
  };
}

function commandServices(
  { environment, place, connection, config, permissions, isSandboxed, startRun, env, graceMs }: ConversationContext,
  { workspace, permissionMemory }: { readonly workspace: Workspace; readonly permissionMemory: PermissionMemory },
): Pick<ChatServices, "loadCommands" | "runShell"> & { stop(): void } {
  const { workingDirectory, projectDirectory, redactor } = place;
  const onPermissionAsk = rememberApprovals(connection.ask, permissionMemory);
  const onWarn = (line: string): void => connection.tell(line);
  const onChange = (): void => connection.reloadCommands();
  const expansion = { workingDirectory, projectDirectory, permissions, onPermissionAsk, isSandboxed, onWarn };
  const hasUserSettings = (agentType: string): boolean => settingsOf(config, agentType)?.userSettings !== false;
  const workflows = new WorkflowList({
    ...{ workspace, tell: onWarn },
    ...(graceMs === undefined ? {} : { graceMs }),
  });
  const sources = { environment, workspace, place: expansion, hasUserSettings, startRun, workflows, tell: onWarn };
  let watch: DefinitionWatch | undefined;
  return {
    async loadCommands(signal, onPart) {
      watch ??= watchDefinitions({ environment, workspace, onChange });
      // Then no change between the two is lost.
      await watch.begun;
      return await loadHostCommands(sources, signal, onPart);
    },
    runShell: (command, run) => runUserCommand(command, run, { workingDirectory, env, permissions, redactor }),
    stop: () => watch?.stop(),
  };
}

function storageServices({
  place,
  telemetry,
}: ConversationContext): Pick<ChatServices, "history" | "conversations" | "saveSetting"> {
  const { list, save } = createStoredConversations(place);
  const entries = createStoredEntries(place);
  return {
    history: trackMessages(createMessageHistory(place), telemetry),
    conversations: { list, save, saveEntries: entries.save, loadEntries: entries.load },
    saveSetting: (name, value) => saveSetting(name, value, place),
  };
}

/** Every message that a person submits becomes a part of the history. */
function trackMessages(history: ChatServices["history"], telemetry: CallTelemetry): ChatServices["history"] {
  return {
    load: () => history.load(),
    async append(message) {
      telemetry.track({ eventType: "ui.message.submitted", properties: { messageLength: message.length } });
      await history.append(message);
    },
  };
}

function projectServices({
  environment,
  flags,
  place,
}: ConversationContext): Pick<ChatServices, "listFiles" | "readBranch" | "describe"> {
  const { workingDirectory, projectDirectory } = place;
  const git = createGitReader({ environment, projectDirectory });
  return {
    listFiles: createProjectFiles({ workingDirectory, git }),
    readBranch: () => readBranch(git, workingDirectory),
    describe: (topic) => describeTopic(environment, topic, { flags }),
  };
}
