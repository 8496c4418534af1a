import type { DiscoveryProblem } from "../../contracts/index.ts";
import { type ClaudeScript, readClaudeScript } from "../../discovery/index.ts";
import { safeLine, safeText } from "../../view/index.ts";
import type { RegisteredWorkflow } from "../../workflows/index.ts";
import { DEFAULT_AGENT } from "../agents/agent-types.ts";
import { resolvePermissions } from "../config/resolve-permissions.ts";
import { resolveSandboxSetting } from "../config/resolve-sandbox-setting.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { type ScriptWorkflow, ScriptWorkflows } from "../loading/load-script.ts";
import { WorkflowBrokenError } from "../loading/workflow-errors.ts";
import type { LoadedProject } from "../loading/workflow-loader.ts";
import { formatJson } from "../output/format-json.ts";
import { ProblemPrinter } from "../output/problem-printer.ts";
import { trustIfAsked } from "../trust/trust-if-asked.ts";
import { type TypeCheck, typeCheck } from "../verify/type-check.ts";
import { createUseChecker, type UseChecker } from "../verify/use-checker.ts";
import { type WorkflowOfFile, WorkflowVerifier } from "../verify/verify-workflow.ts";
import { Workspace } from "../workspace.ts";
import { confirmByFlag, type ShowWorkflowFlags } from "./load-shown-workflow.ts";

type VerifiedScript = Pick<ClaudeScript, "name" | "path">;

/** What a call verifies. */
interface Verified {
  readonly workflows: readonly WorkflowOfFile[];
  /** Workflow scripts. */
  readonly scripts: readonly VerifiedScript[];
  /** Those of the scripts that could be made workflows. */
  readonly ofScripts: readonly WorkflowOfFile[];
  /** Problems of files that were found while loading them. */
  readonly problems: readonly DiscoveryProblem[];
}

const NOTHING: Verified = { workflows: [], scripts: [], ofScripts: [], problems: [] };

/** `atomic workflows verify [NAME]`: whether the workflow files load, compile and have correct types. */
export async function verifyWorkflowsCommand(
  environment: CliEnvironment,
  name: string | undefined,
  flags: ShowWorkflowFlags,
): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  await trustIfAsked(environment, workspace, flags);
  const { projectDirectory, workingDirectory } = workspace;
  const loaded = await workspace.loadProject(projectDirectory);
  const scripts = new ScriptWorkflows(loaded.claudeScripts, { workingDirectory });
  const verified =
    name === undefined ? await selectAll(loaded, scripts) : await selectOne(workspace, loaded, { name, flags });
  const uses = await createChecker(environment, workspace, flags);
  const leftError = () => environment.userCode.leftError();
  const verifier = new WorkflowVerifier(loaded.registry, { leftError, uses, scripts });
  const problems: DiscoveryProblem[] = [];
  const printer = new ProblemPrinter(environment, "atomic workflows verify --json");
  // At once: the code of a workflow may end the process.
  const report = (found: readonly DiscoveryProblem[]): void => {
    problems.push(...found);
    if (!flags.json) printer.print(found);
  };
  report(verified.problems);
  for (const workflow of [...verified.workflows, ...verified.ofScripts]) report(await verifier.verify(workflow));
  const types = await checkTypes(workspace, verified.workflows, { workingDirectory, projectDirectory });
  if (types.type === "checked") report(types.problems);
  const isValid = !problems.some(({ severity }) => severity === "error");
  if (flags.json) {
    const { workflows, scripts } = verified;
    const rows = workflows.map(({ metadata, path }) => ({ name: metadata.name, path }));
    const claudeScripts = scripts.map(({ name, path }) => ({ name, path }));
    const typed = types.type === "checked" ? { type: types.type, compiler: types.compiler } : types;
    environment.stdout.write(`${formatJson({ isValid, workflows: rows, claudeScripts, problems, types: typed })}\n`);
  } else {
    printer.end();
    tell(environment, verified, { problems, types, isValid });
  }
  return isValid ? ExitCode.done : ExitCode.failed;
}

/** Runs of this project, with its settings and without flags. @throws ConfigInvalidError, SandboxInvalidError */
async function createChecker(
  environment: CliEnvironment,
  workspace: Workspace,
  { json = false }: ShowWorkflowFlags,
): Promise<UseChecker> {
  const { projectDirectory, atomicHome, workingDirectory } = workspace;
  const config = await workspace.loadConfig(projectDirectory);
  const flags = { allow: [], deny: [], isYolo: false };
  return createUseChecker({
    ...{ environment, workspace, projectDirectory, config },
    agent: config.agent ?? DEFAULT_AGENT,
    permissions: resolvePermissions({ configured: config.permissions, flags, atomicHome, workingDirectory }),
    isSandboxed: resolveSandboxSetting({ config, flags: {}, environment }) !== undefined,
    tell: (line) => {
      if (!json) environment.stderr.write(`${line}\n`);
    },
  });
}

