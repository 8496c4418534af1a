import { basename, dirname } from "node:path";
import { type DiscoveryProblem, isRecord } from "../../contracts/index.ts";
import { isLimitField, MAX_NAME_LENGTH } from "./definition-fields.ts";
import type { EntityLocation, EntityType, ProviderType, UnifiedEntity } from "./entity.ts";
import { fieldProblemsOf, NOT_USED } from "./field-problems.ts";
import { mergeFields } from "./merge-fields.ts";
import { normalizeModel } from "./normalize-model.ts";
import { bareToolName, normalizeExclusions, normalizeTools } from "./normalize-tools.ts";
import { faultsOfEntry, isDisabled, nameOfPlace } from "./opencode-entry-schema.ts";
import { type FrontmatterProblem, fieldOf, type ParseYaml, parseFrontmatter } from "./parse-frontmatter.ts";
import { lineOfTool, MAX_TOOL_PROBLEMS, toolProblemsOf } from "./tool-problems.ts";

/** A file that holds one definition. */
export interface DefinitionFile {
  readonly type: EntityType;
  /** As a person would write it. */
  readonly path: string;
  /** Its name, derived from the path, such as `git:commit` or `code-review`. */
  readonly name: string;
  readonly provider: ProviderType;
  readonly location: EntityLocation;
  /** The folder of the project that it is in, relative to the root. @default the root */
  readonly folder?: string;
  /** The plugin that brings the file. */
  readonly plugin?: string;
  /** The plugin's folder. */
  readonly pluginDirectory?: string;
  /** Whether the file is in a project that the user does not trust. */
  readonly isUntrusted?: boolean;
}

/** What a definition came to. */
export interface ParsedDefinition {
  readonly entity?: UnifiedEntity;
  /** What switches off the agents of its name that other places define. */
  readonly change?: UnifiedEntity;
  /** What it would be; only its names and its source are certain. */
  readonly unusable?: UnifiedEntity;
  readonly problems: readonly DiscoveryProblem[];
}

/** Reads a definition in Markdown. What its vendor accepts is accepted; anything else is a problem. Pure, never throws. */
export function parseDefinition(file: DefinitionFile, text: string, parseYaml: ParseYaml): ParsedDefinition {
  const { path } = file;
  if (text.includes("\0")) return refused(file, "This is not text", "Replace it with a Markdown file, or remove it.");
  if (text.trim() === "") return refused(file, "The file is empty", "Write the prompt into it, or remove it.");
  const { fields, body, hasFrontmatter, problems: ofHead } = parseFrontmatter(text, parseYaml);
  // Agents' folders have a README of their own at times.
  if (!hasFrontmatter && /^readme\.md$/i.test(basename(path))) return { problems: [] };
  // What is reported of a field's text need not be reported of the value that was made of it.
  const doubtful = ofHead.flatMap((problem) => problem.fields ?? []);
  const problems = [
    ...ofHead.map((problem) => problemOfHead(file, problem)),
    ...(file.type === "instructions" ? [] : problemsOf(file, { text, fields, body, doubtful })),
  ];
  const entity = createEntity(file, fields, body.trim());
  if (problems.some(isError)) return { unusable: entity, problems };
  if (file.provider === "opencode" && file.type === "agent" && isDisabled(fields)) {
    return { change: entity, problems };
  }
  if (entity.prompt === "" && entity.type !== "agent") {
    return { entity, problems: [...problems, warning(path, { message: "Nothing follows the frontmatter" })] };
  }
  return { entity, problems };
}

/** A definition in parts, and the fields of which the text was in doubt. */
interface DefinitionParts {
  readonly text: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
  readonly doubtful: readonly string[];
}

function problemsOf(file: DefinitionFile, parts: DefinitionParts): readonly DiscoveryProblem[] {
  const lines = parts.text.split("\n");
  const ofFields = problemsOfFields(file, lines, parts);
  return [
    ...ofFields,
    ...(ofFields.some(isError) ? [] : faultsForOpenCode(file, lines, parts)),
    ...problemsOfTools(file, parts),
    ...warningsAboutName(file, parts.fields),
  ];
}

