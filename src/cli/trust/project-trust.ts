import { readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { AtomicError } from "../../contracts/index.ts";
import {
  ALWAYS_LOADED_OWNERS,
  type FoundProjectSetting,
  findProjectSettings,
  PROJECT_SETTINGS,
  type ProjectSettingsOwner,
} from "../../discovery/trust-kit.ts";
import { visibleLine } from "../../view/index.ts";
import type { Config } from "../config/config.ts";
import { type CliEnvironment, isJsonWanted } from "../environment.ts";
import type { ProjectPlace } from "../project-place.ts";
import { ownersFor } from "./settings-owners.ts";
import { findUntrustedFolders } from "./untrusted-folders.ts";

/** How many files a warning names. */
const MAX_NAMED = 5;

/** How many files an error and a question name. */
const MAX_LISTED = 40;

/** An agent would load settings of an untrusted project, and Atomic cannot prevent it. */
export class ProjectSettingsUntrustedError extends AtomicError {
  constructor(
    readonly agentType: string,
    readonly files: readonly string[],
  ) {
    super(
      "PROJECT_UNTRUSTED",
      [
        `The agent "${agentType}" would load settings of this project, and you have not trusted the project yet:`,
        ...files.slice(0, MAX_LISTED).map((file) => `  - ${visibleLine(file)}`),
        "Look at them, then call again with --trust.",
      ].join("\n"),
    );
  }
}

/** Settings of {@link ProjectTrust}. */
export interface ProjectTrustOptions {
  readonly environment: CliEnvironment;
  readonly workspace: Pick<ProjectPlace, "trust">;
  readonly projectDirectory: string;
  /** Where agents work. */
  readonly workingDirectory: string;
  /** Whether a program reads the output. If so, nothing asks a person. */
  readonly isJson: boolean;
  /** Whether the warning is a line of the chat, where no option can be added to the call. @default false */
  readonly isChat?: boolean;
}

/**
 * Whether one call of Atomic may load a project's settings. Asks the person at most once per call, about everything that
 * would be loaded. If there is no person, it warns once about each file that was not loaded.
 */
export class ProjectTrust {
  readonly #options: ProjectTrustOptions;
  #wasAsked = false;
  readonly #reported = new Set<string>();

  constructor(options: ProjectTrustOptions) {
    this.#options = options;
  }

  /** The current state: a run may be resumed long after it started. */
  async isTrusted(): Promise<boolean> {
    return (await findUntrustedFolders(this.#options)).length === 0;
  }

  /** Stores the user's trust in the project and in its folders that need their own. */
  async trust(): Promise<void> {
    await this.#trust(await findUntrustedFolders(this.#options));
  }

  /** The same for an option of the call. Trust stays, whatever comes of the call, so a person sees what is new. */
  async trustByOption(): Promise<void> {
    const { environment } = this.#options;
    const folders = await findUntrustedFolders(this.#options);
    await this.#trust(folders);
    if (isJsonWanted(environment)) return;
    for (const folder of folders) environment.stderr.write(`Trusted ${visibleLine(folder)}.\n`);
  }

  async #trust(folders: readonly string[]): Promise<void> {
    for (const folder of folders) await this.#options.workspace.trust.trust(folder);
  }

  /** Asks about the files that the agent, or Atomic for it, would load. Does nothing without files or a person. */
  async askFor(agentType: string, config: Config, others: readonly ProjectSettingsOwner[] = []): Promise<void> {
    if (!this.#canAsk() || (await this.isTrusted())) return;
    if ((await this.#findLeftOut(agentType, config, others)).length === 0) return;
    // A yes applies to all agents, so the question names the files of all of them.
    const all = await this.#find(PROJECT_SETTINGS.map(({ owner }) => owner));
    await this.#ask([...new Set((await Promise.all(all.map(listFiles))).flat())]);
  }

  /** Asks about files that the call requires. If the person was asked before, the answer was no. */
  async confirm(files: readonly string[]): Promise<boolean> {
    if (!this.#canAsk()) return false;
    const all = await this.#find(PROJECT_SETTINGS.map(({ owner }) => owner));
    return await this.#ask([...new Set([...files, ...(await Promise.all(all.map(listFiles))).flat()])]);
  }

  /** The names of all files that these agents or Atomic would load. */
  async findSettings(agentTypes: readonly string[], config: Config): Promise<readonly string[]> {
    const owners = agentTypes.flatMap((agentType) => ownersFor(agentType, config));
    const found = await this.#find(["atomic", "workflows", "tools", "hooks", ...owners]);
    return [...new Set(found.map(({ name }) => name))];
  }

  /**
   * The warning when an agent starts in an untrusted project; undefined if no file is left out or all were reported before.
   * @throws ProjectSettingsUntrustedError for an agent that cannot be kept from loading them
   */
  async describeLeftOut(
    agentType: string,
    config: Config,
    others: readonly ProjectSettingsOwner[] = [],
  ): Promise<string | undefined> {
    if (await this.isTrusted()) return undefined;
    const found = await this.#findLeftOut(agentType, config, others);
    const loaded = found.filter(({ owner }) => ALWAYS_LOADED_OWNERS.has(owner));
    if (loaded.length > 0) {
      throw new ProjectSettingsUntrustedError(
        agentType,
        loaded.map(({ name }) => name),
      );
    }
    const names = [...new Set(found.map(({ name }) => name))].filter((name) => !this.#reported.has(name));
    for (const name of names) this.#reported.add(name);
    if (names.length === 0 || this.#wasAsked) return undefined;
    return formatLeftOut(names, { isChat: this.#options.isChat ?? false });
  }

  #canAsk(): boolean {
    const { environment, isJson, projectDirectory } = this.#options;
    // The root of the file system cannot be trusted.
    const isRoot = dirname(projectDirectory) === projectDirectory;
    return environment.isInteractive && !isJson && !this.#wasAsked && !isRoot;
  }

  async #ask(files: readonly string[]): Promise<boolean> {
    this.#wasAsked = true;
    // The person did not approve files that appeared while the question was open.
    const folders = await findUntrustedFolders(this.#options);
    // Loaded here because most calls need no answer.
    const { askTrust } = await import("../prompts/ask-question.ts");
    const isTrusted = await askTrust(this.#options.environment, folders.join(" and "), files);
    if (isTrusted) await this.#trust(folders);
    return isTrusted;
  }

  /** Atomic itself loads the files of the root, which may be trusted while a folder in it is not. */
  async #findLeftOut(
    agentType: string,
    config: Config,
    others: readonly ProjectSettingsOwner[],
  ): Promise<readonly FoundProjectSetting[]> {
    const { workspace, projectDirectory } = this.#options;
    const isRootTrusted = await workspace.trust.isTrusted(projectDirectory);
    return await this.#find([...(isRootTrusted ? [] : others), ...ownersFor(agentType, config)]);
  }

  async #find(owners: readonly ProjectSettingsOwner[]): Promise<readonly FoundProjectSetting[]> {
    const { environment, workingDirectory, projectDirectory } = this.#options;
    return await findProjectSettings({
      workingDirectory,
      projectDirectory,
      userHomeDirectory: environment.userHomeDirectory,
      owners: new Set(owners),
    });
  }
}

/** Lists files of workflows and tools one by one, because people run them by name. */
async function listFiles({ owner, path, name }: FoundProjectSetting): Promise<readonly string[]> {
  if (owner !== "workflows" && owner !== "tools") return [name];
  const files = await readdir(path).catch(() => []);
  return files.length === 0 ? [name] : files.sort().map((file) => `${name}/${file}`);
}

/** One line: `Not loaded, because this project is not trusted: a, b (2 more).`, and how to trust it. */
export function formatLeftOut(
  names: readonly string[],
  { isChat = false }: Pick<ProjectTrustOptions, "isChat"> = {},
): string {
  const more = names.length > MAX_NAMED ? ` (${names.length - MAX_NAMED} more)` : "";
  const named = names.slice(0, MAX_NAMED).map(visibleLine).join(", ");
  const remedy = isChat
    ? "You can work without them. To use them: leave the chat, look at them with `atomic trust`, enter `atomic trust add`, and continue with `atomic chat -c`."
    : "Trust it with --trust.";
  return `Not loaded, because this project is not trusted: ${named}${more}. ${remedy}`;
}