/** @throws UsageError for a project whose files were not loaded */
async function selectAll(loaded: LoadedProject, scripts: ScriptWorkflows): Promise<Verified> {
  const { registry, problems, untrusted, claudeScripts } = loaded;
  if (untrusted.length > 0) {
    const [files, them] =
      untrusted.length === 1
        ? ["its workflow file was", "it"]
        : [`its ${untrusted.length} workflow files were`, "them"];
    throw new UsageError(
      `You have not trusted this project yet, so ${files} not loaded. Look at ${them}, then call again with --trust.`,
    );
  }
  const made = await Promise.all(claudeScripts.map((script) => tryToMake(scripts, script)));
  return {
    workflows: registry.workflows.filter(isOfFile),
    scripts: claudeScripts,
    ofScripts: made.flatMap(({ workflow }) => workflow ?? []),
    problems: [...problems, ...made.flatMap((one) => one.problems)],
  };
}

/** A script as a workflow, or what keeps it from being one. */
async function tryToMake(
  scripts: ScriptWorkflows,
  script: ClaudeScript,
): Promise<{ readonly workflow?: ScriptWorkflow; readonly problems: readonly DiscoveryProblem[] }> {
  try {
    return { workflow: await scripts.load(script), problems: [] };
  } catch (error) {
    if (error instanceof WorkflowBrokenError) return { problems: error.problems };
    throw error;
  }
}

function isOfFile(workflow: RegisteredWorkflow): workflow is WorkflowOfFile {
  return workflow.path !== undefined;
}

/** @throws UnknownWorkflowError, WorkflowMissingError, ProjectUntrustedError, WorkflowFileUntrustedError, UsageError */
async function selectOne(
  workspace: Workspace,
  { problems }: LoadedProject,
  { name, flags }: { readonly name: string; readonly flags: ShowWorkflowFlags },
): Promise<Verified> {
  try {
    const workflow = await workspace.findWorkflow(name, workspace.projectDirectory, confirmByFlag(flags));
    const { outsidePath, scriptOutline } = workflow;
    if (!isOfFile(workflow)) throw new UsageError(`The workflow "${name}" is built in, so there is no file to verify.`);
    if (scriptOutline !== undefined) {
      const script = { name: workflow.metadata.name, path: workflow.path };
      const { problems: found } = await readClaudeScript(workflow.path);
      return { ...NOTHING, scripts: [script], ofScripts: [workflow], problems: found };
    }
    if (outsidePath !== undefined) {
      const file = { path: outsidePath, realPath: outsidePath, source: "local" } as const;
      return { ...NOTHING, workflows: [workflow], problems: await workspace.checkWorkflowFile(file) };
    }
    return { ...NOTHING, workflows: [workflow], problems: problems.filter(({ path }) => path === workflow.path) };
  } catch (error) {
    if (error instanceof WorkflowBrokenError) return { ...NOTHING, problems: error.problems };
    throw error;
  }
}

async function checkTypes(
  { trust }: Workspace,
  workflows: readonly WorkflowOfFile[],
  places: { readonly workingDirectory: string; readonly projectDirectory: string },
): Promise<TypeCheck> {
  if (!(await trust.isTrusted(places.projectDirectory))) {
    return { type: "skipped", reason: "the project is not trusted, and its TypeScript could run any code" };
  }
  return await typeCheck({ files: workflows.map(({ path }) => path), ...places });
}

interface Findings {
  readonly problems: readonly DiscoveryProblem[];
  readonly types: TypeCheck;
  readonly isValid: boolean;
}

function tell({ stdout }: CliEnvironment, { workflows, scripts }: Verified, findings: Findings): void {
  const { problems, types, isValid } = findings;
  for (const { name, path, kind } of [...workflows.map(toFile), ...scripts.map(toScript)]) {
    const isBroken = problems.some(
      (problem) => problem.severity === "error" && [problem.path, problem.otherPath].includes(path),
    );
    if (!isBroken) stdout.write(`ok  ${safeLine(name, 100)}  ${safeLine(path, Number.POSITIVE_INFINITY)}${kind}\n`);
  }
  if (workflows.length === 0) {
    if (isValid && scripts.length === 0)
      stdout.write("There are no workflow files here. Create one with: atomic workflows new NAME\n");
    return;
  }
  stdout.write(`Types: ${describeTypeCheck(types)}\n`);
}

function toFile({ metadata: { name }, path }: WorkflowOfFile) {
  return { name, path, kind: "" };
}

function toScript({ name, path }: VerifiedScript) {
  return { name, path, kind: " (a workflow script)" };
}

function describeTypeCheck(types: TypeCheck): string {
  switch (types.type) {
    case "checked":
      return "checked";
    case "skipped":
      return `not checked, ${types.reason}`;
    case "failed":
      return safeText(`not checked, ${types.compiler} failed: ${types.reason}`);
  }
}
