/**
 * What a tool call does, whatever the vendor's name of the tool. `edit` covers every change of a file, `shell` every
 * command, `fetch` every network read, `mcp` a tool of an MCP server or of Atomic, `other` all other tools.
 */
export type ToolKind = "read" | "edit" | "shell" | "fetch" | "mcp" | "agent" | "other";

/** What a policy does with a call: allow it, deny it, or ask a person. */
export type PermissionEffect = "allow" | "deny" | "ask";

/** One rule of a {@link PermissionPolicy}. Absent conditions match everything; all present ones must match. */
export interface PermissionRule {
  readonly effect: PermissionEffect;
  /** Kinds of call that the rule matches. */
  readonly tools?: readonly ToolKind[];
  /**
   * The tools that the rule spares: it matches all others. Only in rules that deny or require approval. Names are Atomic's or
   * the agent's own (`read`, `Read`), `server/tool`, `server/*` or `mcp__server__tool` for MCP tools, and may have a pattern:
   * `Bash(git:*)` spares the commands of git. `!write` takes a tool off the list. An empty list spares none.
   */
  readonly exceptTools?: readonly string[];
  /** Globs of files, relative to the working directory; a call matches when every path it names matches one of them. */
  readonly paths?: readonly string[];
  /**
   * Globs of whole command lines, for example `npm test *`. They match text: a deny rule `rm *` denies `sudo rm x`, but not
   * `/bin/rm x`.
   */
  readonly commands?: readonly string[];
}

/**
 * Decides about tool calls. The strictest matching rule wins: `deny` before `ask` before `allow`. Where no rule matches,
 * `otherwise` applies, except that clients allow reading files inside the working directory whose names do not suggest
 * secrets (`.env` does).
 */
export interface PermissionPolicy {
  readonly rules: readonly PermissionRule[];
  /** The effect where no rule matches. @default "ask" */
  readonly otherwise?: PermissionEffect;
  /** Globs of further files whose changes require approval like those of the built-in list. @default none */
  readonly protectedPaths?: readonly string[];
}

/** What a search can read below the folders of its request. */
export interface PermissionSearch {
  /** Whether it returns file names only, no content. @default false */
  readonly listsNames?: boolean;
  /** Limits the search to matching files: a glob in the tool's syntax. @default every file, hidden and ignored ones too */
  readonly include?: string;
  /**
   * Whether the client can exclude single files from the search when a {@link PermissionDecision} requires it.
   * @default false
   */
  readonly canExclude?: boolean;
}

/**
 * A call's input, as a person must see it before they allow the call. Policies ignore it. A command line is in the
 * request's `command` instead.
 */
export type PermissionDetails =
  /** Texts that are replaced in files, in this order. */
  | { readonly type: "edit"; readonly changes: readonly TextChange[] }
  /** A file's whole new content. */
  | { readonly type: "write"; readonly path: string; readonly text: string }
  /** A patch in the tool's own format, file names included. */
  | { readonly type: "patch"; readonly text: string }
  | { readonly type: "fetch"; readonly address: string }
  /** The whole input of any other tool. */
  | { readonly type: "input"; readonly input: unknown };

/** One text that is replaced in a file by another one. */
export interface TextChange {
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
  /** Whether all occurrences in the file are replaced. @default false */
  readonly isEverywhere?: boolean;
  /** Where the old text is in the file, as Atomic read it. Only for people: absent when it is not known. */
  readonly place?: TextPlace;
}

/** Where a text is in a file, with the lines around it. */
export interface TextPlace {
  /** The number of the line that `before` starts with, from 1. */
  readonly line: number;
  /** The file's content before the text: whole lines, and the start of the text's first line. */
  readonly before: string;
  /** The file's content after the text. */
  readonly after: string;
}

/** A tool call that an agent wants to make, as a policy and a person see it. */
export interface PermissionRequest {
  /** The vendor's identifier of this request. */
  readonly id: string;
  readonly sessionId: string;
  readonly kind: ToolKind;
  /** The vendor's own name of the tool. */
  readonly toolName: string;
  /** One line for a person: what the call would do. */
  readonly title: string;
  /** Files the call names; empty when it names none. A search names the folders that it starts in. */
  readonly paths: readonly string[];
  /**
   * Folders with git's hooks or settings that contain files of an `edit`, whatever their names, as found on the disk.
   * @default none
   */
  readonly gitFolders?: readonly string[];
  /** Set when the call reads or lists files below `paths` without naming them. */
  readonly search?: PermissionSearch;
  /** Whether an `edit` deletes its files. @default false */
  readonly isDeletion?: boolean;
  /** The command line of a `shell` call. */
  readonly command?: string;
  /** What a person must see in addition to the title. @default nothing */
  readonly details?: PermissionDetails;
  /** The step of the workflow whose agent makes the call. */
  readonly step?: string;
  /** The working directory of the agent's session, where the step has one of its own. */
  readonly workingDirectory?: string;
  /**
   * Identifies equal calls that have no command and no files, when the title is not enough: usually a hash of the whole
   * input. @default the title
   */
  readonly key?: string;
  /** Whether it can only be allowed once, because its effect depends on more than what would be stored. @default false */
  readonly isOnce?: boolean;
}

/** The answer to a {@link PermissionRequest}. */
export type PermissionDecision =
  | {
      readonly type: "allow";
      /** What the permission covers: this call, this session, or always in this project. @default "once" */
      readonly scope?: "once" | "session" | "project";
      /**
       * Files that the client must exclude from the search, as globs of base names such as `.env`. Only set when the
       * request's search has `canExclude`.
       */
      readonly exclude?: readonly string[];
      /** Where a person answered, as the run's log says it: `at the terminal`. */
      readonly answered?: string;
    }
  | {
      readonly type: "deny";
      /** Sent to the agent, so that it can do something else. */
      readonly reason: string;
      /** Where a person answered, as the run's log says it: `at the terminal`. Absent when nobody answered. */
      readonly answered?: string;
    };

/** Asks a person. Must settle; a rejection counts as a denial. */
export type PermissionHandler = (
  request: PermissionRequest,
  options: { readonly signal: AbortSignal },
) => Promise<PermissionDecision>;

/** Stores what a person always allows in one project. */
export interface PermissionMemory {
  /** Whether an equal call was allowed: the same kind, tool, and command, files or `key`. */
  isAllowed(request: PermissionRequest): Promise<boolean>;
  allow(request: PermissionRequest): Promise<void>;
}

/** A denied call, listed in the result of the turn and of the run. */
export interface DeniedPermission {
  readonly toolName: string;
  readonly kind: ToolKind;
  readonly title: string;
  readonly reason: string;
  /** The narrowest rule that would have allowed it, in the syntax of `--allow`. Absent when no single rule would. */
  readonly allowedBy?: string;
  /** Whether the call required approval and nobody could answer. @default false */
  readonly isUnasked?: boolean;
}
