import { createHash } from "node:crypto";
import { withoutExport } from "../contracts/index.ts";
import { graph } from "./builder.ts";
import type { CompiledGraph } from "./compiled-graph.ts";
import type { NodeDefinition } from "./model/node-definition.ts";
import type { ScriptLimits } from "./model/script-limits.ts";
import { type ScriptFunction, type ScriptNodeConfig, scriptNode } from "./nodes/script/script-node.ts";
import { readScriptText, type ScriptText } from "./nodes/script/script-text.ts";
import type { BaseState } from "./state/annotation.ts";

/** Settings of {@link script}. */
export interface ScriptConfig extends ScriptLimits, Pick<ScriptNodeConfig<BaseState>, "uses" | "workflows"> {
  /** The name of the run's workflow. @default the name that the file has */
  readonly name?: string;
  /** Changes whenever the function does what it did not do before. @default computed from the function's text */
  readonly version?: string;
}

/** The id of the only node of a script's graph. */
export const SCRIPT_ID = "script";

/**
 * A workflow that is a script.
 *
 * ```ts
 * // .atomic/workflows/review.ts
 * import { script } from "@bastani/atomic/graph";
 *
 * export default script<{ readonly topic: string }>(async ({ agent, args }) => await agent(`Review ${args.topic}`));
 * ```
 *
 * With an object instead of a function, it is a {@link scriptNode}.
 */
export function script<Args = unknown, Result = unknown>(
  run: ScriptFunction<Args, Result>,
  config?: ScriptConfig,
): CompiledGraph<BaseState, Result>;
export function script<State extends BaseState = BaseState, Args = unknown, Result = unknown, Update = unknown>(
  config: ScriptNodeConfig<State, Args, Result, Update>,
): NodeDefinition<State>;
export function script<Args, Result>(
  given: ScriptFunction<Args, Result> | ScriptNodeConfig<BaseState, Args, Result>,
  { name, ...settings }: ScriptConfig = {},
): CompiledGraph<BaseState, Result> | NodeDefinition {
  if (typeof given !== "function") return scriptNode(given);
  const node = scriptNode<BaseState, Args, Result>({ id: SCRIPT_ID, run: given, ...settings });
  return graph<BaseState>()
    .start(node)
    .end()
    .compile<Result>({
      ...(name === undefined ? {} : { name }),
      // The cast is true: it is what the function returned.
      output: ({ outputs }) => outputs[SCRIPT_ID] as Result,
    });
}

/**
 * A workflow from the text of a workflow script: the body of an asynchronous function that uses `agent`, `parallel`,
 * `pipeline`, `phase`, `log`, `workflow`, `shell`, `ask`, `args` and `budget` without importing them. The first statement may be `export const meta`, as in a file.
 *
 * @throws SyntaxError
 */
export function compileScript(text: ScriptText, config: ScriptConfig = {}): CompiledGraph<BaseState> {
  const version = createHash("sha256").update(withoutExport(text.text)).digest("hex").slice(0, 12);
  return script(readScriptText(text), { version, ...config });
}
