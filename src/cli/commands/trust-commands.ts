import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { AtomicError, type DiscoveryProblem, nearestName } from "../../contracts/index.ts";
import type { TrustedProject } from "../../discovery/index.ts";
import { formatTable, visibleLine } from "../../view/index.ts";
import { knownAgents } from "../agents/agent-types.ts";
import type { Config } from "../config/config.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { formatProblem } from "../loading/workflow-errors.ts";
import { formatJson } from "../output/format-json.ts";
import { quoteWord } from "../output/quote-word.ts";
import { ProjectTrust } from "../trust/project-trust.ts";
import { Workspace } from "../workspace.ts";
import type { ShowFlags } from "./runs-commands.ts";

/** The list of trusted projects cannot be used, so no project is trusted. */
export class TrustListBrokenError extends AtomicError {
  constructor(readonly problem: DiscoveryProblem) {
    super("TRUST_LIST_BROKEN", formatProblem(problem));
  }
}

/** `atomic trust`: whether this project is trusted, since when, and its files that trust applies to. */
export async function showTrustCommand(environment: CliEnvironment, flags: ShowFlags): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const { projectDirectory } = workspace;
  const isTrusted = await workspace.trust.isTrusted(projectDirectory);
  const trustedAt = await findTrustedAt(workspace);
  const files = await findFiles(environment, workspace);
  const name = visibleLine(projectDirectory);
  const heading =
    trustedAt === undefined ? `${name} is not trusted.` : `${name} is trusted, since ${trustedAt.slice(0, 10)}.`;
  const remedy = isTrusted
    ? "Withdraw the trust with: atomic trust revoke"
    : "Look at what it brings along, then trust it with: atomic trust add";
  const text = [heading, ...listFiles(files, isTrusted), remedy].join("\n");
  const json = { project: projectDirectory, isTrusted, ...(trustedAt === undefined ? {} : { trustedAt }), files };
  environment.stdout.write(`${flags.json ? formatJson(json) : text}\n`);
  return ExitCode.done;
}

/** `atomic trust list`: all trusted projects. @throws TrustListBrokenError */
export async function listTrustCommand(environment: CliEnvironment, flags: ShowFlags): Promise<ExitCode> {
  const projects = await loadList(new Workspace(environment));
  const rows = projects.map(({ path, trustedAt }) => [trustedAt.slice(0, 10), visibleLine(path)]);
  const json = projects.map(({ path, trustedAt }) => ({ path, trustedAt }));
  const text = rows.length === 0 ? "You trust no project yet." : formatTable(["SINCE", "PROJECT"], rows);
  environment.stdout.write(`${flags.json ? formatJson(json) : text}\n`);
  return ExitCode.done;
}

/** `atomic trust add [FOLDER]`: trusts a project from now on. @throws UsageError */
export async function addTrustCommand(
  environment: CliEnvironment,
  folder: string | undefined,
  flags: ShowFlags,
): Promise<ExitCode> {
  const workspace = await workspaceAt(environment, folder);
  const { projectDirectory, workingDirectory } = workspace;
  const trust = new ProjectTrust({ environment, workspace, projectDirectory, workingDirectory, isJson: true });
  const wasTrusted = (await findTrustedAt(workspace)) !== undefined && (await trust.isTrusted());
  // The root first, because this also replaces a broken list.
  await workspace.trust.trust(projectDirectory);
  await trust.trust();
  const files = await findFiles(environment, workspace);
  const was = wasTrusted ? "was trusted already" : "is trusted from now on, for Atomic and all agents";
  const text = [`${visibleLine(projectDirectory)} ${was}.`, ...listFiles(files, true)].join("\n");
  environment.stdout.write(`${flags.json ? formatJson({ project: projectDirectory, wasTrusted, files }) : text}\n`);
  return ExitCode.done;
}

/** `atomic trust revoke [FOLDER]`: revokes the trust in a project. @throws UsageError, TrustListBrokenError */
export async function revokeTrustCommand(
  environment: CliEnvironment,
  folder: string | undefined,
  flags: ShowFlags,
): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const projects = await loadList(workspace);
  const project = folder === undefined ? workspace.projectDirectory : resolve(environment.workingDirectory, folder);
  if (!(await workspace.trust.revoke(project))) {
    const nearest = nearestName(
      project,
      projects.map(({ path }) => path),
    );
    const hint = nearest === undefined ? "" : ` Did you mean "${visibleLine(nearest)}"?`;
    throw new UsageError(
      `There is no trust to withdraw: "${visibleLine(project)}" is not trusted.${hint} List the projects you trust with: atomic trust list`,
    );
  }
  const text = `${visibleLine(project)} is no longer trusted. Runs that are in progress are not stopped.`;
  environment.stdout.write(`${flags.json ? formatJson({ project, isTrusted: false }) : text}\n`);
  return ExitCode.done;
}

/** @throws TrustListBrokenError */
async function loadList({ trust }: Workspace): Promise<readonly TrustedProject[]> {
  const { projects, problems } = await trust.load();
  const [problem] = problems;
  if (problem !== undefined) throw new TrustListBrokenError(problem);
  return projects;
}

async function findTrustedAt({ trust, projectDirectory }: Workspace): Promise<string | undefined> {
  const project = await realpath(projectDirectory);
  return (await trust.load()).projects.find(({ path }) => path === project)?.trustedAt;
}

/** The names of all files that trust applies to, for agents that start in the project's root or here. */
async function findFiles(environment: CliEnvironment, workspace: Workspace): Promise<readonly string[]> {
  const { projectDirectory, workingDirectory } = workspace;
  // Commands that use the settings report their errors.
  const config = await workspace.loadConfig(projectDirectory).catch((): Config => ({}));
  const found = [projectDirectory, workingDirectory].map((folder) =>
    new ProjectTrust({
      ...{ environment, workspace, projectDirectory, isJson: true },
      workingDirectory: folder,
    }).findSettings(knownAgents(config), config),
  );
  return [...new Set((await Promise.all(found)).flat())];
}

function listFiles(files: readonly string[], isTrusted: boolean): readonly string[] {
  if (files.length === 0) return [`It brings along nothing that ${isTrusted ? "is loaded" : "would be loaded"}.`];
  const heading = isTrusted ? "Loaded, by Atomic or an agent:" : "Not loaded, because it is not trusted:";
  return [heading, ...files.map((file) => `  ${visibleLine(file)}`)];
}

/** The project in a folder. Only whole projects can be trusted, not folders in them. @throws UsageError */
async function workspaceAt(environment: CliEnvironment, folder: string | undefined): Promise<Workspace> {
  if (folder === undefined) return new Workspace(environment);
  const named = visibleLine(folder);
  const workingDirectory = resolve(environment.workingDirectory, folder);
  const status = await stat(workingDirectory).catch(() => undefined);
  if (status === undefined) throw new UsageError(`There is no folder "${named}" to trust. Check the path.`);
  if (!status.isDirectory()) throw new UsageError(`"${named}" is a file. Trust is given to the folder of a project.`);
  const { projectDirectory } = new Workspace({ ...environment, workingDirectory });
  if (projectDirectory !== workingDirectory) {
    const project = visibleLine(projectDirectory);
    throw new UsageError(
      `"${named}" is a part of the project ${project}, which is trusted as a whole: atomic trust add ${quoteWord(project)}`,
    );
  }
  return new Workspace({ ...environment, workingDirectory });
}
