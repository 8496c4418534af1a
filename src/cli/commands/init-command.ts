import { visibleLine } from "../../view/index.ts";
import { assertKnownAgent } from "../agents/agent-types.ts";
import { assertProject } from "../assert-project.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { askStarterChoice, STARTER_NAMES } from "../init/ask-starter-choice.ts";
import { type StarterFile, writeStarterFiles } from "../init/write-starter-files.ts";
import { formatJson } from "../output/format-json.ts";
import { ProjectPlace } from "../project-place.ts";

/** Options of `atomic init`. */
export interface InitFlags {
  /** Uses the defaults instead of asking. */
  readonly yes?: boolean;
  readonly agent?: string;
  readonly json?: boolean;
}

/** `atomic init`: writes settings, a workflow and a tool into a project. Overwrites nothing. @throws ProjectTooWideError */
export async function initCommand(environment: CliEnvironment, flags: InitFlags): Promise<ExitCode> {
  const place = new ProjectPlace(environment);
  const { projectDirectory, trust } = place;
  const remedy = "Change to the folder of a project, or create one, and call atomic init there.";
  assertProject(place, { userHomeDirectory: environment.userHomeDirectory, remedy });
  const config = await place.loadConfig(projectDirectory);
  const { agent } = flags;
  if (agent !== undefined) assertKnownAgent(agent, config);
  if (flags.yes !== true && !environment.isInteractive) {
    throw new UsageError(
      "The questions of atomic init need a terminal. To use the defaults instead: atomic init --yes",
    );
  }
  const choice = flags.yes ? { agent, ...STARTER_NAMES } : await askStarterChoice(environment, { config, agent });
  if (choice === undefined) {
    environment.stderr.write("Cancelled; nothing was written.\n");
    return ExitCode.cancelled;
  }
  const files = await writeStarterFiles(projectDirectory, choice);
  const isTrusted = await trust.isTrusted(projectDirectory);
  // What Atomic itself has written is no change to report.
  if (isTrusted) await trust.takeChangedFiles(projectDirectory);
  const { workflow } = choice;
  const text = describe(files, { workflow, tool: choice.tool, isTrusted });
  environment.stdout.write(
    flags.json
      ? `${formatJson({ project: projectDirectory, workflow, files })}\n`
      : `${visibleLine(projectDirectory)}\n${text}\n`,
  );
  return ExitCode.done;
}

const WORDS = { created: "created", kept: "kept   ", updated: "updated" } as const;

interface Next {
  readonly workflow: string;
  readonly tool: string | undefined;
  readonly isTrusted: boolean;
}

function describe(files: readonly StarterFile[], { workflow, tool, isTrusted }: Next): string {
  const trust = isTrusted ? "" : " --trust";
  return [
    ...files.map(({ path, status }) => `  ${WORDS[status]}  ${visibleLine(path)}`),
    "",
    `Run the workflow:  atomic run ${workflow} --agent scripted${trust}`,
    ...(tool === undefined ? [] : [`Call the tool:     atomic tools run ${tool} --args '{"text": "one two"}'${trust}`]),
    "See all settings:  atomic config list --all",
  ].join("\n");
}
