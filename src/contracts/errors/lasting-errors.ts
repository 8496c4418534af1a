/**
 * Codes of errors that every attempt and every task would hit until somebody changes the agent, the settings or the
 * machine. `MAX_TURNS_REACHED` and `BUDGET_SPENT` are not among them: one task exceeded its limit, and another may stay
 * within it.
 */
export const LASTING_ERROR_CODES: ReadonlySet<string> = new Set([
  "AGENT_CONFIG_INVALID",
  "AGENT_TOO_NEW",
  "AGENT_TOO_OLD",
  "AGENT_UNGATED",
  "AGENT_UNKNOWN",
  "CAPABILITY_MISSING",
  "CLAUDE_ENDPOINT_PROTOCOL",
  "CLIENT_NOT_INSTALLED",
  "CONFIG_INVALID",
  "COST_UNKNOWN",
  "ENDPOINT_UNREACHABLE",
  "GIT_SETTINGS_UNKNOWN",
  "NAME_UNKNOWN",
  "NOT_SIGNED_IN",
  "PERMISSION_GATE_MISSING",
  "PERMISSIONS_INVALID",
  "PROJECT_UNTRUSTED",
  "PROMPT_ARGUMENT_PLACE",
  "PROMPT_COMMAND_DENIED",
  "PROMPT_COMMAND_TOO_LONG",
  "PROMPT_INPUT_MISSING",
  "SANDBOX_INVALID",
  "SANDBOX_UNAVAILABLE",
  "SERVER_NOT_JOINED",
  "SERVICE_MISSING",
  "SESSION_AGENT_MISMATCH",
  "SESSION_CONFIG_INVALID",
  "USAGE",
]);
