import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { foldersOnPath, isWithin } from "../../system/index.ts";
import type { ClientOptions } from "../options/client-options.ts";
import type { AgentPlaces } from "./agent-places.ts";
import { realPath } from "./check-sandbox.ts";
import { findIncludedFiles } from "./git-includes.ts";
import { findHookFolders, type Guards } from "./git-places.ts";
import { guardNestedRepositories } from "./nested-repositories.ts";
import { findProjectPlaces, type ProjectPlaces } from "./project-places.ts";
import { readableAround } from "./readable-around.ts";
import type { ResolvedSandbox } from "./resolve-sandbox.ts";
import { type SandboxPlan, SYSTEM_SECRETS, USER_SECRETS } from "./sandbox-settings.ts";

/** What an agent's process needs of its sandbox. */
export interface SandboxNeeds {
  readonly agentType: string;
  /** The name under which its places are known; for an agent over ACP, its preset's. @default `agentType` */
  readonly kind?: string | undefined;
  readonly program: string;
  /** The agent's complete environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  /** Atomic's files that the agent reads. @default none */
  readonly readable?: readonly string[] | undefined;
  /** Atomic's files that the agent reads and removes. @default none */
  readonly writable?: readonly string[] | undefined;
  /** Atomic's ports on 127.0.0.1 that the agent calls. @default none */
  readonly ports?: readonly number[] | undefined;
  /** Whether Atomic connects to a port of the agent. @default false */
  readonly isCalled?: boolean | undefined;
}

/** The input of a plan. */
export interface PlanParts {
  readonly needs: SandboxNeeds;
  readonly resolved: ResolvedSandbox;
  readonly places: AgentPlaces;
  readonly project: SandboxProject;
  /** Hosts beyond this machine. */
  readonly hosts: readonly string[];
  /** The sandbox's own folders: the readable ones, and the writable one. */
  readonly ownReadable: readonly string[];
  readonly ownWritable: string;
}

/** The project and all writable folders, with what is guarded in them. */
export interface SandboxProject extends ProjectPlaces, Guards {
  readonly writeRoots: readonly string[];
  readonly isWritable: boolean;
}

/** Examines the project and the other writable folders. @throws SandboxInvalidError */
export async function findSandboxProject(
  { env }: ClientOptions,
  { needs, resolved }: Pick<PlanParts, "needs" | "resolved">,
): Promise<SandboxProject> {
  const workingDirectory = realPath(needs.workingDirectory);
  const named = resolved.writeRoots ?? [workingDirectory];
  const writeRoots = named.map(realPath);
  const project = findProjectPlaces(workingDirectory, env.HOME);
  const others = writeRoots
    .filter((root) => root !== workingDirectory)
    .map((root) => findProjectPlaces(root, env.HOME));
  const isWritable = writeRoots.some((root) => isWithin(workingDirectory, root));
  const nested = await guardNestedRepositories(writeRoots, { known: isWritable ? project.gitFolders : [] });
  const all = [project, ...others];
  const repositories = [...all.map(({ root }) => root), ...nested.workTrees];
  const roots = [...new Set(repositories.filter((root) => root !== undefined))];
  const hooks: Guards[] = [];
  for (const root of roots) {
    hooks.push(await findHookFolders(root, { env, writeRoots }), await findIncludedFiles(root, { env, writeRoots }));
  }
  const guards = [...all, ...hooks, nested];
  const guarded = guards.flatMap((guard) => guard.guarded);
  const written = [...writeRoots, ...(isWritable ? project.gitFolders : [])];
  return {
    ...project,
    // A mount of its own: a git folder cannot be replaced by another one.
    writeRoots: [...named, ...nested.gitFolders.filter((folder) => !guarded.some((file) => isWithin(folder, file)))],
    isWritable,
    guarded,
    placeholders: guards
      .flatMap(({ placeholders }) => placeholders)
      .filter((placeholder) => written.some((root) => isWithin(placeholder.path, root))),
  };
}

/** What the process may reach. Creates the folders that its agent writes to. */
export function planSandbox(options: ClientOptions, parts: PlanParts): SandboxPlan {
  const { needs, resolved, places, project, hosts } = parts;
  const { program, env, readable = [], writable: given = [] } = needs;
  prepareAgent(places);
  const data = existing([...places.folders, ...places.files]);
  const writable = existing([
    ...project.writeRoots,
    ...(project.isWritable ? project.gitFolders : []),
    ...data,
    ...given,
    parts.ownWritable,
  ]);
  const userFolders = [options.env.HOME, env.HOME].filter((home) => home !== undefined);
  const homes = existing(places.homes);
  const readRoots = existing([
    ...project.readable,
    ...project.gitFolders,
    ...programPlaces(program, env),
    ...places.readable,
    ...homes,
    ...readable,
    ...resolved.readRoots,
    ...parts.ownReadable,
  ]);
  const denyRead = existing([
    ...SYSTEM_SECRETS,
    ...userFolders.flatMap((home) => USER_SECRETS.map((name) => path.join(home, name))),
    ...resolved.denyRead,
  ]);
  const hidden = existing(places.hidden);
  const leftOut = [...denyRead, ...hidden, ...existing(places.copied)];
  // If the agent's home is in the project, all of it would be writable.
  const inHomes = readableAround(homes, { writable: data, hidden: [], opened: homes });
  return {
    readRoots: readableAround(readRoots, { writable, hidden: leftOut, opened: homes }),
    writeRoots: writable,
    denyRead,
    denyWrite: existing([...project.guarded, ...places.guarded, ...inHomes]),
    emptied: hidden.filter((file) => statSync(file).isDirectory()).map(realPath),
    copied: places.copied.filter(
      (file) => existsSync(file) && !writable.some((root) => isWithin(realPath(file), root)),
    ),
    hosts,
  };
}

/** Creates what is missing: in the sandbox it could not be created, or in a place where it must not be. */
function prepareAgent({ folders, hidden, guarded, laidReady = {} }: AgentPlaces): void {
  const inData = [...hidden, ...guarded].filter((file) => folders.some((folder) => isWithin(file, folder)));
  for (const folder of [...folders, ...inData]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [file, text] of Object.entries(laidReady)) {
    mkdirSync(path.dirname(file), { recursive: true });
    if (!existsSync(file)) writeFileSync(file, text);
  }
}

/** A program's folder and what it probably needs: the packages around it, and the programs on its PATH. */
function programPlaces(program: string, env: Readonly<Record<string, string>>): readonly string[] {
  const home = env.HOME;
  const files = [program, realPath(program)];
  const own = files.map((file) => {
    const modules = file.indexOf("/node_modules/");
    return modules === -1 ? path.dirname(file) : file.slice(0, modules + "/node_modules".length);
  });
  const onPath = foldersOnPath(env).flatMap((folder) => [folder, path.join(folder, "..", "lib", "node_modules")]);
  return [...own, ...onPath, ...files].filter((place) => place !== "/" && place !== home);
}

/** Adds real paths, because the sandbox shows a link's target only under the link's name. */
function existing(files: readonly string[]): readonly string[] {
  return [...new Set(files.filter((file) => existsSync(file)).flatMap((file) => [file, realPath(file)]))];
}
