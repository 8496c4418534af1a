import type { CommandCategory, CommandDefinition } from "./command.ts";

/** The groups of `/help`, in their order. */
export const COMMAND_GROUPS: readonly { readonly category: CommandCategory; readonly label: string }[] = [
  { category: "builtin", label: "Slash Commands" },
  { category: "workflow", label: "Workflows" },
  { category: "skill", label: "Skills" },
  { category: "agent", label: "Sub-Agents" },
];

/** The commands by group, as text. Hidden ones are left out. */
export function formatCommandHelp(commands: readonly CommandDefinition[]): string {
  return COMMAND_GROUPS.flatMap(({ category, label }) => {
    const group = commands
      .filter((command) => command.category === category && command.hidden !== true)
      .toSorted((one, other) => one.name.localeCompare(other.name));
    return group.length === 0 ? [] : [[`${label}:`, ...group.map(formatCommand)].join("\n")];
  }).join("\n\n");
}

function formatCommand({ name, argumentHint, description, aliases = [] }: CommandDefinition): string {
  const call = argumentHint === undefined ? `/${name}` : `/${name} ${argumentHint}`;
  const also = aliases.length === 0 ? "" : ` (also ${aliases.map((alias) => `/${alias}`).join(", ")})`;
  return `  ${call.padEnd(28)}  ${description}${also}`;
}
