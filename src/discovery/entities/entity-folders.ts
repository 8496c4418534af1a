import { join } from "node:path";
import type { EntityType, ProviderType } from "./entity.ts";

/** A folder of definitions, and which of its files are some. */
export interface EntityFolder {
  readonly type: EntityType;
  readonly provider: ProviderType;
  readonly path: string;
  /** What the path of a file within the folder ends in, for example `.agent.md` or `/SKILL.md`. The first that fits counts. */
  readonly endings: readonly string[];
  /** What stands between the folders of a name: `git/commit.md` is `git:commit` to Claude Code, `git/commit` to OpenCode. */
  readonly separator: ":" | "/" | undefined;
  /** Whether only files directly in the folder count. @default false */
  readonly isFlat?: boolean;
  /** The only file in the folder that counts, and its name as a definition. @default all files, by their own names */
  readonly only?: { readonly file: string; readonly name?: string };
}

/** The user's places. */
export interface UserFolders {
  readonly homeDirectory: string;
  /** The folder of Atomic. @default `~/.atomic` */
  readonly atomicHome?: string;
  /** Claude Code's folder, from `CLAUDE_CONFIG_DIR`. @default `~/.claude` */
  readonly claudeConfigDirectory?: string;
  /** From `XDG_CONFIG_HOME`. @default `~/.config` */
  readonly xdgConfigDirectory?: string;
}

const MARKDOWN = [".md"];
const SKILL = ["/SKILL.md"];

/** To Claude Code, a folder of commands with a SKILL.md is one command. */
const CLAUDE_COMMAND = ["/SKILL.md", "/skill.md", ".md"];

/** The folders of definitions in a project, in their order of precedence. */
export function projectEntityFolders(project: string): readonly EntityFolder[] {
  return [
    ...atomicFolders(join(project, ".atomic")),
    ...claudeFolders(join(project, ".claude")),
    ...openCodeFolders(join(project, ".opencode")),
    skillFolder("opencode", join(project, ".agents", "skills")),
    ...copilotFolders(join(project, ".github")),
  ];
}

/** The user's folders of definitions, in their order of precedence. */
export function userEntityFolders(user: UserFolders): readonly EntityFolder[] {
  const home = user.homeDirectory;
  const { atomicHome = join(home, ".atomic"), claudeConfigDirectory = join(home, ".claude") } = user;
  const { xdgConfigDirectory = join(home, ".config") } = user;
  return [
    ...atomicFolders(atomicHome),
    ...claudeFolders(claudeConfigDirectory),
    ...openCodeFolders(join(xdgConfigDirectory, "opencode")),
    ...openCodeFolders(join(home, ".opencode")),
    skillFolder("opencode", join(home, ".agents", "skills")),
    ...copilotFolders(join(home, ".copilot")),
    ...copilotFolders(join(xdgConfigDirectory, ".copilot")),
    // Definitions that an earlier Atomic kept there.
    ...claudeFolders(join(atomicHome, ".claude")),
    ...openCodeFolders(join(atomicHome, ".opencode")),
    ...copilotFolders(join(atomicHome, ".copilot")),
  ];
}

/** The folders of a plugin of Claude Code. */
export function claudeFolders(root: string): readonly EntityFolder[] {
  return [
    { type: "agent", provider: "claude", path: join(root, "agents"), endings: MARKDOWN, separator: undefined },
    { type: "command", provider: "claude", path: join(root, "commands"), endings: CLAUDE_COMMAND, separator: ":" },
    skillFolder("claude", join(root, "skills")),
  ];
}

function atomicFolders(root: string): readonly EntityFolder[] {
  return [
    { type: "agent", provider: "atomic", path: join(root, "agents"), endings: MARKDOWN, separator: undefined },
    { type: "command", provider: "atomic", path: join(root, "commands"), endings: MARKDOWN, separator: ":" },
    skillFolder("atomic", join(root, "skills")),
  ];
}

/** OpenCode reads each kind from a folder in the singular and in the plural. */
function openCodeFolders(root: string): readonly EntityFolder[] {
  const folder = (type: EntityType, name: string, isFlat = false): EntityFolder => ({
    type,
    provider: "opencode",
    path: join(root, name),
    endings: MARKDOWN,
    separator: "/",
    isFlat,
  });
  return [
    folder("agent", "agent"),
    folder("agent", "agents"),
    folder("agent", "mode", true),
    folder("agent", "modes", true),
    folder("command", "command"),
    folder("command", "commands"),
    skillFolder("opencode", join(root, "skill")),
    skillFolder("opencode", join(root, "skills")),
  ];
}

function copilotFolders(root: string): readonly EntityFolder[] {
  const folder = (type: EntityType, name: string, endings: readonly string[]): EntityFolder => ({
    type,
    provider: "copilot",
    path: join(root, name),
    endings,
    separator: undefined,
  });
  return [
    folder("agent", "agents", [".agent.md", ".md"]),
    folder("agent", "chatmodes", [".chatmode.md"]),
    folder("command", "prompts", [".prompt.md"]),
    skillFolder("copilot", join(root, "skills")),
    folder("instructions", "instructions", [".instructions.md"]),
  ];
}

/** A folder with a folder for each skill. */
export function skillFolder(provider: ProviderType, path: string): EntityFolder {
  return { type: "skill", provider, path, endings: SKILL, separator: undefined };
}
