import { messageOf } from "../../contracts/index.ts";
import { isWorkflowName, readWrittenScript, type WrittenScript } from "../../discovery/index.ts";
import type { RunServices } from "../../graph/index.ts";
import type { DraftOutline } from "./write-state.ts";

/** Settings of {@link checkDraft}. */
export interface CheckDraftOptions {
  /** Names the script in errors. */
  readonly path: string;
  readonly text: string;
  /** The name that it must have; empty: any. */
  readonly name: string;
  readonly maxAgents: number;
  readonly services: Pick<RunServices, "agents" | "scripts">;
  readonly signal: AbortSignal;
}

/** What a check found: an outline where nothing is wrong. */
export interface CheckedDraft {
  readonly problems: readonly string[];
  readonly outline: DraftOutline | null;
}

/** A run keeps no text that looks like a secret: this script is not what the agent wrote. */
const SECRET =
  "It had a text that looks like a secret, in whose place the run has [redacted]. Leave it out, or write it in two parts.";

/** How much of a problem is kept, in characters: the script can throw any text. */
const MAX_PROBLEM = 500;

/** How many problems of a draft the agent reads at once. */
const MAX_PROBLEMS = 8;

/** Checks a script that an agent wrote: its text, its commands against the policy, and a rehearsal. */
export async function checkDraft(options: CheckDraftOptions): Promise<CheckedDraft> {
  const { path, text, services, maxAgents, signal } = options;
  const { scripts } = services;
  const written = await readWrittenScript(path, text);
  const { meta, body } = written;
  const problems = [
    ...describeProblems(written),
    ...(await checkName(meta?.name, options)),
    ...(await checkAgentTypes(body?.agentTypes ?? [], services)),
    ...(/\[redacted(?::[^\]\n]*)?\]/.test(text) ? [SECRET] : []),
  ];
  if (meta === undefined || body === undefined || problems.length > 0) {
    return {
      problems: problems.slice(0, MAX_PROBLEMS).map((problem) => inOneLine(problem, MAX_PROBLEM)),
      outline: null,
    };
  }
  const { phases, agents, maxAgents: known } = body.outline;
  if (agents.length === 0) return broken("It calls no agent.");
  if (known !== undefined && known > maxAgents) return broken(tooMany(known, maxAgents));
  const commands: DraftOutline["commands"][number][] = [];
  for (const command of written.commands) {
    const effect = (await scripts?.effectOf(command)) ?? "ask";
    if (effect === "deny")
      return broken(`The run's policy denies the command ${JSON.stringify(command)}. Do without it.`);
    commands.push({ command, isAllowed: effect === "allow" });
  }
  const rehearsal = await scripts?.rehearse({ path, text: body.text }, { maxAgents, signal });
  if (rehearsal?.problem !== undefined) return broken(inOneLine(rehearsal.problem, MAX_PROBLEM));
  const outline: DraftOutline = {
    name: meta.name,
    description: inOneLine(meta.description, MAX_SHOWN),
    phases: phases.map((phase) => inOneLine(phase, MAX_SHOWN)),
    agents: agents.map(({ label, line, isSingle }) => ({ label, line, isSingle })),
    maxAgents: known ?? null,
    rehearsedAgents: rehearsal?.agentCount ?? null,
    commands,
  };
  return { problems: [], outline };
}

/** How much of a text of the script's is shown beside it, in characters. */
const MAX_SHOWN = 200;

/** Lines of the outline are Atomic's, so that a text of the script cannot look like one. */
function inOneLine(text: string, maxLength: number): string {
  return text
    .replace(/[\s\p{C}]+/gu, " ")
    .trim()
    .slice(0, maxLength);
}

function broken(problem: string): CheckedDraft {
  return { problems: [problem], outline: null };
}

function tooMany(count: number, maxAgents: number): string {
  return `It calls ${count} agents, and at most ${maxAgents} are allowed. Give each agent more to do, or fewer of them.`;
}

function describeProblems({ problems }: WrittenScript): readonly string[] {
  return problems
    .filter(({ severity }) => severity === "error")
    .map(({ line, message, remedy }) => `${line === undefined ? "" : `Line ${line}: `}${message} ${remedy}`);
}

async function checkName(found: string | undefined, { name, services }: CheckDraftOptions): Promise<readonly string[]> {
  if (found === undefined) return [];
  const shown = JSON.stringify(found);
  if (name !== "" && found !== name) return [`The name in "meta" is ${shown}. Write ${JSON.stringify(name)}.`];
  if (!isWorkflowName(found)) return [`${shown} cannot name a workflow. Use letters, digits, "-" and "_".`];
  const taken = await services.scripts?.findTaken(found);
  return taken === undefined ? [] : [`The name ${shown} is taken: ${taken}. Choose another.`];
}

async function checkAgentTypes(
  uses: readonly { readonly name: string; readonly line: number }[],
  { agents }: CheckDraftOptions["services"],
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { name, line } of agents === undefined ? [] : uses) {
    try {
      if ((await agents?.find(name)) !== undefined) continue;
      problems.push(`Line ${line}: There is no agent definition ${JSON.stringify(name)}. Leave out agentType.`);
    } catch (error) {
      problems.push(`Line ${line}: ${messageOf(error)}`);
    }
  }
  return problems;
}
