import type { ConfigValues } from "./config-schema.ts";
import type { ConfigProblem } from "./describe-config-issue.ts";

/** The settings that decide which program an agent is. */
const PROGRAM_SETTINGS = ["command", "preset", "args"] as const;

/** The settings of a project's file that only the user may have, and why. Pure. */
export function findUsersOwn(user: ConfigValues, project: ConfigValues): readonly ConfigProblem[] {
  return [
    ...findUngated(user, project),
    ...findMachineLimit(project),
    ...findNotifications(project),
    ...findStatusLine(project),
  ];
}

function problem(path: readonly string[], why: string): ConfigProblem {
  return { path, text: `${path.join(".")}: ${why}` };
}

/** No project may decide which agent runs without the gate, not even a trusted one. */
function findUngated(
  { agents: user = {} }: ConfigValues,
  { agents: project = {} }: ConfigValues,
): readonly ConfigProblem[] {
  return Object.entries(project).flatMap(([name, settings = {}]) => {
    if ("ungated" in settings) return [problem(["agents", name, "ungated"], "only your own settings may set this")];
    const own = Object.hasOwn(user, name) ? user[name] : undefined;
    if (own === undefined || !("ungated" in own) || own.ungated !== true) return [];
    return PROGRAM_SETTINGS.filter((key) => key in settings).map((key) =>
      problem(["agents", name, key], "your own settings let this agent run ungated, so only they may set this"),
    );
  });
}

/** All projects share the machine. */
function findMachineLimit({ limits }: ConfigValues): readonly ConfigProblem[] {
  if (limits?.maxAgentsOnMachine === undefined) return [];
  const why = "it applies to all projects, so only your own settings may set this";
  return [problem(["limits", "maxAgentsOnMachine"], why)];
}

/** A project must not make Atomic send anything, nor start a program on the desktop. */
function findNotifications({ notifications = {} }: ConfigValues): readonly ConfigProblem[] {
  const why = "it decides what Atomic sends to whom, so only your own settings may set this";
  return Object.keys(notifications).map((key) => problem(["notifications", key], why));
}

/** A project must not start a program whenever the chat is open. */
function findStatusLine({ ui }: ConfigValues): readonly ConfigProblem[] {
  if (ui?.statusLine === undefined) return [];
  return [problem(["ui", "statusLine"], "it starts a program, so only your own settings may set this")];
}
