import { existsSync } from "node:fs";
import { join } from "node:path";
import { OUTSIDE_FILES, PROTECTED_FILES, type ProtectedFile } from "../../clients/index.ts";
import { nearestName, type PermissionEffect, type PermissionRule } from "../../contracts/index.ts";
import { formatTable, visibleLine, wrapWords } from "../../view/index.ts";
import { commandIn, createProjectPermissions, type RememberedPermission } from "../agents/permission-memory.ts";
import { type ConfigLayers, mergeConfigs } from "../config/config.ts";
import { CONFIG_NAMES } from "../config/config-file.ts";
import { describeRuleAdvice } from "../config/describe-rule-advice.ts";
import { resolvePermissions } from "../config/resolve-permissions.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { formatJson } from "../output/format-json.ts";
import { formatRule } from "../output/format-rule.ts";
import { tableColumns } from "../output/terminal.ts";
import { Workspace } from "../workspace.ts";
import type { ShowFlags } from "./runs-commands.ts";

/** The origin of a setting. */
type Owner = "user" | "project" | "default";

/** The permissions in effect in a project, with their origin. */
interface PermissionOverview {
  /** In the order of the policy, which `atomic permissions why` numbers. */
  readonly rules: readonly (PermissionRule & { readonly from: Owner })[];
  /** The effect of unmatched calls. */
  readonly otherwise: PermissionEffect;
  readonly otherwiseFrom: Owner;
  /** The less strict effect of unmatched calls in the other settings. */
  readonly overruledOtherwise?: { readonly effect: PermissionEffect; readonly from: Owner };
  /** Whether the project has settings that are ignored because it is not trusted. */
  readonly isProjectIgnored: boolean;
  /** Calls that are always allowed. */
  readonly remembered: readonly (RememberedPermission & { readonly number: number })[];
  readonly protectedFiles: readonly ProtectedFile[];
}

const OWNERS: Readonly<Record<Owner, string>> = {
  user: "your settings",
  project: "the project's settings",
  default: "default",
};

/** The origin in a table: the column of the calls must have the room. */
const SHORT_OWNERS: Readonly<Record<Owner, string>> = { user: "yours", project: "project", default: "default" };

/** Options of {@link listPermissionsCommand}. */
interface ListPermissionsFlags extends ShowFlags {
  /** Names only an example of each group of protected files. @default false */
  readonly isFolded?: boolean;
}

/** `atomic permissions list`: the rules of the settings, and the calls that are always allowed in this project. */
export async function listPermissionsCommand(
  environment: CliEnvironment,
  { json = false, isFolded = false }: ListPermissionsFlags,
): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const overview = await loadOverview(workspace);
  const advice = describeRuleAdvice(overview, workspace.workingDirectory);
  const columns = tableColumns(environment.stdout);
  environment.stdout.write(
    `${json ? formatJson(overview) : formatOverview(overview, { advice, columns, isFolded })}\n`,
  );
  return ExitCode.done;
}

async function loadOverview(workspace: Workspace): Promise<PermissionOverview> {
  const { projectDirectory, atomicHome, workingDirectory } = workspace;
  const layers = await workspace.loadConfigLayers(projectDirectory);
  const isTrusted = await workspace.trust.isTrusted(projectDirectory);
  const remembered = await createProjectPermissions(workspace).list();
  const {
    rules: _both,
    otherwise = "ask",
    protectedPaths = [],
  } = resolvePermissions({
    configured: mergeConfigs(layers).permissions,
    flags: { allow: [], deny: [], isYolo: false },
    ...{ atomicHome, workingDirectory },
  });
  return {
    rules: (["user", "project"] as const).flatMap((from) =>
      (layers[from].permissions?.rules ?? []).map((rule) => ({ ...rule, from })),
    ),
    otherwise,
    ...describeOtherwise(layers, otherwise),
    isProjectIgnored: !isTrusted && CONFIG_NAMES.some((name) => existsSync(join(projectDirectory, ".atomic", name))),
    remembered: remembered.map((permission, index) => ({ number: index + 1, ...permission })),
    protectedFiles: [
      ...protectedPaths.map((pattern) => ({ pattern, reason: whyProtected(layers, pattern) })),
      ...PROTECTED_FILES,
      OUTSIDE_FILES,
    ],
  };
}

function describeOtherwise(
  { user, project }: ConfigLayers,
  effect: PermissionEffect,
): Pick<PermissionOverview, "otherwiseFrom" | "overruledOtherwise"> {
  const said = { user: user.permissions?.otherwise, project: project.permissions?.otherwise };
  const otherwiseFrom = said.user === effect ? "user" : said.project === effect ? "project" : "default";
  const other = otherwiseFrom === "user" ? "project" : "user";
  const overruled = otherwiseFrom === "default" ? undefined : said[other];
  if (overruled === undefined || overruled === effect) return { otherwiseFrom };
  return { otherwiseFrom, overruledOtherwise: { effect: overruled, from: other } };
}

function whyProtected({ user, project }: ConfigLayers, pattern: string): string {
  if (user.permissions?.protectedPaths?.includes(pattern) === true) return "your settings list it";
  if (project.permissions?.protectedPaths?.includes(pattern) === true) return "the project's settings list it";
  return "Atomic keeps your settings in it, and what you trust and allowed";
}

interface OverviewStyle {
  readonly advice: readonly string[];
  readonly columns: number;
  readonly isFolded: boolean;
}

