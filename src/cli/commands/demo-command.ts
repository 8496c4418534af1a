import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findProject } from "../../discovery/index.ts";
import { firstExecutable, programsOnPath } from "../../system/index.ts";
import { startModelServer } from "../../testkit/index.ts";
import { safeText } from "../../view/index.ts";
import { assertKnownAgent } from "../agents/agent-types.ts";
import { UsageError } from "../config/usage-error.ts";
import { chooseDemoAgent, type DemoAgent } from "../demo/choose-demo-agent.ts";
import { DemoProgramsMissingError } from "../demo/demo-command-error.ts";
import { createDemoFolders, type DemoFolders } from "../demo/demo-folders.ts";
import { createDemoProject, DEMO_GOAL, DEMO_TEST_COMMAND, runInProject } from "../demo/demo-project.ts";
import { createDemoModelScript, playDemoAgent } from "../demo/demo-script.ts";
import { type CliEnvironment, findAtomicHome } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { formatJson } from "../output/format-json.ts";
import { colorsFor, type TerminalFlags } from "../output/terminal.ts";
import { withoutProjectPrograms } from "../trust/untrusted-environment.ts";
import { runWorkflowCommand } from "./run-command.ts";

/** Options of `atomic demo`. */
export interface DemoFlags extends TerminalFlags {
  readonly agent?: string;
  readonly json?: boolean;
}

/** What was scripted and what was real. */
const HONEST_WORDS = {
  opencode: [
    "The model was scripted: a server on 127.0.0.1 answered in its place, so no key and no network were needed.",
    "Everything else was real: OpenCode and its tools, the git repository, the tests, and Atomic's journal.",
  ],
  scripted: [
    "The agent was scripted, so no key and no network were needed.",
    "Everything else was real: the edits, the git repository, the tests, and Atomic's journal.",
  ],
} as const;

const INSTALL_HINT = "OpenCode was not found. To watch it work: atomic install opencode, then atomic demo";

/** `atomic demo`: an agent repairs a small project in a temporary folder. */
export async function demoCommand(environment: CliEnvironment, flags: DemoFlags): Promise<ExitCode> {
  assertDemoAgent(flags.agent);
  const neutral = withoutFolderPrograms(environment);
  await assertPrograms(environment);
  const atomicHome = findAtomicHome(environment);
  const agent = await chooseDemoAgent({ atomicHome, env: neutral.env, wanted: flags.agent });
  const folders = await createDemoFolders(atomicHome);
  const { project } = folders;
  const say = createSpeaker(environment, flags);
  await createDemoProject(project);
  const before = await runInProject(DEMO_TEST_COMMAND, project);
  say.title("A small project whose tests fail");
  say.text(`  ${project}`);
  say.text(`  $ ${DEMO_TEST_COMMAND}  →  exit code ${before.exitCode}, ${countTests(before.stdout)}`);
  say.title(`An agent (${agent}) repairs it`);
  say.text(`  $ atomic ralph "${DEMO_GOAL}" --verify "${DEMO_TEST_COMMAND}" --workers 1 --no-review`);
  const exitCode = await runRalph(neutral, { flags, folders, agent });
  if (exitCode !== ExitCode.done) return exitCode;
  const after = await runInProject(DEMO_TEST_COMMAND, project);
  const history = await runInProject("git --no-pager log --format='%h %an: %s' --reverse", project);
  const diff = await runInProject(
    "git --no-pager diff --stat --patch $(git rev-list --max-parents=0 HEAD) HEAD",
    project,
  );
  say.title("The same tests now");
  say.text(`  $ ${DEMO_TEST_COMMAND}  →  exit code ${after.exitCode}, ${countTests(after.stdout)}`);
  say.title("What the agent committed");
  say.text(indent(history.stdout));
  say.text(indent(diff.stdout));
  say.title("What was real");
  const hint = agent === "scripted" && flags.agent === undefined ? [INSTALL_HINT] : [];
  for (const line of [...HONEST_WORDS[agent], ...hint]) say.text(`  ${line}`);
  say.text(`  Look around: cd ${project}`);
  say.text(`  Its session: ATOMIC_HOME=${folders.atomicHome} atomic runs list`);
  const isRepaired = before.exitCode !== 0 && after.exitCode === 0;
  if (flags.json) {
    const facts = { testsBefore: before.exitCode, testsAfter: after.exitCode, project, atomicHome: folders.atomicHome };
    environment.stdout.write(`${formatJson({ type: "demo-end", runId: null, agent, isRepaired, ...facts })}\n`);
  }
  return isRepaired ? ExitCode.done : ExitCode.failed;
}

