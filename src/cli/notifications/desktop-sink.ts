import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { messageOf } from "../../contracts/index.ts";
import { firstExecutable, programsOnPath } from "../../system/index.ts";
import { safeLine } from "../../view/index.ts";
import { agentEnvironment } from "../agents/agent-environment.ts";
import type { CliEnvironment } from "../environment.ts";

const TIMEOUT_MS = 3_000;
const MAX_COLUMNS = 300;

/** The text is an argument of the script, never a part of it. */
const APPLE_SCRIPT = ["on run argv", 'display notification (item 1 of argv) with title "Atomic"', "end run"];

/** The program that shows notifications on this platform. */
export function desktopProgram(platform: string): "osascript" | "notify-send" {
  return platform === "darwin" ? "osascript" : "notify-send";
}

/** The arguments with which that program shows a text. */
export function desktopArguments(platform: string, text: string): readonly string[] {
  const line = safeLine(text, MAX_COLUMNS);
  if (platform === "darwin") return [...APPLE_SCRIPT.flatMap((part) => ["-e", part]), "--", line];
  // The text may contain markup.
  const escaped = line.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return ["--app-name=Atomic", "--", "Atomic", escaped];
}

/** Where the program is; undefined when it is missing. Ignores relative folders of the PATH, which a project could fill. */
export async function findDesktopProgram(
  { env }: Pick<CliEnvironment, "env">,
  platform: string,
): Promise<string | undefined> {
  return await firstExecutable(programsOnPath(desktopProgram(platform), agentEnvironment({ kind: "desktop", env })));
}

/** How a notification was shown. */
export type DesktopOutcome =
  | { readonly type: "delivered" }
  | { readonly type: "missing" | "failed"; readonly reason: string };

/** Shows a notification on the desktop. Does not throw. */
export async function showOnDesktop(
  environment: Pick<CliEnvironment, "env">,
  platform: string,
  text: string,
): Promise<DesktopOutcome> {
  const program = await findDesktopProgram(environment, platform);
  if (program === undefined) return { type: "missing", reason: `${desktopProgram(platform)} is not installed` };
  try {
    const env = agentEnvironment({ kind: "desktop", env: environment.env });
    await promisify(execFile)(program, [...desktopArguments(platform, text)], { env, cwd: "/", timeout: TIMEOUT_MS });
    return { type: "delivered" };
  } catch (error) {
    return { type: "failed", reason: messageOf(error).split("\n")[0] ?? "" };
  }
}
