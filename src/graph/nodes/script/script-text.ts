import { createContext, Script } from "node:vm";
import { messageOf } from "../../../contracts/index.ts";
import { toError } from "../../decide/records/failure.ts";
import { given } from "../../errors/given.ts";
import { shorten } from "../shared/shorten.ts";
import { mentionsImport } from "./mentions-import.ts";
import type { ScriptApi } from "./script-api.ts";
import { ScriptFailedError, ScriptUsageError } from "./script-errors.ts";
import type { ScriptFunction } from "./script-node.ts";
import { type Bridge, PRELUDE, type Prelude, type ScriptList, type ThrownParts } from "./script-prelude.ts";
import { withoutExport } from "./without-export.ts";

/** A script as a text: the body of an asynchronous function. Its first statement may be `export const meta`. */
export interface ScriptText {
  /** Its file, for the places in errors. */
  readonly path: string;
  readonly text: string;
}

/** Keeps a value of the script where nothing awaits it. */
class Box {
  constructor(readonly value: unknown) {}
}

function unbox(value: unknown): unknown {
  return value instanceof Box ? value.value : value;
}

/**
 * What `import()` does in a script. Without it, the runtime throws an error of its own, whose constructor is Atomic's. A text
 * leads to nothing.
 */
function importModuleDynamically(): never {
  // biome-ignore lint/style/useThrowOnlyError: an error would be an object of Atomic's realm
  throw "A script cannot import modules.";
}

/** Whether the runtime calls {@link importModuleDynamically}. Node throws its own error instead. */
const CAN_STOP_IMPORT = "Bun" in globalThis;

/**
 * A function that runs a script in a context of its own: without files, processes, modules, network and timers. That keeps a
 * script repeatable. Do not rely on it for a hostile one: `node:vm` promises no wall.
 */
export function readScriptText({ path, text }: ScriptText): ScriptFunction {
  if (!CAN_STOP_IMPORT && mentionsImport(text))
    throw new ScriptUsageError(`The script ${path} has "import(". Remove it.`);
  // It begins on the same line, so that the lines of errors are those of the file.
  const body = new Script(`(async () => {${withoutExport(text)}\n})`, { filename: path, importModuleDynamically });
  const prelude = new Script(PRELUDE, { filename: "atomic:script" });
  return async (api) => {
    const context = createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } });
    const args = api.args === undefined ? undefined : JSON.stringify(api.args);
    // The cast is true: that is what the text of the prelude is.
    const open = prelude.runInContext(context) as (
      bridge: Bridge,
      args: string | undefined,
      total: number | null,
    ) => Prelude;
    const opened: Prelude = open(
      bridgeTo(api, { invoke: (...call) => opened.invoke(...call), copy: (value) => opened.copy(value) }),
      args,
      api.budget.total,
    );
    try {
      const json = await new Promise<string | undefined>((done, fail) =>
        opened.execute(body.runInContext(context), done, (thrown) => fail(errorOf(thrown))),
      );
      return json === undefined ? undefined : JSON.parse(json);
    } catch (error) {
      throw describeFailure(error, path);
    }
  };
}

function bridgeTo(api: ScriptApi, { invoke, copy }: Pick<Prelude, "invoke" | "copy">): Bridge {
  const describable = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    const text = copy(value);
    return text === "promise" ? Promise.resolve() : JSON.parse(text);
  };
  // Values that are no functions are reported as what they are.
  const adapt = (work: unknown): unknown =>
    typeof work !== "function"
      ? describable(work)
      : (...values: readonly unknown[]) =>
          new Promise((done, fail) => {
            invoke(
              work,
              values.map(unbox),
              (value) => done(new Box(value)),
              (thrown) => fail(errorOf(thrown)),
            );
          });
  // The functions check their arguments themselves.
  const functions = { agent: api.agent, shell: api.shell, ask: api.ask, workflow: api.workflow };
  const forks = { parallel: api.parallel, pipeline: api.pipeline };
  return {
    call(name, text, resolve, reject) {
      const args = (JSON.parse(text) as readonly unknown[]).map((value) => value ?? undefined);
      (functions[name] as (...values: unknown[]) => Promise<unknown>)(...args).then(
        (value) => resolve(value === undefined ? undefined : JSON.stringify(value)),
        (error: unknown) => reject(messageOf(error), codeOf(error)),
      );
    },
    fork(name, list, other, stages, resolve, reject) {
      const first =
        list === undefined
          ? describable(other)
          : itemsOf(list).map((item) => (name === "parallel" ? adapt(item) : new Box(item)));
      const others = itemsOf(stages).map(adapt);
      (forks[name] as (...values: unknown[]) => Promise<readonly unknown[]>)(first, ...others).then(
        (results) => resolve(...results.map(unbox)),
        (error: unknown) => reject(messageOf(error), codeOf(error)),
      );
    },
    phase(text, isText) {
      if (!isText)
        throw new ScriptUsageError(`The name of phase() is ${shorten(text)}. Pass a text that is not empty.`);
      api.phase(text);
    },
    log: (text) => api.log(text),
    spent: () => api.budget.spent(),
    remaining: () => api.budget.remaining(),
  };
}

function itemsOf({ count, at }: ScriptList): readonly unknown[] {
  return Array.from({ length: count }, (_, index) => at(index));
}

/** What a script threw, as an error of Atomic's own. */
function errorOf({ isError, message, name, stack, code }: ThrownParts): Error {
  const error = new Error(isError ? message : `It threw ${message}`);
  if (isError) Object.assign(error, given({ name, stack, code }));
  return error;
}

function codeOf(error: unknown): string | undefined {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** The failure of a script, with the place in its file. */
function describeFailure(cause: unknown, path: string): ScriptFailedError {
  const { name, message, stack } = toError(cause);
  const kind = name === "Error" ? "" : `${name}: `;
  const place = stack?.split(path)[1]?.match(/^:\d+(?::\d+)?/)?.[0];
  const text = `${kind}${message}`;
  const placed = place === undefined ? text : `${text.replace(/\.$/, "")} (${path}${place})`;
  return new ScriptFailedError(placed, { cause, stack });
}
