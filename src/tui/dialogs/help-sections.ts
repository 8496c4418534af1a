import type { CommandCategory, CommandDefinition } from "../commands/command.ts";
import { KEY_ACTIONS, type KeyActionName, type Keymap } from "../keys/keymap.ts";

/** A group of the help. */
export interface HelpSection {
  readonly title: string;
  /** What to press or to type, and what it does. */
  readonly rows: readonly { readonly name: string; readonly text: string }[];
}

/** The keys by what a person wants to do. The rest of the actions follows in "Other keys". */
const KEY_GROUPS: readonly { readonly title: string; readonly actions: readonly KeyActionName[] }[] = [
  {
    title: "Writing",
    actions: ["send", "newLine", "steer", "complete", "searchHistory", "editQueue", "editor", "attachImage"],
  },
  { title: "Conversation", actions: ["stop", "fold", "transcript", "copy", "pageUp", "pageDown", "follow", "tasks"] },
  { title: "Elsewhere", actions: ["model", "runs", "inbox", "previous", "next", "help", "quit"] },
];

const COMMAND_GROUPS: readonly { readonly title: string; readonly category: CommandCategory }[] = [
  { title: "Slash Commands", category: "builtin" },
  { title: "Workflows", category: "workflow" },
  { title: "Skills", category: "skill" },
  { title: "Sub-Agents", category: "agent" },
];

/** The keys in effect and the visible commands, in groups, the keys first by default. Groups without rows are left out. */
export function helpSections(
  keymap: Keymap,
  commands: readonly CommandDefinition[],
  { first = "keys" }: { readonly first?: "keys" | "commands" } = {},
): readonly HelpSection[] {
  const actions = Object.keys(KEY_ACTIONS) as KeyActionName[]; // the keys of a literal
  const grouped = new Set(KEY_GROUPS.flatMap((group) => group.actions));
  const others = { title: "Other keys", actions: actions.filter((action) => !grouped.has(action)) };
  const keySections = [...KEY_GROUPS, others].map((group) => ({
    title: group.title,
    rows: group.actions.map((action) => ({ name: nameKeys(keymap.keysOf(action)), text: KEY_ACTIONS[action].help })),
  }));
  const commandSections = COMMAND_GROUPS.map(({ title, category }) => ({
    title,
    rows: commands
      .filter((command) => command.category === category && command.hidden !== true)
      .toSorted((one, other) => one.name.localeCompare(other.name))
      .map(({ name, argumentHint = "", description, aliases = [] }) => ({
        name: `/${name} ${argumentHint}`.trim(),
        text: description + (aliases.length === 0 ? "" : ` (also ${aliases.map((alias) => `/${alias}`).join(", ")})`),
      })),
  }));
  const sections = first === "keys" ? [...keySections, ...commandSections] : [...commandSections, ...keySections];
  return sections.filter(({ rows }) => rows.length > 0);
}

function nameKeys(keys: readonly string[]): string {
  return keys.length === 0 ? "(no key)" : keys.map((key) => key.replace("escape", "esc")).join(", ");
}
