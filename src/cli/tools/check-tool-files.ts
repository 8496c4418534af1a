import { checkTools } from "../../discovery/index.ts";
import type { AgentCheck } from "../agents/check-agents.ts";
import type { CliEnvironment } from "../environment.ts";
import { checksOf } from "../loading/workflow-errors.ts";
import type { Workspace } from "../workspace.ts";
import { checkToolFileInChild } from "./check-in-processes.ts";

/**
 * How many tools there are, and each problem with one of their files. A file runs in a process of its own, so one that never
 * returns is a problem like any other; those of an untrusted project are counted only.
 */
export async function checkToolFiles(
  environment: CliEnvironment,
  workspace: Workspace,
): Promise<readonly AgentCheck[]> {
  const { projectDirectory, atomicHome, trust } = workspace;
  const { tools, problems, untrusted } = await checkTools({
    projectDirectory,
    homeDirectory: atomicHome,
    isTrusted: await trust.isTrusted(projectDirectory),
    check: (file) => checkToolFileInChild(file, environment, workspace),
  });
  const found = count(tools.length, "tool");
  const names = tools.length === 0 ? found : `${found}: ${tools.map(({ name }) => name).join(", ")}`;
  const left = untrusted.length === 0 ? names : `${names}; ${count(untrusted.length, "file")} of this project left out`;
  return [
    { name: "tools", status: untrusted.length === 0 ? "ok" : "not trusted", detail: left },
    ...checksOf("tool", problems),
  ];
}

function count(length: number, noun: string): string {
  return `${length} ${length === 1 ? noun : `${noun}s`}`;
}
