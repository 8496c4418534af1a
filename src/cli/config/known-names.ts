import { nearestName } from "../../contracts/index.ts";
import { knownAgents } from "../agents/agent-types.ts";
import type { Config } from "./config.ts";
import type { ConfigNote } from "./config-file.ts";

/** The themes that always exist. */
export const BUILT_IN_THEMES = ["auto", "dark", "light"] as const;

/** Names in settings that nothing has. */
export interface UnknownNames {
  /** Mistakes. */
  readonly problems: readonly ConfigNote[];
  /** Names that may exist elsewhere, such as a theme that only some projects have. */
  readonly warnings: readonly ConfigNote[];
}

/** The names of agents and themes in one file that neither Atomic nor the settings in effect know. Pure. */
export function findUnknownNames({ agent, ui }: Config, inEffect: Config): UnknownNames {
  const problems: ConfigNote[] = [];
  const warnings: ConfigNote[] = [];
  if (agent !== undefined) problems.push(...unknownAgent(agent, inEffect));
  const theme = ui?.theme;
  const themes = themeNames(inEffect);
  if (theme !== undefined && !themes.includes(theme)) {
    const nearest = nearestName(theme, themes);
    const hint = nearest === undefined ? " Define it in ui.themes." : ` Did you mean "${nearest}"?`;
    const text = `ui.theme: there is no theme ${JSON.stringify(theme)} here.${hint} Possible: ${themes.join(", ")}.`;
    (nearest === undefined ? warnings : problems).push({ path: ["ui", "theme"], text });
  }
  return { problems, warnings };
}

/** The themes that always exist, and those of the settings. */
function themeNames({ ui }: Config): readonly string[] {
  const own = (ui?.themes ?? []).flatMap(({ name }) => (typeof name === "string" ? [name] : []));
  return [...new Set([...BUILT_IN_THEMES, ...own])];
}

function unknownAgent(agent: string, inEffect: Config): readonly ConfigNote[] {
  const known = knownAgents(inEffect);
  if (known.includes(agent)) return [];
  const nearest = nearestName(agent.trim(), known);
  const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  const other = 'Describe any other that speaks ACP below "agents" first.';
  const text = `agent: there is no agent ${JSON.stringify(agent)}.${hint} Known agents: ${known.join(", ")}. ${other}`;
  return [{ path: ["agent"], text }];
}
