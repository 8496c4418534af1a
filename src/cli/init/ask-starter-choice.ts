import { isWorkflowName } from "../../discovery/index.ts";
import { visibleMessage } from "../../view/index.ts";
import { knownAgents } from "../agents/agent-types.ts";
import type { Config } from "../config/config.ts";
import type { CliEnvironment } from "../environment.ts";
import { guardPrompt } from "../prompts/guard-prompt.ts";
import { type PromptStreams, promptStreams } from "../prompts/prompt-streams.ts";
import { waitForQuietKeyboard } from "../prompts/quiet-keyboard.ts";
import { selectAnswer } from "../prompts/select-answer.ts";
import type { StarterChoice } from "./write-starter-files.ts";

/** The names that a project starts with. */
export const STARTER_NAMES = { workflow: "suggest", tool: "count_text" } as const;

/** Asks the person at the terminal what a project starts with. Undefined when they leave: then nothing is written. */
export async function askStarterChoice(
  environment: CliEnvironment,
  { config, agent }: { readonly config: Config; readonly agent?: string | undefined },
): Promise<StarterChoice | undefined> {
  const streams = promptStreams(environment);
  if (!(await waitForQuietKeyboard(streams.input))) return undefined;
  const chosen = agent === undefined ? await askAgent(streams, config) : { agent };
  if (chosen === undefined) return undefined;
  const workflow = await askName(streams);
  if (workflow === undefined) return undefined;
  const labels = ["yes", "no"];
  const answer = await ask(streams, { message: "Write a tool that agents can call?", labels });
  if (answer === undefined) return undefined;
  return { ...chosen, workflow, tool: answer === 0 ? STARTER_NAMES.tool : undefined };
}

async function askAgent(streams: PromptStreams, config: Config): Promise<Pick<StarterChoice, "agent"> | undefined> {
  const agents = knownAgents(config).filter((name) => name !== "scripted");
  const labels = ["that of each person's own settings", ...agents];
  const answer = await ask(streams, { message: "Which agent does this project use where a call names none?", labels });
  return answer === undefined ? undefined : { agent: answer === 0 ? undefined : agents[answer - 1] };
}

async function ask(
  streams: PromptStreams,
  { message, labels }: { readonly message: string; readonly labels: readonly string[] },
): Promise<number | undefined> {
  // Only a key of the person ends these questions.
  const { signal } = new AbortController();
  const options = labels.map((label) => ({ label }));
  const answer = await guardPrompt<number>({ streams, signal }, (stop) =>
    selectAnswer({ streams, message, options, signal: stop }),
  );
  return typeof answer === "number" ? answer : undefined;
}

async function askName(streams: PromptStreams): Promise<string | undefined> {
  const { isCancel, text } = await import("@clack/prompts");
  const { signal } = new AbortController();
  const name = await guardPrompt<{ readonly name: string }>({ streams, signal }, async (stop) => {
    const answer = await text({
      ...{ ...streams, signal: stop, defaultValue: STARTER_NAMES.workflow, placeholder: STARTER_NAMES.workflow },
      message: visibleMessage("The name of the first workflow?"),
      validate: (typed = "") =>
        typed === "" || isWorkflowName(typed) ? undefined : 'Use letters, digits, "-" and "_", at most 64.',
    });
    return isCancel(answer) ? undefined : { name: answer };
  });
  return "name" in name ? name.name : undefined;
}
