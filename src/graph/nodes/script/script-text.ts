import { Script } from "node:vm";
import { withoutExport } from "../../../contracts/index.ts";
import { toRunError } from "../../decide/records/failure.ts";
import { mentionsImport } from "./mentions-import.ts";
import { ScriptFailedError, ScriptProcessError, ScriptUsageError } from "./script-errors.ts";
import { ScriptExecution } from "./script-execution.ts";
import type { ScriptFunction } from "./script-node.ts";
import { PRELUDE } from "./script-prelude.ts";
import { ScriptProcess } from "./script-process.ts";

/** A script as a text: the body of an asynchronous function. Its first statement may be `export const meta`. */
export interface ScriptText {
  /** Its file, for the places in errors. */
  readonly path: string;
  readonly text: string;
}

/** Whether a script's process decides what `import()` does. In Node, it would throw an error that leads out of the script's context. */
const CAN_STOP_IMPORT = "Bun" in globalThis;

// The cast is true: it is a constructor that reads the text of a function's body.
const AsyncFunction = (async () => {}).constructor as new (body: string) => unknown;

/**
 * A function that runs a script in a process of its own, in a context without files, processes, modules, network and timers. That
 * keeps a script repeatable. The process has no environment, and on Linux with bubblewrap no network and no files of the user
 * either; see `docs/scripts.md`.
 *
 * @throws SyntaxError, ScriptUsageError
 */
export function readScriptText({ path, text }: ScriptText): ScriptFunction {
  if (!CAN_STOP_IMPORT && mentionsImport(text))
    throw new ScriptUsageError(`The script ${path} has "import(". Remove it.`);
  // It begins on the same line, so that the lines of errors are those of the file.
  const body = `(async () => {${withoutExport(text)}\n})`;
  // Only reads it.
  void new Script(body, { filename: path });
  // A text that closes the function around it would be read as well.
  void new AsyncFunction(withoutExport(text));
  return async (api, host) => {
    let process: ScriptProcess | undefined;
    const execution = new ScriptExecution(api, (message) => process?.send(message));
    const running = await ScriptProcess.start({
      host,
      onSaid: (said) => execution.take(said),
      onFailure: (error) => execution.fail(error),
    });
    process = running;
    const work = async (): Promise<unknown> => {
      const args = api.args === undefined ? undefined : JSON.stringify(api.args);
      execution.tell({ type: "start", path, body, prelude: PRELUDE, args, total: api.budget.total });
      const json = await execution.result;
      // What the script has not awaited may make other calls.
      await host.settle(() => running.idle());
      return json === undefined ? undefined : JSON.parse(json);
    };
    try {
      return await Promise.race([work(), execution.failure]);
    } catch (error) {
      throw error instanceof ScriptProcessError ? error : describeFailure(error, path);
    } finally {
      await running.stop();
    }
  };
}

/** The failure of a script, with the place in its file. */
function describeFailure(cause: unknown, path: string): ScriptFailedError {
  const { name, message, stack } = toRunError(cause);
  const kind = name === "Error" ? "" : `${name}: `;
  const place = stack?.split(path)[1]?.match(/^:\d+(?::\d+)?/)?.[0];
  const text = `${kind}${message}`;
  const placed = place === undefined ? text : `${text.replace(/\.$/, "")} (${path}${place})`;
  return new ScriptFailedError(placed, { cause, stack });
}
