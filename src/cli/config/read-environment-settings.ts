import type { ConfigValues } from "./config-schema.ts";
import { parseYesOrNo } from "./parse-assignment.ts";
import { UsageError } from "./usage-error.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** The environment variables that set something, and the settings they override. */
export const SETTING_VARIABLES = {
  ATOMIC_AGENT: "agent",
  ATOMIC_MODEL: "model",
  ATOMIC_UI_MODE: "ui.mode",
  ATOMIC_UI_THEME: "ui.theme",
  ATOMIC_UI_REDUCED_MOTION: "ui.reducedMotion",
} as const;

const MODES = ["full", "inline", "plain"] as const;

/** The settings in environment variables; an empty variable counts as not set. @throws UsageError for a wrong value */
export function readEnvironmentSettings(
  env: Variables,
): Pick<ConfigValues, "agent" | "model" | "ui"> & { readonly agentPath?: string } {
  const agent = env.ATOMIC_AGENT || undefined;
  const model = env.ATOMIC_MODEL || undefined;
  const ui = readUi(env);
  return {
    ...(agent && { agent, agentPath: "the variable ATOMIC_AGENT" }),
    ...(model && { model }),
    ...(Object.keys(ui).length > 0 && { ui }),
  };
}

function readUi(env: Variables): NonNullable<ConfigValues["ui"]> {
  const mode = env.ATOMIC_UI_MODE || undefined;
  const theme = env.ATOMIC_UI_THEME || undefined;
  const motion = env.ATOMIC_UI_REDUCED_MOTION || undefined;
  const known = MODES.find((one) => one === mode);
  if (mode !== undefined && known === undefined) throw wrong("ATOMIC_UI_MODE", mode, MODES.join(", "));
  const reducedMotion =
    motion === undefined ? undefined : motion === "1" || motion === "0" ? motion === "1" : parseYesOrNo(motion);
  if (motion !== undefined && reducedMotion === undefined)
    throw wrong("ATOMIC_UI_REDUCED_MOTION", motion, "1, 0, true, false");
  return {
    ...(known && { mode: known }),
    ...(theme && { theme }),
    ...(reducedMotion !== undefined && { reducedMotion }),
  };
}

function wrong(name: string, value: string, possible: string): UsageError {
  return new UsageError(
    `The variable ${name} is "${value}", which is not possible. Possible: ${possible}. Or unset it.`,
  );
}
