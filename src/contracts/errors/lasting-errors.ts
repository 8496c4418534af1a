/**
 * The codes of errors that another attempt would only meet again, and that say nothing about the work: something about the
 * agent, the settings or the machine has to be changed first. `MAX_TURNS_REACHED` and `BUDGET_SPENT` are not among them: they
 * say that this piece of work took more than it may, and another one may take less.
 */
export const LASTING_ERROR_CODES: ReadonlySet<string> = new Set([
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
  "SANDBOX_INVALID",
  "SANDBOX_UNAVAILABLE",
  "SERVER_NOT_JOINED",
  "SERVICE_MISSING",
  "SESSION_AGENT_MISMATCH",
  "SESSION_CONFIG_INVALID",
  "USAGE",
]);
