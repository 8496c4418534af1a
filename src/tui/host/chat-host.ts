import type { CodingAgentClient, SessionConfig } from "../../contracts/index.ts";
import type { ChatSettings } from "./chat-settings.ts";
import type { HostCommand } from "./host-command.ts";
import type { HostConnection } from "./host-connection.ts";
import type { RunsPort } from "./runs-port.ts";

/** A file or folder of the project, relative to the working directory; folders end in `/`. */
export type ProjectPath = string;

/** A command line of the user. */
export interface ShellRun {
  readonly signal: AbortSignal;
  readonly onOutput: (text: string) => void;
}

/** What the chat stores of a conversation, besides what the vendor stores. */
export interface StoredConversation {
  readonly sessionId: string;
  readonly agentType: string;
  /** The user's own name of it. */
  readonly name?: string;
  /** The start of the first message. */
  readonly preview?: string;
  readonly updatedAt: number;
}

/** The part of the program that the UI needs. Everything optional is missing where a program embeds the chat. */
export interface ChatHost {
  readonly workingDirectory: string;
  /** The agent that the chat starts with. */
  readonly agentType: string;
  /** The agents that the user can change to. */
  readonly agentTypes: readonly string[];
  /** @throws ClientNotInstalledError, NotSignedInError */
  openClient(agentType: string): Promise<CodingAgentClient>;
  /** The settings of new sessions. The UI adds `onPermissionAsk` and `onQuestion`. */
  sessionConfigFor(agentType: string): SessionConfig;
  /** Continues this conversation at the start. */
  readonly resumeSessionId?: string;
  readonly settings: ChatSettings;
  /** Options of this conversation that allow calls, such as `--yolo`. The title line shows them. @default none */
  readonly allowingOptions?: readonly string[];
  /** Called once, before everything else but the properties: how the program reaches the person. */
  readonly connect?: (connection: HostConnection) => void;
  /** Stores a setting of the user, such as `ui.theme`. */
  readonly saveSetting?: (name: string, value: string) => Promise<void>;
  /**
   * Workflows, skills, commands and agents as slash commands. Called again after the files changed. What can be used before
   * all of them are loaded is passed to `onPart`.
   */
  readonly loadCommands?: (
    signal: AbortSignal,
    onPart?: (commands: readonly HostCommand[]) => void,
  ) => Promise<readonly HostCommand[]>;
  /** All files that git does not ignore. */
  readonly listFiles?: (signal: AbortSignal) => Promise<readonly ProjectPath[]>;
  /** The content of a file of the project. Undefined when there is none. */
  readonly readFile?: (path: string) => Promise<string | undefined>;
  /** Runs a command of the user and returns its exit code. Rejects where the policy denies it. */
  readonly runShell?: (command: string, run: ShellRun) => Promise<number>;
  /** Opens the user's editor with a text and returns the changed one. The UI has left the terminal meanwhile. */
  readonly editText?: (text: string) => Promise<string>;
  /** The messages that the user sent before, oldest first. */
  readonly history?: {
    readonly load: () => Promise<readonly string[]>;
    readonly append: (message: string) => Promise<void>;
  };
  readonly conversations?: {
    readonly list: () => Promise<readonly StoredConversation[]>;
    readonly save: (conversation: StoredConversation) => Promise<void>;
    /** Stores the messages of a conversation, as JSON. */
    readonly saveEntries?: (sessionId: string, json: string) => Promise<void>;
    /** Undefined when none are stored. */
    readonly loadEntries?: (sessionId: string) => Promise<string | undefined>;
  };
  /** Writes a file of the user's, without replacing one. Returns its absolute path. */
  readonly writeExport?: (name: string, text: string) => Promise<string>;
  /** An image of the clipboard, in base64. Undefined when it has none. */
  readonly readClipboardImage?: () => Promise<{ readonly mediaType: string; readonly data: string } | undefined>;
  /** The image in a file, in base64. Undefined when the path leads to none. */
  readonly readImageFile?: (path: string) => Promise<{ readonly mediaType: string; readonly data: string } | undefined>;
  /** The git branch and the number of changed files. Undefined outside of a repository. */
  readonly readBranch?: () => Promise<{ readonly name: string; readonly changedFiles: number } | undefined>;
  /** The line of the user's own status command. */
  readonly statusLine?: (facts: Readonly<Record<string, string | number>>) => Promise<string>;
  /** Texts of `/doctor`, `/permissions` and `/tools`, and of `/init`, which also writes files. */
  readonly describe?: (topic: "doctor" | "init" | "permissions" | "tools") => Promise<string>;
  readonly runs?: RunsPort;
}
