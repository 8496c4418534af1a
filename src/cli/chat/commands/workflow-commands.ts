import type { WorkflowMetadata, WorkflowSource } from "../../../contracts/index.ts";
import type { HostCommand } from "../../../tui/index.ts";
import { describeOptions } from "./describe-options.ts";
import { requiredArgumentIn } from "./entity-commands.ts";
import { isTypable } from "./unique-commands.ts";
import { flagsOf, isYesOrNo, parseWorkflowArguments } from "./workflow-arguments.ts";

/** Starts a run in a process of its own, and returns its id. */
export type StartRun = (
  name: string,
  run: {
    /** Empty for none. */
    readonly prompt: string;
    /** The agent of its sessions. */
    readonly agent: string;
    /** Further options of `atomic run`, such as `--input` and a name with its value. */
    readonly options: readonly string[];
  },
) => Promise<string>;

/** What a list of workflows says about one. */
export type ListedMetadata = Pick<
  WorkflowMetadata,
  "name" | "description" | "aliases" | "source" | "argumentHint" | "inputs"
>;

/** A workflow that the chat can start. */
export interface ChatWorkflow {
  readonly metadata: ListedMetadata;
  /** Whether it is a workflow script. @default false */
  readonly isScript?: boolean;
}

const SOURCES: Readonly<Record<WorkflowSource, string>> = {
  builtin: "built-in",
  local: "project",
  global: "user",
};

/** Workflows as slash commands that start a run. */
export function workflowCommands(workflows: readonly ChatWorkflow[], startRun: StartRun): readonly HostCommand[] {
  return workflows.flatMap(({ metadata, isScript = false }) => {
    const { name, aliases, description, source, inputs } = metadata;
    if (!isTypable(name)) return [];
    const argumentHint = hintFor(metadata);
    const required = requiredArgumentIn(argumentHint);
    return [
      {
        name,
        description,
        category: "workflow",
        ...(aliases.length === 0 ? {} : { aliases }),
        ...(argumentHint === "" ? {} : { argumentHint }),
        ...(required === undefined ? {} : { requiredArgument: required }),
        source: isScript ? `${SOURCES[source]}, script` : SOURCES[source],
        start: {
          type: "run",
          check: (args) =>
            parseWorkflowArguments(args, inputs).isHelp ? describeOptions(hintFor(metadata), metadata) : undefined,
          start: (args, agent) => startRun(name, { agent, ...parseWorkflowArguments(args, inputs) }),
        },
      },
    ];
  });
}

/** The author's hint without the quotes that only a shell needs, or else what the inputs say. */
function hintFor({ argumentHint, inputs }: ListedMetadata): string {
  if (argumentHint !== undefined) return argumentHint.replace(/"(<[^<>"]+>)"/g, "$1").trim();
  if (inputs === undefined) return "[prompt]";
  return inputs.map((input) => hintForInput(input)).join(" ");
}

function hintForInput(input: NonNullable<ListedMetadata["inputs"]>[number]): string {
  const { name, isRequired } = input;
  const [flag = name] = flagsOf(input);
  const text = name === "prompt" ? "prompt" : isYesOrNo(input) ? `--${flag}` : `--${flag} ${name}`;
  if (name !== "prompt") return isRequired ? text : `[${text}]`;
  return isRequired ? `<${text}>` : `[${text}]`;
}
