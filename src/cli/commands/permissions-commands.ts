import type { PermissionRule } from "../../contracts/index.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { formatJson } from "../format-json.ts";
import { formatTable } from "../format-text.ts";
import { createProjectPermissions } from "../permission-memory.ts";
import { safeLine, safeText } from "../safe-text.ts";
import { Workspace } from "../workspace.ts";
import type { ShowFlags } from "./runs-commands.ts";

/** `atomic permissions list`: the rules of the settings, and what was allowed for good in this project. */
export async function listPermissionsCommand(environment: CliEnvironment, flags: ShowFlags): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const { permissions } = await workspace.loadConfig(workspace.projectDirectory);
  const remembered = await createProjectPermissions(workspace).list();
  const rules = permissions?.rules ?? [];
  const otherwise = permissions?.otherwise ?? "ask";
  if (flags.json) {
    environment.stdout.write(`${formatJson({ rules, otherwise, remembered })}\n`);
    return ExitCode.done;
  }
  const rows = [
    ...rules.map((rule) => [rule.effect, describeRule(rule), "settings"]),
    ...remembered.map(({ title, allowedAt }) => ["allow", safeLine(title, 80), `by you, ${allowedAt.slice(0, 10)}`]),
    [otherwise, "everything else (reading in the project is allowed)", "settings"],
  ];
  environment.stdout.write(`${formatTable(["EFFECT", "WHAT", "FROM"], rows)}\n`);
  return ExitCode.done;
}

/** `atomic permissions forget`: takes back what was allowed for good in this project. */
export async function forgetPermissionsCommand(environment: CliEnvironment, flags: ShowFlags): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const count = await createProjectPermissions(workspace).forgetAll();
  const text =
    count === 0 ? "Nothing was allowed for good in this project." : `Forgotten: ${count}. You will be asked again.`;
  environment.stdout.write(`${flags.json ? formatJson({ forgotten: count }) : text}\n`);
  return ExitCode.done;
}

function describeRule({ tools, paths, commands }: PermissionRule): string {
  const kinds = tools?.join(", ") ?? "everything";
  const limits = [...(paths ?? []), ...(commands ?? [])];
  return safeText(limits.length === 0 ? kinds : `${kinds}: ${limits.join(" | ")}`);
}
