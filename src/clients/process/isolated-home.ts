import path from "node:path";

/** The settings folder below a home folder. */
export function configHomeOf(homeDirectory: string): string {
  return path.join(homeDirectory, ".config");
}

/** Environment variables that make a program keep all of its user's data below this folder, on any system. Pure. */
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
