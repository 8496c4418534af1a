import { CONFIG_SCHEMA_FILE } from "../config/create-config-schema.ts";

/** The text of a new settings file of a project, with comments about what can be set. */
export function starterConfig(agent: string | undefined): string {
  const line = agent === undefined ? '// "agent": "claude",' : `"agent": ${JSON.stringify(agent)},`;
  return `{
  "$schema": "./${CONFIG_SCHEMA_FILE}",
  // Settings of this project, for everybody who trusts it. All settings: atomic config list --all

  // The agent where a call names none.
  ${line}

  // What agents may do without approval. Those of your own settings apply, too.
  "permissions": {
    "rules": [
      // { "effect": "allow", "tools": ["edit"], "paths": ["src/**"] },
      // { "effect": "allow", "tools": ["shell"], "commands": ["npm test", "npm test *"] },
    ],
  },
}
`;
}
