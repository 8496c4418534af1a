import { parseCommandInput, type WorkflowMetadata } from "../../contracts/index.ts";
import type { EntityRegistry } from "../../discovery/index.ts";
import { RALPH_METADATA } from "../ralph/ralph-metadata.ts";

/** Where hints are found before the built-in ones. */
export interface HintSources {
  /** Commands and skills, whose files have an `argument-hint`. @default none */
  readonly entities?: Pick<EntityRegistry, "getCommand" | "getSkill">;
  /** Workflows, whose files export an `argumentHint`. @default none */
  readonly workflows?: readonly Pick<WorkflowMetadata, "name" | "aliases" | "argumentHint">[];
}

/** What may follow the commands of the program. Empty for a command that takes nothing. */
export const BUILTIN_HINTS: Readonly<Record<string, string>> = {
  run: "<workflow> [prompt] [--input name=value] [--agent name] [--plan]",
  ralph: RALPH_METADATA.argumentHint ?? "",
  review: "[base] [--agents names] [--severity severity] [--format format] [--output file] [--fix]",
  write: "<task> [--name name] [--max-agents count] [--keep]",
  runs: "list | show <run> | resume <run> | answer <run> <answer> | edit <run> --set name=value | retry <run> <step> | skip <run> <step> | pause <run> | cancel <run> [step]",
  workflows: "list | show <name> | graph <name> | verify [name] | new <name>",
  notify: "test",
  doctor: "",
  install: "<claude, opencode, copilot, acp or sandbox> [--force]",
  init: "[--yes] [--agent name]",
  config: "get <key> | set <key> <value> | unset <key> | list [--all] | edit | path | schema",
  completions: "<bash, zsh, fish or powershell>",
  agents: "list [--all] | show <name> | run <name> <message>",
  skills: "list [--all] | show <name> | run <name> [arguments]",
  commands: "list [--all] | show <name> | run <name> [arguments]",
  tools: "list | show <name> | run <name> [--args json]",
  permissions: "why <call> | list | forget [call]",
  hooks: "list [--agent <name>]",
  telemetry: "status | on | off | show",
  trust: "list | add [folder] | revoke [folder]",
  migrate: "feature-list [path]",
  demo: "[--agent name]",
  help: "[command]",
};

/** Other names of the program's commands. */
const ALIASES: Readonly<Record<string, string>> = Object.fromEntries(
  RALPH_METADATA.aliases.map((alias) => [alias, RALPH_METADATA.name]),
);

/**
 * Knows what may follow the name of a command, for a line in which people type.
 *
 * @example
 * const hints = new HintProvider({ entities: await initializeWorkflowsSDK() });
 * hints.hintFor("/commit "); // "[instructions]"
 * hints.hintFor("/commit fix"); // undefined: the person is typing the arguments
 */
export class HintProvider {
  readonly #sources: HintSources;

  constructor(sources: HintSources = {}) {
    this.#sources = sources;
  }

  /**
   * The hint of the command or the skill of this name, else that of the workflow, else the built-in one. Case and a
   * leading slash do not matter. Empty when nothing may follow, `undefined` when nothing is known.
   */
  getCommandHint(commandName: string): string | undefined {
    const name = commandName.trim().replace(/^\//, "");
    const { entities, workflows = [] } = this.#sources;
    const key = name.toLowerCase();
    const workflow = workflows.find((each) =>
      [each.name, ...each.aliases].some((known) => known.toLowerCase() === key),
    );
    const entity = entities?.getCommand(name) ?? entities?.getSkill(name);
    if (entity !== undefined || workflow !== undefined) return entity?.argumentHint ?? workflow?.argumentHint;
    const command = Object.hasOwn(ALIASES, key) ? (ALIASES[key] ?? key) : key;
    return Object.hasOwn(BUILTIN_HINTS, command) ? BUILTIN_HINTS[command] : undefined;
  }

  /** The hint to show after an input: only while the name is all that was typed. */
  hintFor(input: string): string | undefined {
    const { commandName, hasArgs } = parseCommandInput(input);
    return commandName === "" || hasArgs ? undefined : this.getCommandHint(commandName);
  }
}

/** See {@link HintProvider.getCommandHint}. */
export function getCommandHint(commandName: string, sources: HintSources = {}): string | undefined {
  return new HintProvider(sources).getCommandHint(commandName);
}
