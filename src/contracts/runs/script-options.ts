/** The levels of `effort` of a workflow script's `agent()`. */
export const SCRIPT_EFFORTS = ["none", "low", "medium", "high", "xhigh", "max"] as const;

/**
 * The options of a workflow script's functions, by function. The engine rejects others in a run, and discovery before one.
 * Those of `agent` are Claude Code's, from its documentation; `shell` and `ask` are Atomic's own.
 */
export const SCRIPT_OPTIONS = {
  agent: ["label", "phase", "schema", "model", "effort", "isolation", "agentType"],
  shell: ["label", "workingDirectory", "timeoutMs"],
  ask: ["header", "options"],
} as const satisfies Readonly<Record<string, readonly string[]>>;
