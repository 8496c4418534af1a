import { access, constants, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { findSandboxPrograms } from "../../clients/index.ts";
import { messageOf, SandboxInvalidError, SandboxUnavailableError } from "../../contracts/index.ts";
import { describeLoss } from "../../graph/run-kit.ts";
import { firstExecutable, programsOnPath } from "../../system/index.ts";
import { visibleLine } from "../../view/index.ts";
import { agentEnvironment } from "../agents/agent-environment.ts";
import { assertKnownAgent, knownAgents } from "../agents/agent-types.ts";
import { type AgentCheck as Check, checkAgents } from "../agents/check-agents.ts";
import { runNeutrally } from "../agents/run-neutrally.ts";
import { type Config, ConfigInvalidError } from "../config/config.ts";
import { findUnknownNames } from "../config/known-names.ts";
import { resolveSandboxSetting } from "../config/resolve-sandbox-setting.ts";
import { checkHooks } from "../doctor/check-hooks.ts";
import { checkDisk, checkGitHub, checkTerminal } from "../doctor/check-surroundings.ts";
import { checkTelemetry } from "../doctor/check-telemetry.ts";
import { findLogin, type Login } from "../doctor/find-login.ts";
import { formatChecks } from "../doctor/format-checks.ts";
import { checkDefinitions } from "../entities/check-definitions.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { vendorDirectoryOf } from "../install/install-agent.ts";
import { SANDBOX } from "../install/vendor-packages.ts";
import { checksOf } from "../loading/workflow-errors.ts";
import { listNotificationWays } from "../notifications/notification-ways.ts";
import { formatJson } from "../output/format-json.ts";
import { tableColumns } from "../output/terminal.ts";
import { checkToolFiles } from "../tools/check-tool-files.ts";
import { ProjectTrust } from "../trust/project-trust.ts";
import { withoutProjectPrograms } from "../trust/untrusted-environment.ts";
import { findUntrustedFolders } from "../trust/untrusted-folders.ts";
import { VERSION } from "../version.ts";
import { Workspace } from "../workspace.ts";
import type { ShowFlags } from "./runs-commands.ts";

/** `atomic doctor`: checks everything that Atomic needs. Exit code 1 if something is broken. */
export async function doctorCommand(environment: CliEnvironment, flags: ShowFlags): Promise<ExitCode> {
  // `checkTrust` reports a broken list of trusted projects.
  const workspace = new Workspace(environment, { onTrustProblem: () => undefined, isHomeUnchecked: true });
  const { workingDirectory, atomicHome, projectDirectory } = workspace;
  const config = await workspace.loadConfig(projectDirectory).catch((): Config => ({})); // `checkConfig` reports the error
  const untrusted = await findUntrustedFolders({ environment, workspace, workingDirectory, projectDirectory });
  const isProjectTrusted = untrusted.length === 0;
  const own = isProjectTrusted ? environment : withoutProjectPrograms(environment, workspace);
  const checks = [
    { name: "atomic", status: "ok", detail: VERSION },
    { name: "bun", status: "ok", detail: Bun.version },
    await checkHome(workspace),
    await checkDisk(atomicHome),
    await checkTerminal(environment),
    await checkGit(own),
    await checkGitHub(own),
    { name: "agents", status: "ok", detail: knownAgents(config).join(", ") },
    ...(await checkAgents({
      config,
      workingDirectory,
      projectDirectory,
      atomicHome,
      env: environment.env,
      isProjectTrusted,
    }).then((found) => found.map((check) => withLogin(check, config, environment)))),
    await checkSandbox(own, workspace),
    await checkConfig(environment, workspace),
    ...(await checkUntrustedConfig(workspace)),
    ...(await checkNotifications(environment, config)),
    ...(await checkTrust(workspace)),
    await checkProject(environment, workspace, config),
    ...(await checkHooks({ environment, workspace, config, isProjectTrusted })),
    checkTelemetry(environment),
    ...(await checkRuns(workspace)),
    ...(await checkUserFiles(environment, workspace)),
  ] satisfies readonly Check[];
  const problems = checks.filter(({ status }) => status !== "ok");
  if (flags.json) environment.stdout.write(`${formatJson({ checks, problems })}\n`);
  else environment.stdout.write(`${formatChecks(checks, tableColumns(environment.stdout))}\n`);
  return checks.some(({ status }) => status === "broken") ? ExitCode.failed : ExitCode.done;
}

/** A check of an agent that can start, with what is known of its login. */
function withLogin(
  check: Check,
  config: Config,
  { env, userHomeDirectory }: CliEnvironment,
): Check & { readonly login?: Login } {
  if (check.status !== "ok") return check;
  return { ...check, login: findLogin(check.name, { config, env, userHomeDirectory, platform: process.platform }) };
}

async function checkHome({ atomicHome }: Workspace): Promise<Check> {
  try {
    await mkdir(atomicHome, { recursive: true, mode: 0o700 });
    await access(atomicHome, constants.W_OK);
    return { name: "home", status: "ok", detail: atomicHome };
  } catch (error) {
    const remedy = "Make the folder writable, or set ATOMIC_HOME to another one.";
    return { name: "home", status: "broken", detail: messageOf(error), remedy };
  }
}

/** Ignores relative folders of the PATH, because they are in the project. */
async function checkGit({ env }: CliEnvironment): Promise<Check> {
  try {
    const own = agentEnvironment({ kind: "git", env });
    const git = await firstExecutable(programsOnPath("git", own));
    if (git !== undefined) {
      return {
        name: "git",
        status: "ok",
        detail: await runNeutrally(git, ["--version"], { env: own, timeoutMs: 10_000 }),
      };
    }
  } catch {
    // A program that cannot print its version is not a working git.
  }
  return {
    name: "git",
    status: "missing",
    detail: "not found",
    remedy: "Install git, so that agents can commit their work.",
  };
}

/** Whether the sandbox for agents works here. */
async function checkSandbox({ env }: CliEnvironment, { atomicHome }: Workspace): Promise<Check> {
  try {
    const search = env.PATH === undefined ? {} : { PATH: env.PATH };
    const { bubblewrap } = await findSandboxPrograms({
      agentType: "sandbox",
      env: search,
      sandboxDirectory: vendorDirectoryOf(atomicHome, SANDBOX),
    });
    return { name: "sandbox", status: "ok", detail: bubblewrap };
  } catch (error) {
    if (!(error instanceof SandboxUnavailableError)) throw error;
    return { name: "sandbox", status: "missing", detail: error.missing.join(", "), remedy: error.remedy };
  }
}

/** The ways of notifications that the user wants and that cannot work. Without settings, there is nothing to say. */
async function checkNotifications(environment: CliEnvironment, { notifications }: Config): Promise<readonly Check[]> {
  if (notifications === undefined) return [];
  const name = "notifications";
  const ways = await listNotificationWays(environment, notifications, process.platform);
  const missing = ways.filter(({ status }) => status === "missing");
  const used = ways.filter(({ status }) => status === "ok").map((way) => way.name);
  const detail = used.length === 0 ? "none" : used.join(", ");
  const remedy = "Install it, set it, or change notifications in your config.json. Try it: atomic notify test";
  return [
    { name, status: "ok", detail },
    ...missing.map((way): Check => ({ name, status: "missing", detail: `${way.name}: ${way.detail}`, remedy })),
  ];
}

/** Problems of the list of trusted projects. */
async function checkTrust({ trust }: Workspace): Promise<readonly Check[]> {
  const { problems } = await trust.load();
  return problems.map(({ path, message, remedy }) => ({
    name: "trust",
    status: "broken",
    detail: message,
    remedy: `${path}: ${remedy}`,
  }));
}

/** Whether the project's own settings are loaded, for any agent. */
async function checkProject(environment: CliEnvironment, workspace: Workspace, config: Config): Promise<Check> {
  const { workingDirectory, projectDirectory } = workspace;
  const trust = new ProjectTrust({ environment, workspace, projectDirectory, workingDirectory, isJson: true });
  const names = await trust.findSettings(knownAgents(config), config);
  if (await trust.isTrusted()) return { name: "project", status: "ok", detail: `trusted, ${countFiles(names)} loaded` };
  if (names.length === 0) return { name: "project", status: "ok", detail: "not trusted, 0 files left out" };
  const listed = names.map(visibleLine).join(", ");
  return {
    name: "project",
    status: "not trusted",
    detail: `${countFiles(names)} left out`,
    remedy: `Nothing is wrong: agents start without ${listed}. To have it loaded, look at it, then: atomic trust add`,
  };
}

/** Journals that lost their last records. Resuming such a run prints a warning as well. */
async function checkRuns({ store, runs }: Workspace): Promise<readonly Check[]> {
  const { sessions } = await store.list().catch(() => ({ sessions: [] })); // `checkHome` reports the error
  const checks: Check[] = [];
  for (const { sessionId } of sessions) {
    try {
      const loss = await runs.findLoss(sessionId);
      if (loss === undefined) continue;
      const remedy = `${describeLoss(sessionId, loss)} Look at the run with: atomic runs show ${sessionId}. And check the disk.`;
      checks.push({ name: "runs", status: "missing", detail: `the end of the journal of run ${sessionId}`, remedy });
    } catch (error) {
      checks.push({ name: "runs", status: "broken", detail: messageOf(error) });
    }
  }
  return checks;
}

function countFiles({ length }: readonly string[]): string {
  return length === 1 ? "1 file" : `${length} files`;
}

const SANDBOX_REMEDY = "Correct it in config.json: with this, no agent starts in this folder.";

/** Whether a call in this folder would accept the settings. */
async function checkConfig(environment: CliEnvironment, workspace: Workspace): Promise<Check> {
  try {
    const { warnings } = await workspace.loadConfigLayers(workspace.projectDirectory);
    const config = await workspace.loadConfig(workspace.projectDirectory);
    resolveSandboxSetting({ config, flags: {}, environment });
    if (config.agent !== undefined) assertKnownAgent(config.agent, config);
    const names = findUnknownNames(config, config);
    const all = [...warnings, ...[...names.problems, ...names.warnings].map(({ text }) => text)];
    const { agent = "not set", model = "not set" } = config;
    const about = { name: "config", detail: `agent ${agent}, model ${model}` } as const;
    return all.length === 0 ? { ...about, status: "ok" } : { ...about, status: "warning", remedy: all.join("\n") };
  } catch (error) {
    const about = { name: "config", status: "broken", detail: messageOf(error) } as const;
    if (error instanceof SandboxInvalidError) return { ...about, remedy: SANDBOX_REMEDY };
    // An error about the file itself says so.
    return error instanceof ConfigInvalidError ? about : { ...about, remedy: "Correct the file it names." };
  }
}

/** Mistakes of settings without effect: those of a project that is not trusted, which would stop each call in a trusted one. */
async function checkUntrustedConfig(workspace: Workspace): Promise<readonly Check[]> {
  const about = { name: "config", status: "warning" } as const;
  const remedy = "They have no effect, because the project is not trusted. Correct them before you trust it.";
  try {
    const file = await workspace.readUntrustedFile(workspace.projectDirectory);
    if (file === undefined || file.warnings.length === 0) return [];
    const detail = `the settings of this project, ${file.path}`;
    return [{ ...about, detail, remedy: [...file.warnings, remedy].join("\n") }];
  } catch (error) {
    // `checkConfig` reports those of the user's own file.
    if (!(error instanceof ConfigInvalidError) || dirname(error.path) === workspace.atomicHome) return [];
    return [{ ...about, detail: error.message, remedy }];
  }
}

/** All at once: a file of code can take ten seconds. */
async function checkUserFiles(environment: CliEnvironment, workspace: Workspace): Promise<readonly Check[]> {
  const checks = [
    checkWorkflows(workspace),
    checkToolFiles(environment, workspace),
    checkDefinitions(environment, workspace),
  ];
  return (await Promise.all(checks)).flat();
}

async function checkWorkflows(workspace: Workspace): Promise<readonly Check[]> {
  const { registry, problems } = await workspace.loadProject(workspace.projectDirectory);
  const names = registry.workflows.map(({ metadata }) => metadata.name).join(", ");
  return [{ name: "workflows", status: "ok", detail: names }, ...checksOf("workflow", problems)];
}
