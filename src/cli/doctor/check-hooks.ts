import type { UserHook } from "../../contracts/index.ts";
import { readHookFiles } from "../../discovery/index.ts";
import { safeLine, visibleLine } from "../../view/index.ts";
import type { AgentCheck as Check } from "../agents/check-agents.ts";
import type { Config } from "../config/config.ts";
import type { CliEnvironment } from "../environment.ts";
import { hookFoldersOf } from "../hooks/open-hooks.ts";
import { hooksSettingOf } from "../hooks/select-hooks.ts";
import { checksOf } from "../loading/workflow-errors.ts";
import type { Workspace } from "../workspace.ts";

/** Where hooks are looked for. */
export interface CheckHooksOptions {
  readonly environment: CliEnvironment;
  readonly workspace: Workspace;
  readonly config: Config;
  /** As for agents. */
  readonly isProjectTrusted: boolean;
}

/** A file with hooks, in the output as JSON. */
interface HookFile {
  readonly path: string;
  readonly hooks: number;
  readonly source: UserHook["source"];
  /** False for a file of a project that is not trusted: nothing of it runs. */
  readonly isTrusted: boolean;
}

/** The files with hooks of the user and the project, how many each has, whether they are trusted; and what is wrong with them. */
export async function checkHooks({
  environment,
  workspace,
  config,
  isProjectTrusted,
}: CheckHooksOptions): Promise<readonly (Check & { readonly files?: readonly HookFile[] })[]> {
  const { projectDirectory } = workspace;
  const { hooks, problems } = await readHookFiles(hookFoldersOf({ environment, projectDirectory }));
  const byPath = Object.entries(Object.groupBy(hooks, ({ filePath }) => filePath));
  const files = byPath.map(([path, found = []]): HookFile => {
    const source = found[0]?.source ?? "user";
    return { path, hooks: found.length, source, isTrusted: source === "user" || isProjectTrusted };
  });
  const isOff = hooksSettingOf(config, {}) === "off";
  const detail = [
    `${count(hooks.length, "hook")}${isOff ? ", turned off" : ""}`,
    ...(files.length === 0 ? [] : [files.map(describeFile).join(", ")]),
  ].join(": ");
  const about = { name: "hooks", detail, files } as const;
  return [
    files.every((file) => file.isTrusted)
      ? { ...about, status: "ok" }
      : {
          ...about,
          status: "not trusted",
          remedy: "Look at the project's hooks: atomic hooks list. Then: atomic trust add",
        },
    ...checksOf("hook", problems),
  ];
}

function describeFile({ path, hooks, isTrusted }: HookFile): string {
  return `${visibleLine(path)} (${hooks}${isTrusted ? "" : ", not trusted"})`;
}

function count(number: number, noun: string): string {
  return safeLine(`${number} ${noun}${number === 1 ? "" : "s"}`, 40);
}
