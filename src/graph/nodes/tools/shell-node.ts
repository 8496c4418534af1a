import { CommandFailedError } from "../../errors/errors.ts";
import { given } from "../../errors/given.ts";
import type { MessageBuilder } from "../../model/agent-settings.ts";
import { defineNode, type NodeFactory } from "../../model/define-node.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import { type NodeDefinition, type RetryConfig, retry } from "../../model/node-definition.ts";
import type { CommandResult } from "../../model/run-command.ts";
import {
  aFunction,
  either,
  required,
  someText,
  text,
  textOrFunction,
  timeLimit,
  yesOrNo,
} from "../../options/option-checks.ts";
import type { BaseState, ExactUpdate } from "../../state/annotation.ts";
import { toolRetry } from "../shared/agent-retry.ts";
import { mapResult } from "../shared/map-result.ts";
import { resolveText } from "../shared/resolve-text.ts";
import { runAndReport } from "../shared/run-and-report.ts";
import { THROUGH_SERVICES } from "../shared/through-services.ts";
import { outputOf } from "./tool-node.ts";

/** Settings of a {@link shellNode}. */
export interface ShellNodeConfig<State extends BaseState, Update = unknown> {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  /** A command line for `sh -c`. Never insert an agent's text without quoting it. */
  readonly command: MessageBuilder<State>;
  /** @default the run's working directory */
  readonly workingDirectory?: MessageBuilder<State>;
  /** Turns the evidence into an update. @default `outputs[id] = result` */
  readonly outputMapper?: (
    result: CommandResult,
    state: Readonly<State>,
    context: ExecutionContext<State>,
  ) => ExactUpdate<State, Update>;
  /** Whether an exit code other than 0 fails the node. @default true, unless there is an `outputMapper` */
  readonly failsOnError?: boolean;
  /** Stop the command after this many milliseconds, and fail. */
  readonly timeout?: number;
  readonly retry?: RetryConfig;
}

export const SHELL_NODE: NodeFactory<ShellNodeConfig<BaseState>> = {
  name: "shellNode",
  options: {
    id: required(someText),
    name: text,
    description: text,
    command: required(
      either(someText, aFunction),
      "give it the command line to run, or a function of the state that makes it",
    ),
    workingDirectory: textOrFunction,
    outputMapper: aFunction,
    failsOnError: yesOrNo,
    timeout: timeLimit,
    retry,
  },
};

/**
 * A node that runs a command and stores its exit code and the end of its output as evidence. Background processes of the
 * command end with it.
 *
 * ```ts
 * shellNode({ id: "test", command: "npm test", outputMapper: ({ exitCode }) => ({ isGreen: exitCode === 0 }) });
 * ```
 */
export function shellNode<State extends BaseState = BaseState, Update = unknown>(
  config: ShellNodeConfig<State, Update>,
): NodeDefinition<State> {
  return defineNode(SHELL_NODE, config, makeShellNode);
}

function makeShellNode<State extends BaseState, Update>(config: ShellNodeConfig<State, Update>): NodeDefinition<State> {
  const { id, outputMapper, failsOnError = outputMapper === undefined } = config;
  return {
    id,
    type: "tool",
    ...THROUGH_SERVICES,
    ...given({
      name: config.name,
      description: config.description,
      timeoutMs: config.timeout,
      retry: toolRetry(config.retry),
    }),
    async execute(context) {
      const command = resolveText(config.command, context, "command");
      const workingDirectory =
        config.workingDirectory === undefined
          ? undefined
          : resolveText(config.workingDirectory, context, "workingDirectory");
      const { result } = await runAndReport(command, context, { workingDirectory });
      const { exitCode, stderr, stdout } = result;
      if (exitCode !== 0 && failsOnError) {
        const output = stderr || stdout;
        const shown = context.services.redactor?.text(output) ?? output;
        throw new CommandFailedError(command, `exit code ${exitCode}`, shown);
      }
      return { stateUpdate: outputMapper ? mapResult(outputMapper, result, context) : outputOf<State>(id, result) };
    },
  };
}
