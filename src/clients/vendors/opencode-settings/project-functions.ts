/**
 * The part of the plugin, which runs inside OpenCode, that handles an untrusted project.
 *
 * 1. `instructionsOf` finds a project's instructions as OpenCode would, except those that are links to other files.
 * 2. `blockProject` keeps OpenCode from loading as a program any file of the project, and any package that only the
 *    project's settings name. OpenCode reads `plugin` in a project's settings, and the files in `.opencode/plugin`, at each
 *    first message, despite `OPENCODE_DISABLE_PROJECT_CONFIG` (found in 1.18.33).
 */
export const PROJECT_FUNCTIONS = String.raw`import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, isAbsolute, sep } from "node:path";
const isWithin = (folder, file) => {
  const way = relative(folder, file);
  return way !== ".." && !way.startsWith(".." + sep) && !isAbsolute(way);
};
const names = ["AGENTS.md", "CLAUDE.md", "CONTEXT.md"];
const instructionsOf = (directory, worktree) => {
  const top = worktree !== "/" && isWithin(worktree, directory) ? worktree : directory;
  const isPlain = (file) => {
    if (!existsSync(file) || !statSync(file).isFile()) return false;
    const real = realpathSync(file);
    return names.includes(basename(real)) && isWithin(realpathSync(top), real);
  };
  for (const name of names) {
    const found = foldersUpTo(directory, top).map((folder) => join(folder, name)).filter(isPlain);
    if (found.length > 0) return found;
  }
  return [];
};
const foldersUpTo = (directory, top) => {
  const folders = [];
  for (let folder = directory; ; folder = dirname(folder)) {
    folders.push(folder);
    if (folder === top || folder === dirname(folder)) return folders;
  }
};
const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
const blockedRoots = new Set();
const blockModules = (roots, allowed) => {
  const fresh = roots.filter((root) => !blockedRoots.has(root));
  if (fresh.length === 0) return;
  for (const root of fresh) blockedRoots.add(root);
  const not = allowed.map((folder) => "(?!" + escaped(folder) + "[\\/])").join("");
  const filter = new RegExp("^" + not + "(?:" + fresh.map(escaped).join("|") + ")[\\/]");
  Bun.plugin({
    name: "atomic",
    setup: (build) => build.onLoad({ filter }, ({ path }) => {
      throw new Error("Atomic does not let " + path + " run: its project is not trusted.");
    }),
  });
};
const blockProject = ({ directory, worktree, config }) => {
  const { HOME = "", XDG_CONFIG_HOME = join(HOME, ".config"), XDG_CACHE_HOME = join(HOME, ".cache"), OPENCODE_CONFIG_DIR } = process.env;
  const packages = join(XDG_CACHE_HOME, "opencode", "packages");
  const allowed = [join(XDG_CONFIG_HOME, "opencode"), join(HOME, ".opencode"), join(XDG_CACHE_HOME, "opencode"), OPENCODE_CONFIG_DIR];
  const top = worktree !== "/" && isWithin(worktree, directory) ? worktree : directory;
  const roots = [directory, top, realpathSync(directory), realpathSync(top), "/proc"];
  blockModules([...new Set(roots)].filter((root) => root !== "/"), allowed.filter((folder) => folder !== undefined && isAbsolute(folder)));
  const named = foldersUpTo(directory, top).flatMap((folder) => [folder, join(folder, ".opencode")]).flatMap((folder) =>
    ["opencode.json", "opencode.jsonc"].flatMap((name) => {
      const file = join(folder, name);
      const isOurs = allowed.some((own) => own !== undefined && isWithin(own, file));
      if (isOurs || !existsSync(file)) return [];
      return (readFileSync(file, "utf8").match(/"(?:[^"\\]|\\.)+"/g) ?? []).flatMap((text) => {
        try {
          return [JSON.parse(text)];
        } catch {
          return [];
        }
      });
    }),
  );
  const own = new Set([
    ...(config.plugin ?? []).map((plugin) => (Array.isArray(plugin) ? plugin[0] : plugin)),
    ...Object.values(config.provider ?? {}).map((provider) => provider?.npm),
  ]);
  blockModules(named.filter((name) => !own.has(name) && !name.startsWith("@ai-sdk/")).map((name) => join(packages, name)).filter((folder) => isWithin(packages, folder) && folder !== packages), []);
};
`;
