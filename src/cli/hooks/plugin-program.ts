/**
 * The program that imports a user's plugins of OpenCode and calls their hooks for other agents. It reads lines of JSON on
 * standard input: first a `PluginStart`, then calls, which it executes one after the other. Its answers, one line each, go
 * to an extra pipe, so that plugins can print. It ends with its standard input.
 */
import { writeSync } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { $ } from "bun";
import { isRecord, messageOf, stringOf } from "../../contracts/index.ts";
import { FIRST_EXTRA_PIPE } from "../../system/index.ts";
import { isPluginStart, type PluginStart } from "./plugin-request.ts";

type Hook = (input: unknown, output: unknown) => unknown;

/** What a plugin has returned. */
interface LoadedPlugin {
  readonly path: string;
  readonly hooks: Readonly<Record<string, unknown>>;
}

function send(message: object): void {
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
  for (let sent = 0; sent < bytes.length; ) sent += writeSync(FIRST_EXTRA_PIPE, bytes, sent);
}

function fail(message: string): never {
  writeSync(2, `error: ${message}\n`);
  process.exit(2);
}

/** OpenCode's client: only its log has a counterpart. */
function createClient(path: string): unknown {
  const missing = (name: string): unknown =>
    new Proxy(() => undefined, {
      get: (_target, key) => (key === "then" ? undefined : missing(`${name}.${String(key)}`)),
      apply: () => Promise.reject(new Error(`${name}() is only there when OpenCode itself runs the plugin ${path}.`)),
    });
  const log = async (): Promise<{ readonly data: true }> => ({ data: true });
  const app = new Proxy(
    { log },
    { get: (target, key) => (key === "log" ? target.log : missing(`client.app.${String(key)}`)) },
  );
  return new Proxy({}, { get: (_target, key) => (key === "app" ? app : missing(`client.${String(key)}`)) });
}

/** The functions that a module exports, also in the form `{ id, server }`; each once. */
function pluginsIn(module: Readonly<Record<string, unknown>>): readonly ((context: unknown) => unknown)[] {
  const values = Object.values(module).map((value) => (isRecord(value) && "server" in value ? value.server : value));
  return [...new Set(values)].filter((value) => typeof value === "function") as ((context: unknown) => unknown)[]; // the filter checks it
}

async function load(path: string, { directory, worktree }: PluginStart): Promise<readonly LoadedPlugin[]> {
  const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(path).href);
  const context = {
    client: createClient(path),
    project: { id: "global", worktree, time: { created: Date.now() } },
    directory,
    worktree,
    serverUrl: new URL("http://127.0.0.1"),
    $: $.cwd(directory),
  };
  const loaded: LoadedPlugin[] = [];
  for (const create of pluginsIn(module)) {
    const hooks = await create(context);
    if (isRecord(hooks)) loaded.push({ path, hooks });
  }
  return loaded;
}

async function loadAll(start: PluginStart): Promise<readonly LoadedPlugin[]> {
  process.chdir(start.directory);
  const loaded: LoadedPlugin[] = [];
  for (const path of start.plugins) {
    try {
      loaded.push(...(await load(path, start)));
    } catch (error) {
      send({ problem: `The plugin ${path} of OpenCode cannot be loaded here: ${messageOf(error)}` });
    }
  }
  return loaded;
}

async function answer(plugins: readonly LoadedPlugin[], call: Readonly<Record<string, unknown>>): Promise<void> {
  const { id, input, output } = call;
  const name = stringOf(call.hook);
  let failure: string | undefined;
  for (const { path, hooks } of plugins) {
    const hook = hooks[name];
    if (typeof hook !== "function") continue;
    try {
      await (hook as Hook)(input, output); // a plugin's hooks take these two
    } catch (error) {
      failure ??= `${messageOf(error)} (${path})`;
      // All plugins receive an event; a decision is made by the first one that throws.
      if (name !== "event") break;
    }
  }
  send(failure === undefined ? { id, output } : { id, error: failure });
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

// As in bin/start.ts: this is for the process itself, not for the programs that plugins start.
if (process.env.ATOMIC_BUN_CACHE === "unset") delete process.env.BUN_RUNTIME_TRANSPILER_CACHE_PATH;
delete process.env.ATOMIC_BUN_CACHE;

// Plugins may leave promises that nobody catches, which OpenCode only logs.
process.on("unhandledRejection", (error) => send({ problem: `A plugin of OpenCode failed: ${messageOf(error)}` }));
process.on("uncaughtException", (error) => send({ problem: `A plugin of OpenCode failed: ${messageOf(error)}` }));

/** What the program knows between two lines. */
const state: { plugins?: Promise<readonly LoadedPlugin[]>; last: Promise<void> } = { last: Promise.resolve() };

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const value = parseLine(line);
    const { plugins } = state;
    if (plugins === undefined) {
      if (!isPluginStart(value)) fail("only Atomic itself can use this program (see: atomic --help)");
      state.plugins = loadAll(value);
    } else if (isRecord(value)) state.last = state.last.then(async () => answer(await plugins, value));
  })
  .on("close", () => process.exit(0));