/** The demo has nothing to do with the folder it is called in, so no agent of it comes from there. */
function withoutFolderPrograms(environment: CliEnvironment): CliEnvironment {
  const { workingDirectory, userHomeDirectory } = environment;
  const projectDirectory = findProject(workingDirectory, userHomeDirectory);
  return withoutProjectPrograms(environment, { workingDirectory, projectDirectory });
}

/** @throws DemoProgramsMissingError */
async function assertPrograms({ env }: CliEnvironment): Promise<void> {
  const search = { PATH: env.PATH ?? "" };
  const missing: string[] = [];
  for (const name of ["git", "node"]) {
    if ((await firstExecutable(programsOnPath(name, search))) === undefined) missing.push(name);
  }
  if (missing.length > 0) throw new DemoProgramsMissingError(missing);
}

function assertDemoAgent(agent: string | undefined): void {
  if (agent === undefined || agent === "opencode" || agent === "scripted") return;
  assertKnownAgent(agent, {});
  throw new UsageError(
    `The demo is played by opencode or scripted, and not by "${agent}". Have that one work for real: atomic -p "…" --agent ${agent}`,
  );
}

interface RalphOptions {
  readonly flags: DemoFlags;
  readonly folders: DemoFolders;
  readonly agent: DemoAgent;
}

async function runRalph(environment: CliEnvironment, { flags, folders, agent }: RalphOptions): Promise<ExitCode> {
  const { project, atomicHome, agentHome } = folders;
  const inDemo = enterDemo(environment, folders);
  const shared = {
    allow: ["read", "edit", "shell:git *"],
    deny: [],
    input: [`verifyCommand=${DEMO_TEST_COMMAND}`, "workers=1", "review=no"],
  };
  const runFlags = {
    ...shared,
    agent,
    ...(flags.json ? { json: true } : {}),
    ...(flags.color === false ? { color: false } : {}),
  };
  const call = { name: "ralph", prompt: DEMO_GOAL, flags: runFlags };
  if (agent === "scripted") {
    const readProjectFile = (path: string): Promise<string> => readFile(join(project, path), "utf8");
    return await runWorkflowCommand(inDemo, { ...call, scriptedAgent: (turn) => playDemoAgent(turn, readProjectFile) });
  }
  const model = await startModelServer({ script: createDemoModelScript(project) });
  try {
    const endpoint = { protocol: "openai-chat", baseUrl: `${model.url}/v1`, models: [{ id: "scripted-model" }] };
    const config = { agents: { opencode: { homeDirectory: agentHome, endpoint } } };
    await writeFile(join(atomicHome, "config.json"), `${JSON.stringify(config, undefined, 2)}\n`);
    return await runWorkflowCommand(inDemo, call);
  } finally {
    await model.stop();
  }
}

/** The same process as if it had been called in the demo's project by a user without any settings. */
function enterDemo(
  environment: CliEnvironment,
  { project, atomicHome, agentHome, temporary }: DemoFolders,
): CliEnvironment {
  const { env } = environment;
  const kept = { PATH: env.PATH, LANG: env.LANG, TERM: env.TERM, NO_COLOR: env.NO_COLOR };
  const own = {
    HOME: agentHome,
    TMPDIR: temporary,
    ATOMIC_HOME: atomicHome,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    // It is no run of the user's, and its home is temporary.
    ATOMIC_TELEMETRY: "0",
  };
  return { ...environment, env: { ...kept, ...own }, workingDirectory: project, userHomeDirectory: agentHome };
}

interface Speaker {
  title(text: string): void;
  text(text: string): void;
}

function createSpeaker(environment: CliEnvironment, flags: DemoFlags): Speaker {
  if (flags.json) return { title: () => undefined, text: () => undefined };
  const colors = colorsFor(environment, flags, "stdout");
  const { stdout } = environment;
  return {
    title: (text) => stdout.write(`\n${colors.bold(text)}\n`),
    text: (text) => stdout.write(`${text}\n`),
  };
}

/** `1 of 3 tests passes`, from the totals that node's test runner prints. */
function countTests(output: string): string {
  const read = (name: string): string => new RegExp(`(?:#|ℹ) ${name} (\\d+)`).exec(output)?.[1] ?? "?";
  return `${read("pass")} of ${read("tests")} tests pass`;
}

function indent(text: string): string {
  return safeText(text)
    .trimEnd()
    .replace(/^(?=.)/gm, "  ");
}