function isError({ severity }: DiscoveryProblem): boolean {
  return severity === "error";
}

/** A head in which a limit of tools is lost makes the definition unusable. */
function problemOfHead(file: DefinitionFile, { line, message, fields = [] }: FrontmatterProblem): DiscoveryProblem {
  const { path, type } = file;
  const hidesLimit = type !== "instructions" && fields.some((field) => isLimitField(field, file));
  if (!hidesLimit) return warning(path, { line, message });
  return { path, line, message, remedy: NOT_USED, severity: "error" };
}

function problemsOfFields(
  file: DefinitionFile,
  lines: readonly string[],
  { fields, doubtful }: DefinitionParts,
): readonly DiscoveryProblem[] {
  const certain = Object.fromEntries(Object.entries(fields).filter(([field]) => !doubtful.includes(field)));
  // Errors come first: to find the place of each takes a while, and one makes the definition unusable.
  const found = fieldProblemsOf(certain, file).toSorted((left, right) => left.severity.localeCompare(right.severity));
  return found
    .slice(0, MAX_TOOL_PROBLEMS)
    .map(({ field, ...problem }) => ({ path: file.path, ...lineOfField(lines, field), ...problem }));
}

function lineOfField(lines: readonly string[], field: string): { readonly line?: number } {
  const line = lines.findIndex((each) => each.trimStart().replace(/^["']/, "").startsWith(field)) + 1;
  return line === 0 ? {} : { line };
}

/** Whatever OpenCode itself rejects; it does not start then. */
function faultsForOpenCode(
  { type, provider, path }: DefinitionFile,
  lines: readonly string[],
  { fields, body }: DefinitionParts,
): readonly DiscoveryProblem[] {
  if (provider !== "opencode" || (type !== "agent" && type !== "command")) return [];
  const entry = { ...fields, [type === "agent" ? "prompt" : "template"]: body };
  return faultsOfEntry(type, entry)
    .slice(0, MAX_TOOL_PROBLEMS)
    .map(({ place, message }) => ({
      path,
      ...lineOfField(lines, place[0] ?? ""),
      message: `${nameOfPlace(place)} ${message}`,
      remedy: "Correct it: OpenCode rejects the file, and does not start.",
      severity: "error",
    }));
}

function warningsAboutName({ path, name }: DefinitionFile, fields: Readonly<Record<string, unknown>>) {
  if ((textOf(fields.name)?.length ?? 0) <= MAX_NAME_LENGTH) return [];
  const message = `Its name has more than ${MAX_NAME_LENGTH} characters, so it is called "${name}"`;
  return [{ path, message, remedy: "Give it a shorter name.", severity: "warning" } as const];
}

/** Makes an entity of its fields and its text. Pure. */
export function createEntity(
  file: DefinitionFile,
  written: Readonly<Record<string, unknown>>,
  prompt: string,
): UnifiedEntity {
  const fields = file.provider === "opencode" ? mergeFields({}, written) : written;
  const { type, path, provider, location, folder, plugin, pluginDirectory, isUntrusted = false } = file;
  const name = nameOf(file, fields);
  const others = [file.name, ...textsOf([fields.name]), ...textsOf(fields.aliases)];
  const aliases = [...new Set(others)].filter((other) => other !== name && other.length <= MAX_NAME_LENGTH);
  const tools = normalizeTools(fieldOf(fields, "tools") ?? fieldOf(fields, "allowed-tools"));
  const denied = normalizeExclusions(fieldOf(fields, "disallowed-tools")).map(bareToolName);
  const deniedTools = [...new Set([...(tools.deniedTools ?? []), ...denied])];
  const vendorModel = firstText(fields.model);
  const argumentHint = hintOf(fieldOf(fields, "argument-hint"));
  // Copilot's prompts called it mode.
  const agent =
    textOf(fields.agent) ?? (provider === "copilot" && type === "command" ? textOf(fields.mode) : undefined);
  return {
    type,
    name,
    description: textOf(fields.description) ?? describe(type, name, prompt),
    ...(aliases.length > 0 ? { aliases } : {}),
    // Other texts may have it in a command, where it must be quoted: they are expanded when they are used.
    prompt: type === "agent" && pluginDirectory !== undefined ? putPluginRoot(prompt, pluginDirectory) : prompt,
    ...(tools.tools === undefined ? {} : { tools: tools.tools }),
    ...(tools.vendorTools === undefined ? {} : { vendorTools: tools.vendorTools }),
    ...(deniedTools.length > 0 ? { deniedTools } : {}),
    ...(vendorModel === undefined ? {} : { model: normalizeModel(vendorModel), vendorModel }),
    ...(argumentHint === undefined ? {} : { argumentHint }),
    ...(agent === undefined ? {} : { agent }),
    ...(type === "skill" || /^skill\.md$/i.test(basename(path)) ? { directory: dirname(path) } : {}),
    fields,
    source: {
      provider,
      location,
      path,
      ...(folder === undefined ? {} : { folder }),
      ...(plugin === undefined ? {} : { plugin }),
      ...(pluginDirectory === undefined ? {} : { pluginDirectory }),
      ...(isUntrusted ? { isUntrusted } : {}),
    },
  };
}

function putPluginRoot(text: string, directory: string): string {
  return text.replace(/\$\{CLAUDE_PLUGIN_ROOT\}/g, () => directory);
}

/**
 * A command is called by the name of its file, so a `name` in it is one more. A plugin's definitions are called by the
 * plugin's name as well.
 */
function nameOf({ type, name, provider, plugin }: DefinitionFile, fields: Readonly<Record<string, unknown>>): string {
  const own = textOf(fields.name);
  if (own === undefined || own.length > MAX_NAME_LENGTH) return name;
  // In a plugin, the folders of an agent are part of its name.
  if (plugin !== undefined && type === "agent") return name.replace(/[^:]*$/, () => own);
  if (plugin !== undefined) return type === "command" ? name : `${plugin}:${own}`;
  return type === "command" && provider !== "opencode" && provider !== "copilot" ? name : own;
}

/** The text of a field; numbers and yes or no are what YAML made of a text. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** Some vendors take several models, of which the first that they have is used. */
function firstText(value: unknown): string | undefined {
  return textOf(Array.isArray(value) ? value[0] : value);
}

function textsOf(value: unknown): readonly string[] {
  const texts = typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [];
  return texts.map(textOf).filter((text) => text !== undefined);
}

/** YAML takes the hint `[message]` for a list, and `{ … }` for an object. */
function hintOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.map((part) => `[${isRecord(part) ? keysOf(part) : String(part)}]`).join(" ");
  return isRecord(value) ? `{${keysOf(value)}}` : textOf(value);
}

function keysOf(value: object): string {
  return Object.keys(value).join(", ");
}

/** The description of a definition that has none. */
function describe(type: EntityType, name: string, prompt: string): string {
  if (type === "agent") return `Agent: ${name}`;
  const line = prompt.split("\n").find((each) => each.trim() !== "") ?? "";
  return line
    .replace(/^#+\s*/, "")
    .trim()
    .slice(0, 200);
}

function problemsOfTools(file: DefinitionFile, { text, fields }: DefinitionParts): readonly DiscoveryProblem[] {
  return toolProblemsOf(fields, file).map(({ name, ...problem }) => {
    const line = lineOfTool(text, name);
    return { path: file.path, ...(line === undefined ? {} : { line }), ...problem };
  });
}

function refused(file: DefinitionFile, message: string, remedy: string): ParsedDefinition {
  return unusableDefinition(file, { path: file.path, line: 1, message, remedy, severity: "error" });
}

/** A definition of which nothing but the file's name is known. Pure. */
export function unusableDefinition(file: DefinitionFile, problem: DiscoveryProblem): ParsedDefinition {
  return { unusable: createEntity(file, {}, ""), problems: [problem] };
}

function warning(path: string, about: { readonly line?: number; readonly message: string }): DiscoveryProblem {
  return {
    path,
    ...about,
    remedy: "Correct the file; for now, only its readable part is used.",
    severity: "warning",
  };
}