function formatOverview(overview: PermissionOverview, { advice, columns, isFolded }: OverviewStyle): string {
  const { rules, otherwise, otherwiseFrom, overruledOtherwise: overruled, remembered, isProjectIgnored } = overview;
  const rows = [
    ...rules.map((rule, index) => [`${index + 1}`, rule.effect, SHORT_OWNERS[rule.from], formatRule(rule)]),
    ["", otherwise, SHORT_OWNERS[otherwiseFrom], "everything else (reading in the project is allowed)"],
  ];
  const calls = remembered.map(({ number, title, allowedAt }) => [
    `${number}`,
    allowedAt.slice(0, 10),
    visibleLine(title),
  ]);
  const notes = [
    ...advice,
    ...(overruled === undefined
      ? []
      : [
          `Ignored: "otherwise": "${overruled.effect}" in ${OWNERS[overruled.from]}, because ${OWNERS[otherwiseFrom]} are stricter.`,
        ]),
    ...(isProjectIgnored
      ? ["Ignored: .atomic/config.json, because this project is not trusted. Trust it with: atomic trust add"]
      : []),
  ];
  const wrap = (line: string): readonly string[] => wrapWords(line, columns);
  const rememberedTable =
    calls.length === 0
      ? []
      : [
          "",
          formatTable(["CALL", "SINCE", "ALLOWED FOR GOOD IN THIS PROJECT"], calls, { columns }),
          ...wrap("Take one back with: atomic permissions forget CALL"),
        ];
  return [
    formatTable(["RULE", "EFFECT", "FROM", "WHAT"], rows, { columns }),
    ...notes.flatMap((note) => ["", ...wrap(note)]),
    ...rememberedTable,
    "",
    ...(isFolded ? foldProtected : formatProtected)(overview.protectedFiles).flatMap(wrap),
  ].join("\n");
}

/** The patterns of files by the reason for which they are protected. */
function groupByReason(files: readonly ProtectedFile[]): readonly (readonly [string, readonly string[]])[] {
  const patterns = new Map<string, readonly string[]>();
  for (const { pattern, reason } of files) patterns.set(reason, [...(patterns.get(reason) ?? []), pattern]);
  return [...patterns];
}

/** The protected files of the settings, and an example of each group of the others. */
function foldProtected(files: readonly ProtectedFile[]): readonly string[] {
  const known: ReadonlySet<ProtectedFile> = new Set(PROTECTED_FILES);
  const own = files.filter((file) => !known.has(file) && file !== OUTSIDE_FILES);
  const examples = groupByReason(PROTECTED_FILES).flatMap(([, patterns]) => patterns.slice(0, 1));
  const names = examples.map((pattern) => pattern.replace(/^\*\*\//, ""));
  return [
    "Changes of protected files require approval, unless a rule names them:",
    ...own.map(({ pattern, reason }) => `  ${visibleLine(pattern)}: ${reason}`),
    `  ${names.join(", ")} and ${PROTECTED_FILES.length - examples.length} more`,
    "  everything outside of the working directory",
    "All of them, and why: atomic permissions list",
  ];
}

/** The protected files, one paragraph per reason. */
function formatProtected(files: readonly ProtectedFile[]): readonly string[] {
  return [
    "Changes of these files require approval, unless a rule names them:",
    ...groupByReason(files).flatMap(([reason, globs]) => [`  ${globs.map(visibleLine).join("  ")}`, `      ${reason}`]),
  ];
}

/** `atomic permissions forget [CALL]`: revokes the always allowed calls of this project, all or one. */
export async function forgetPermissionsCommand(
  environment: CliEnvironment,
  call: string | undefined,
  flags: ShowFlags,
): Promise<ExitCode> {
  const memory = createProjectPermissions(new Workspace(environment));
  const remembered = await memory.list();
  const forgotten = call === undefined ? remembered : findCalls(remembered, call);
  await memory.forget(new Set(forgotten.map(({ key }) => key)));
  const titles = forgotten.map(({ title }) => title);
  const text =
    titles.length === 0
      ? "Nothing was allowed for good in this project."
      : ["Requires approval again:", ...titles.map((title) => `  ${visibleLine(title)}`)].join("\n");
  environment.stdout.write(`${flags.json ? formatJson({ forgotten: titles }) : text}\n`);
  return ExitCode.done;
}

/** The call with a number of the list, or those with a title or command. @throws UsageError when there is none */
function findCalls(remembered: readonly RememberedPermission[], text: string): readonly RememberedPermission[] {
  const wanted = text.trim();
  const namesOf = ({ key, title }: RememberedPermission): readonly string[] => [title, commandIn(key) ?? title];
  const named = remembered.filter((permission) => namesOf(permission).includes(wanted));
  if (named.length > 0) return named;
  const numbered = /^[1-9]\d*$/.test(wanted) ? remembered[Number(wanted) - 1] : undefined;
  if (numbered !== undefined) return [numbered];
  if (remembered.length === 0) {
    throw new UsageError(
      `There is no call "${visibleLine(wanted)}" to forget: nothing was allowed for good in this project.`,
    );
  }
  const nearest = nearestName(wanted, remembered.flatMap(namesOf));
  const hint = nearest === undefined ? "" : ` Did you mean "${visibleLine(nearest)}"?`;
  throw new UsageError(
    `No call "${visibleLine(wanted)}" was allowed for good in this project.${hint} List them with: atomic permissions list`,
  );
}
