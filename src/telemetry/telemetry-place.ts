import { homedir, platform as platformName } from "node:os";
import { isAbsolute, join } from "node:path";

/** What decides where telemetry is kept. */
export interface TelemetryPlace {
  /** The program's environment, such as `process.env`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** @default the home of the user */
  readonly homeDirectory?: string;
  /** As in `process.platform`. @default this system */
  readonly platform?: string;
}

/**
 * The folder of all that telemetry keeps, in the platform's folder for data: `%LOCALAPPDATA%\atomic\telemetry` on Windows,
 * elsewhere `atomic/telemetry` in `XDG_DATA_HOME` or `~/.local/share`.
 */
export function telemetryFolder({ env, homeDirectory = homedir(), platform = platformName() }: TelemetryPlace): string {
  const { LOCALAPPDATA: local = "", XDG_DATA_HOME: xdg = "" } = env;
  if (platform === "win32")
    return join(local === "" ? join(homeDirectory, "AppData", "Local") : local, "atomic", "telemetry");
  // The specification of these folders has relative ones ignored.
  return join(isAbsolute(xdg) ? xdg : join(homeDirectory, ".local", "share"), "atomic", "telemetry");
}
