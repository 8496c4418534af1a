import { quoteUntrusted } from "../review/quote-untrusted.ts";
import type { DraftOutline, WriteState } from "./write-state.ts";

/** What a script can use, for an agent that writes one. */
const FORM = `A workflow script is the body of an asynchronous function in plain JavaScript, beginning with its name:

export const meta = { name: "audit", description: "Audits files", phases: [{ title: "Scan" }, { title: "Judge" }] };

phase("Scan");
const { files } = await agent("List the source files that matter for the audit.", {
  label: "find files",
  schema: { type: "object", properties: { files: { type: "array", items: { type: "string" }, maxItems: 8 } }, required: ["files"] },
});
const reports = await parallel(files.slice(0, 8).map((file) => () => agent("Audit " + file, { label: file })));
phase("Judge");
return await agent("Which of these faults are real? " + reports.filter(Boolean).join("\\n"));

Its functions:
- agent(prompt, { label, phase, schema, model, isolation, agentType }): a coding agent works on the prompt in the project and
  returns its final text; with a JSON Schema as schema, an object. null when it failed.
- parallel([() => agent(…), …]): runs functions at the same time; null for one that failed.
- pipeline(items, stage1, stage2): sends each item through the stages; a stage gets (previous, item, index).
- phase(name), log(text): names the phase of the agents that follow; prints a line.
- shell("command"): runs a command, and returns { exitCode, stdout, stderr }. The command is a text in quotes, in one line, without values
  in it.
- ask(question, ["answer", …]): asks a person, and returns the answer.
- args: the input of a later run, or undefined.

Rules:
- Nothing else exists: no imports, require, process, fetch, files, timers, Date.now(), new Date(), Math.random().
- Agents do the work: they read and edit files and run commands. The script only decides who does what, in which order.
- An agent knows nothing but its prompt. Put all that it needs into it, answers of earlier agents included.
- Use a schema wherever the script looks into an answer; never parse texts.
- Bound every list and every loop, so that the number of agents has a limit whatever agents answer: files.slice(0, 8),
  for (let round = 0; round < 3; round++).
- Agents that edit the same files at the same time need { isolation: "worktree" }.
- Do not use: this, eval, constructor, prototype, Reflect, Proxy, globalThis, or getters of objects' insides.`;

/** Asks for a script; again with what is wrong with it, or what a person wants changed. */
export function scriptPrompt(state: Readonly<WriteState>, maxAgents: number): string {
  const { goal, script, name } = state;
  return [
    "Write a workflow script for the task below: the smallest number of agents that does it well.",
    `It must call at most ${maxAgents} agents, whatever they answer.`,
    "Read what you need of the project, and change nothing: the script does the work, when a person has approved it.",
    ...(name === "" ? [] : [`Its name is ${JSON.stringify(name)}.`]),
    "",
    FORM,
    "",
    "<task>",
    goal,
    "</task>",
    ...(script === "" ? [] : ["", ...reasonOf(state), "", ...quoteUntrusted("script", script)]),
  ].join("\n");
}

function reasonOf({ problems, feedback }: Readonly<WriteState>): readonly string[] {
  if (feedback !== "") {
    return [
      "A person read the script below and wants it changed. Answer with the whole script, changed as they say.",
      "",
      "<feedback>",
      feedback,
      "</feedback>",
    ];
  }
  return [
    "The script below cannot run. Answer with the whole script, corrected.",
    "",
    ...quoteUntrusted("problems", problems.map((problem) => `- ${problem}`).join("\n")),
  ];
}

/** Asks a person about the script. */
export function approvalQuestion({ script, outline, goal }: Readonly<WriteState>, maxAgents: number): string {
  if (outline === null) return goal;
  return [
    `Run this script? ${outline.name}: ${outline.description}`,
    "",
    script.trim(),
    "",
    ...describeOutline(outline, maxAgents),
    "",
    "The agents have this run's permissions, and no more.",
    "Answer run, keep (without running it) or discard, or say what to change.",
  ].join("\n");
}

/** What a script would do, in lines. */
export function describeOutline(outline: DraftOutline, maxAgents: number): readonly string[] {
  const { phases, agents, commands } = outline;
  return [
    ...(phases.length === 0 ? [] : [`Phases: ${phases.join(", ")}`]),
    describeCount(outline, maxAgents),
    ...agents.map(({ label, line, isSingle }) => `  line ${line}: ${label}${isSingle ? "" : " (several times)"}`),
    ...commands.map(({ command, isAllowed }) => `Command: ${command}${isAllowed ? "" : " (your approval allows it)"}`),
  ];
}

function describeCount({ maxAgents: known, rehearsedAgents }: DraftOutline, maxAgents: number): string {
  if (known !== null) return `At most ${known} ${known === 1 ? "agent" : "agents"}:`;
  const rehearsed = rehearsedAgents === null ? "" : `, ${rehearsedAgents} with the made-up answers of a rehearsal`;
  return `The number of agents depends on their answers: at most ${maxAgents}${rehearsed}:`;
}
