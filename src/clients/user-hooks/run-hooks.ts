import { type HookCommand, messageOf, promptTextOf } from "../../contracts/index.ts";
import { boundEffect } from "./bound-effect.ts";
import { readClaudeRun, toClaudeEvent } from "./claude-hook-shape.ts";
import { readCopilotRun, toCopilotEvent } from "./copilot-hook-shape.ts";
import { type HookEffect, NO_EFFECT } from "./hook-effect.ts";
import type { HookOccasion, VendorEvent } from "./hook-occasion.ts";
import { matchesHook } from "./matches-hook.ts";
import { toPluginCalls } from "./plugin-calls.ts";
import type { PluginHost } from "./plugin-host.ts";
import { type HookRun, runHookCommand } from "./run-hook-command.ts";

/** What hooks run with. */
export interface RunHooksOptions {
  readonly commands: readonly HookCommand[];
  readonly plugins: PluginHost | undefined;
  readonly projectDirectory: string;
  readonly env: Readonly<Record<string, string>>;
  /** Receives commands that nobody waits for. */
  readonly onAsync: (work: Promise<void>) => void;
  /** Receives what a hook says or does wrong. */
  readonly onEffect: (hook: string, effect: HookEffect) => void;
  readonly signal?: AbortSignal | undefined;
  /** Ends what nobody waits for. */
  readonly closing: AbortSignal;
}

/** A hook that fits an event. */
interface FittingHook {
  readonly hook: HookCommand;
  readonly event: VendorEvent;
  readonly read: (run: HookRun & { type: "exited" }) => HookEffect;
}

/**
 * Runs the hooks for an event: commands side by side, then plugins, one after the other, which see what the commands
 * changed. Returns what each wants, in the order of the files. @throws the signal's reason
 */
export async function runHooks(occasion: HookOccasion, options: RunHooksOptions): Promise<readonly HookEffect[]> {
  const fitting = uniqueOf(options.commands.flatMap((hook) => findFitting(hook, occasion) ?? []));
  const effects = await Promise.all(fitting.map((one) => runCommand(one, occasion, options)));
  if (options.plugins === undefined || effects.some(({ block }) => block !== undefined)) return effects;
  return [...effects, ...(await callPlugins(withChanges(occasion, effects), options.plugins, options))];
}

function findFitting(hook: HookCommand, occasion: HookOccasion): FittingHook | undefined {
  const fitting = hook.shape === "claude" ? fitClaude(hook, occasion) : fitCopilot(hook, occasion);
  return fitting !== undefined && matchesHook(hook, fitting.event.matched) ? fitting : undefined;
}

function fitClaude(hook: HookCommand, occasion: HookOccasion): FittingHook | undefined {
  const event = toClaudeEvent(occasion);
  if (event?.name !== hook.event) return undefined;
  const { name } = event;
  return { hook, event, read: (run) => readClaudeRun(name, run) };
}

function fitCopilot(hook: HookCommand, occasion: HookOccasion): FittingHook | undefined {
  const event = toCopilotEvent(occasion);
  if (event?.name !== hook.event) return undefined;
  const { name } = event;
  return { hook, event, read: (run) => readCopilotRun(name, run) };
}

/** The same command in several files runs once. */
function uniqueOf(fitting: readonly FittingHook[]): readonly FittingHook[] {
  const seen = new Set<string>();
  return fitting.filter(({ hook: { shape, event, command, args, shell, directory, env } }) => {
    const key = JSON.stringify([shape, event, command, args, shell, directory, env]);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

async function runCommand(
  { hook, event, read }: FittingHook,
  occasion: HookOccasion,
  { projectDirectory, env, onAsync, onEffect, signal: whileWaiting, closing }: RunHooksOptions,
): Promise<HookEffect> {
  const signal = hook.isAsync ? closing : whileWaiting;
  const name = `The hook ${hook.event} in ${hook.filePath}:${hook.line}`;
  const { workingDirectory } = occasion;
  const run = runHookCommand(hook, { input: event.input, workingDirectory, projectDirectory, env, signal });
  if (hook.isAsync) {
    onAsync(
      run.then(
        (end) => onEffect(name, pickProblem(readRun(hook, end, read))),
        () => undefined, // aborted
      ),
    );
    return NO_EFFECT;
  }
  const effect = report(name, readRun(hook, await run, read), { occasion, onEffect });
  return effect.input === undefined || event.restore === undefined
    ? effect
    : { ...effect, input: event.restore(effect.input) };
}

/** Reports a hook's effect, and returns it as long as it may be. */
function report(
  name: string,
  whole: HookEffect,
  { occasion: { fact }, onEffect }: { readonly occasion: HookOccasion } & Pick<RunHooksOptions, "onEffect">,
): HookEffect {
  const promptLength = fact.event === "message.before" ? promptTextOf(fact.data.prompt).length : 0;
  const { effect, cut } = boundEffect(whole, { promptLength });
  onEffect(name, effect);
  if (cut !== undefined) onEffect(name, { problem: cut });
  return effect;
}

/** Nobody waits for a decision. */
function pickProblem({ problem }: HookEffect): HookEffect {
  return problem === undefined ? NO_EFFECT : { problem };
}

function readRun(hook: HookCommand, run: HookRun, read: FittingHook["read"]): HookEffect {
  const effect = run.type === "exited" ? read(run) : { problem: describeFailure(hook, run) };
  const { problem } = effect;
  return problem !== undefined && hook.blocksOnFailure ? { ...effect, block: `The hook ${problem}` } : effect;
}

function describeFailure({ timeoutMs }: HookCommand, run: Exclude<HookRun, { type: "exited" }>): string {
  return run.type === "timed-out" ? `took longer than ${timeoutMs / 1_000} s and was ended` : `failed: ${run.message}`;
}

/** The event as commands changed it. */
function withChanges(occasion: HookOccasion, effects: readonly HookEffect[]): HookOccasion {
  const { fact } = occasion;
  const input = effects.findLast((effect) => effect.input !== undefined)?.input;
  const prompt = effects.findLast((effect) => effect.prompt !== undefined)?.prompt;
  if (fact.event === "tool.before" && input !== undefined)
    return { ...occasion, fact: { ...fact, data: { ...fact.data, input } } };
  if (fact.event === "message.before" && prompt !== undefined)
    return { ...occasion, fact: { ...fact, data: { prompt } } };
  return occasion;
}

async function callPlugins(
  occasion: HookOccasion,
  plugins: PluginHost,
  { onEffect, signal }: RunHooksOptions,
): Promise<readonly HookEffect[]> {
  const effects: HookEffect[] = [];
  for (const { hook, input, output, read, restore } of toPluginCalls(occasion)) {
    const effect = await plugins.call(hook, { input, output, signal }).then(read, (error: unknown): HookEffect => {
      signal?.throwIfAborted();
      return { problem: messageOf(error) };
    });
    const told = effect.problem === undefined ? effect : { problem: `failed: ${effect.problem}` };
    const bounded = report(`The hook "${hook}" of OpenCode's plugins`, told, { occasion, onEffect });
    const changed =
      bounded.input === undefined || restore === undefined ? bounded : { ...bounded, input: restore(bounded.input) };
    effects.push(changed);
  }
  return effects;
}
