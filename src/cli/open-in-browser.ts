import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../contracts/index.ts";
import { firstExecutable, programsOnPath } from "../system/index.ts";
import { agentEnvironment } from "./agents/agent-environment.ts";
import type { CliEnvironment } from "./environment.ts";

/** A browser that still runs after this time was opened, in milliseconds. */
const START_MS = 3_000;

/** Where {@link openInBrowser} opens what. */
export interface OpenInBrowserOptions {
  readonly platform: string;
  /** Absolute. */
  readonly path: string;
}

/**
 * Opens a file with the program that the platform has for it. Returns why it did not; undefined when it did. Opens nothing
 * where nobody would see it: in CI, without a display, and over SSH to a Mac. Does not throw.
 */
export async function openInBrowser(
  { env }: Pick<CliEnvironment, "env">,
  { platform, path }: OpenInBrowserOptions,
): Promise<string | undefined> {
  const own = agentEnvironment({ kind: "desktop", env });
  const isSet = (name: string): boolean => (own[name] ?? "") !== "";
  const isMac = platform === "darwin";
  if (isSet("CI")) return "the variable CI is set";
  if (isMac && isSet("SSH_CONNECTION")) return "this is an SSH session";
  if (!isMac && !isSet("DISPLAY") && !isSet("WAYLAND_DISPLAY")) return "there is no display";
  const name = isMac ? "open" : "xdg-open";
  // Relative folders of the PATH, which a project could fill, are left out.
  const program = await firstExecutable(programsOnPath(name, own));
  if (program === undefined) return `${name} is not installed`;
  try {
    return await start(spawn(program, [path], { env: own, cwd: "/", detached: true, stdio: "ignore" }), name);
  } catch (error) {
    return messageOf(error);
  }
}

/** Waits until the program has ended or has had its time: some of them stay as long as the browser. */
async function start(child: ChildProcess, name: string): Promise<string | undefined> {
  child.unref();
  const stop = new AbortController();
  const { signal } = stop;
  try {
    const ended = once(child, "exit", { signal }).then(([code]) => (code === 0 ? undefined : `${name} failed`));
    return await Promise.race([ended, sleep(START_MS, undefined, { signal })]);
  } finally {
    stop.abort();
  }
}
