/**
 * What a tool call does, whatever the vendor calls the tool. `edit` covers every change of a file, `shell` every
 * command, `fetch` every network read, `mcp` a tool of an MCP server or one that Atomic offers, `other` what none of
 * these describes.
 */
export type ToolKind = "read" | "edit" | "shell" | "fetch" | "mcp" | "agent" | "other";

/** What a policy says about a call: let it run, refuse it, or ask a person. */
export type PermissionEffect = "allow" | "deny" | "ask";

/** One rule of a {@link PermissionPolicy}. Absent conditions match everything; all present ones must match. */
export interface PermissionRule {
  readonly effect: PermissionEffect;
  /** Kinds of call the rule is about. */
  readonly tools?: readonly ToolKind[];
  /** Globs of files, relative to the working directory; a call matches when every path it names matches one of them. */
  readonly paths?: readonly string[];
  /**
   * Globs of whole command lines, for example `npm test *`. They are compared with texts: `rm *` forbids `sudo rm x`, and
   * not `/bin/rm x`.
   */
  readonly commands?: readonly string[];
}

/**
 * Decides about tool calls. The strictest matching rule wins: `deny` before `ask` before `allow`; where no rule
 * matches, `otherwise` holds, except that clients then let an agent read inside the working directory what by its name
 * holds no secrets (`.env` does).
 */
export interface PermissionPolicy {
  readonly rules: readonly PermissionRule[];
  /** The effect where no rule matches. @default "ask" */
  readonly otherwise?: PermissionEffect;
  /** Globs of further files whose changes require approval like those of the built-in list. @default none */
  readonly protectedPaths?: readonly string[];
}

/** What a search may read below the folders that its request names. */
export interface PermissionSearch {
  /** Whether it tells the names of files and nothing of what is in them. @default false */
  readonly listsNames?: boolean;
  /** The only files that are searched: a glob as the tool takes it. @default every file, hidden and ignored ones too */
  readonly include?: string;
  /**
   * Whether the client can keep single files out of the search, as {@link PermissionDecision} then asks it to.
   * @default false
   */
  readonly canExclude?: boolean;
}

/**
 * What a call is given, as a person has to see it before they allow it; no policy looks at it. A command line is the
 * request's `command`.
 */
export type PermissionDetails =
  /** Texts that are replaced in files, in this order. */
  | { readonly type: "edit"; readonly changes: readonly TextChange[] }
  /** A file's whole new content. */
  | { readonly type: "write"; readonly path: string; readonly text: string }
  /** A patch in the words of the tool, file names included. */
  | { readonly type: "patch"; readonly text: string }
  | { readonly type: "fetch"; readonly address: string }
  /** The whole input of any other tool. */
  | { readonly type: "input"; readonly input: unknown };

/** One text that is replaced in a file by another one. */
export interface TextChange {
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
  /** Whether all such texts in the file are replaced. @default false */
  readonly isEverywhere?: boolean;
}

/** A tool call an agent wants to make, as a policy and a person see it. */
export interface PermissionRequest {
  /** The vendor's identifier of this request. */
  readonly id: string;
  readonly sessionId: string;
  readonly kind: ToolKind;
  /** The vendor's own name of the tool. */
  readonly toolName: string;
  /** One line for a person: what would happen. */
  readonly title: string;
  /** Files the call names; empty when it names none. A search names the folders that it starts in. */
  readonly paths: readonly string[];
  /**
   * Folders from which git takes hooks or settings and in which files of an `edit` lie, whatever they are called, as
   * Atomic found them on the disk. @default none
   */
  readonly gitFolders?: readonly string[];
  /** Set when the call reads or lists files below `paths` that it does not name. */
  readonly search?: PermissionSearch;
  /** The command line of a `shell` call. */
  readonly command?: string;
  /** What a person has to see besides. @default the title says it all */
  readonly details?: PermissionDetails;
  /** The step of the workflow whose agent makes the call. */
  readonly step?: string;
  /**
   * What makes a call without command and files the same as another one, where the title does not hold all of it: as a
   * rule a hash of its whole input. @default the title
   */
  readonly key?: string;
  /** Whether it can be allowed only this once, because its effect depends on more than what would be remembered. @default false */
  readonly isOnce?: boolean;
}

/** The answer to a {@link PermissionRequest}. */
export type PermissionDecision =
  | {
      readonly type: "allow";
      /** How long it holds: for this call, this session, or always in this project. @default "once" */
      readonly scope?: "once" | "session" | "project";
      /**
       * File names that the client must keep out of the search, as globs of base names such as `.env`. Only set for a
       * request whose search says `canExclude`.
       */
      readonly exclude?: readonly string[];
    }
  | { readonly type: "deny" /** Told to the agent, so that it can do something else. */; readonly reason: string };

/** Asks a person. Must settle; a rejection counts as a denial. */
export type PermissionHandler = (
  request: PermissionRequest,
  options: { readonly signal: AbortSignal },
) => Promise<PermissionDecision>;

/** Remembers what a person allowed for good, in one project. */
export interface PermissionMemory {
  /** Whether the very same call was allowed: the same kind, tool, and command, files or `key`. */
  isAllowed(request: PermissionRequest): Promise<boolean>;
  allow(request: PermissionRequest): Promise<void>;
}

/** A call that was refused, listed in the result of the turn and of the run. */
export interface DeniedPermission {
  readonly toolName: string;
  readonly kind: ToolKind;
  readonly title: string;
  readonly reason: string;
  /** The narrowest rule that would have allowed it, as `--allow` takes it; absent where no single rule would. */
  readonly allowedBy?: string;
  /** Whether a person would have decided, and nobody could be asked. @default false */
  readonly isUnasked?: boolean;
}
