import path from "node:path";

/** The folder of settings below a home folder. */
export function configHomeOf(homeDirectory: string): string {
  return path.join(homeDirectory, ".config");
}

/** What makes a program, whatever the system, keep everything that belongs to its user below this folder. Pure. */
export function isolatedHome(homeDirectory: string): Readonly<Record<string, string>> {
  return {
    HOME: homeDirectory,
    USERPROFILE: homeDirectory,
    XDG_CONFIG_HOME: configHomeOf(homeDirectory),
    XDG_DATA_HOME: path.join(homeDirectory, ".local", "share"),
    XDG_CACHE_HOME: path.join(homeDirectory, ".cache"),
    XDG_STATE_HOME: path.join(homeDirectory, ".local", "state"),
  };
}
