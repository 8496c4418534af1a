import { findNodeAtLocation, type Node, parseTree } from "jsonc-parser";
import { type DiscoveryProblem, isRecord, messageOf, recordOf, stringOf } from "../../contracts/index.ts";
import { positionAt } from "../source-text.ts";
import { MAX_NAME_LENGTH } from "./definition-fields.ts";
import type { EntityLocation, EntityType, UnifiedEntity } from "./entity.ts";
import { fieldProblemsOf } from "./field-problems.ts";
import { faultsOfEntry, isDisabled, nameOfPlace } from "./opencode-entry-schema.ts";
import { createEntity, type DefinitionFile } from "./parse-definition.ts";
import { parseJsonObject } from "./parse-json-object.ts";
import { MAX_TOOL_PROBLEMS, toolProblemsOf } from "./tool-problems.ts";

/** What a configuration of OpenCode defines. */
export interface ParsedOpenCodeConfig {
  readonly entities: readonly UnifiedEntity[];
  /** Entries that define nothing by themselves, but change a definition of their name elsewhere, or switch it off. */
  readonly changes: readonly UnifiedEntity[];
  /** Entries with an error, so that no other definition of their name is used instead. */
  readonly unusable: readonly UnusableEntity[];
  readonly problems: readonly ConfigProblem[];
}

/** A definition that cannot be used, and the first reason. */
export interface UnusableEntity {
  /** Only its names and its source are certain. */
  readonly entity: UnifiedEntity;
  readonly problem: DiscoveryProblem;
}

/** A problem of the whole configuration, or of a section with definitions of some types. */
export interface ConfigProblem extends DiscoveryProblem {
  readonly types?: readonly EntityType[];
}

/** Settings of {@link parseOpenCodeConfig}. */
export interface OpenCodeConfigOptions {
  /** The file `opencode.json` or `opencode.jsonc`. */
  readonly path: string;
  readonly location: EntityLocation;
  /** The folder of the project that it is for, relative to the root. @default the root */
  readonly folder?: string;
  /** Whether the file is in a project that the user does not trust. @default false */
  readonly isUntrusted?: boolean;
  /** Puts in what `{file:…}` and `{env:…}` name in a text. */
  readonly expand: (text: string) => Promise<string>;
}

/** The keys of definitions, in OpenCode 1 and 2, and the field with the text of each. */
const SECTIONS: readonly (readonly [key: string, type: EntityType, field: string])[] = [
  ["agents", "agent", "prompt"],
  ["agent", "agent", "prompt"],
  ["mode", "agent", "prompt"],
  ["commands", "command", "template"],
  ["command", "command", "template"],
];

/** The most text of one configuration, in characters: a few files can be put in thousands of times. */
const MAX_TEXT_LENGTH = 16 * 1_048_576;

/** Reads the agents and commands of a configuration of OpenCode, JSON with comments and trailing commas. Never throws. */
export async function parseOpenCodeConfig(text: string, options: OpenCodeConfigOptions): Promise<ParsedOpenCodeConfig> {
  const { path } = options;
  const source = text.replace(/^\ufeff/, "");
  const parsed = parseJsonObject(source);
  if (parsed.value === undefined) {
    return {
      entities: [],
      changes: [],
      unusable: [],
      problems: [{ path, ...parsed.fault, remedy: "Correct the file.", severity: "error" }],
    };
  }
  const config = parsed.value;
  const entities: UnifiedEntity[] = [];
  const changes: UnifiedEntity[] = [];
  const unusable: UnusableEntity[] = [];
  const placed: PlacedProblem[] = [];
  const locate = createLocator(source, path);
  let textLength = 0;
  for (const [key, type, field] of SECTIONS) {
    const section = config[key];
    if (section !== undefined && !isRecord(section)) placed.push(faultAt([key], type, "must be an object"));
    for (const [name, value] of Object.entries(recordOf(section))) {
      if (textLength > MAX_TEXT_LENGTH) break;
      const entry = await expandEntry({ type, key, name, field, value }, options);
      placed.push(...entry.problems);
      const fault = entry.problems.find(({ severity }) => severity === "error");
      if (fault !== undefined) {
        // To find the place of each takes a while.
        const problem = unusable.length < MAX_TOOL_PROBLEMS ? locate(fault) : { path, ...fault };
        unusable.push({ entity: createEntity(fileOf(type, name, options), {}, ""), problem });
        continue;
      }
      const entity = readEntry(entry, options);
      (isDefinition(entry) ? entities : changes).push(entity);
      textLength += entity.prompt.length;
      if (textLength > MAX_TEXT_LENGTH) placed.push(unreadable(entry, TOO_LONG));
    }
  }
  return { entities, changes, unusable, problems: placed.slice(0, MAX_TOOL_PROBLEMS).map(locate) };
}

const TOO_LONG = "The texts of all entries are too long; those after it were not read";

const REMEDY = "Correct the entry; the others are used.";

interface PlacedProblem extends Pick<DiscoveryProblem, "message" | "remedy" | "severity"> {
  /** The keys that lead to it in the configuration. */
  readonly place: readonly string[];
  readonly types: readonly EntityType[];
}

/** Whatever OpenCode itself rejects, what its fields can be mistaken for, and misspelled tools. */
function problemsOfEntry(
  entry: readonly [key: string, name: string],
  type: EntityType,
  value: unknown,
): readonly PlacedProblem[] {
  if (entry[1].length > MAX_NAME_LENGTH) {
    return [faultAt(entry, type, `has a name with more than ${MAX_NAME_LENGTH} characters`)];
  }
  const faults = faultsOfEntry(type, value).map(({ place, message }) => faultAt([...entry, ...place], type, message));
  if (faults.length > 0 || !isRecord(value)) return faults;
  const ofFields = fieldProblemsOf(value, { type, provider: "opencode" });
  return [
    ...ofFields.map(({ field, ...problem }) => ({ ...problem, place: [...entry, field], types: [type] })),
    ...toolProblemsOf(value, { type, provider: "opencode" }).map(({ name, ...problem }) => ({
      ...problem,
      place: [...entry, "tools", name],
      types: [type],
    })),
  ];
}

function faultAt(place: readonly string[], type: EntityType, message: string): PlacedProblem {
  const remedy = place.length > 1 ? REMEDY : "Correct it; the rest of the file is used.";
  return { place, message: `${nameOfPlace(place)} ${message}`, remedy, severity: "error", types: [type] };
}

/** Adds the line and the column of a problem, or of the nearest place around it that exists. */
function createLocator(source: string, path: string): (problem: PlacedProblem) => ConfigProblem {
  let tree: Node | undefined;
  return ({ place, ...problem }) => {
    tree ??= parseTree(source, [], { allowTrailingComma: true });
    for (let length = place.length; tree !== undefined && length > 0; length--) {
      const node = findNodeAtLocation(tree, place.slice(0, length))?.parent;
      if (node !== undefined) return { path, ...positionAt(source, node.offset), ...problem };
    }
    return { path, ...problem };
  };
}

interface ConfigEntry {
  readonly type: EntityType;
  /** Of its section. */
  readonly key: string;
  readonly name: string;
  /** The field that holds the text. */
  readonly field: string;
  readonly value: unknown;
}

interface ExpandedEntry extends ConfigEntry {
  readonly value: Readonly<Record<string, unknown>>;
  /** An error among them makes the entry unusable. */
  readonly problems: readonly PlacedProblem[];
}

/** Puts in what `{file:…}` and `{env:…}` name anywhere in an entry. */
async function expandEntry(entry: ConfigEntry, { expand }: OpenCodeConfigOptions): Promise<ExpandedEntry> {
  const { type, key, name } = entry;
  try {
    const value = await expandTexts(entry.value, expand);
    return { ...entry, value: recordOf(value), problems: problemsOfEntry([key, name], type, value) };
  } catch (thrown) {
    return { ...entry, value: {}, problems: [unreadable(entry, messageOf(thrown))] };
  }
}

function unreadable({ type, key, name }: ConfigEntry, reason: string): PlacedProblem {
  const place = [key, name];
  return { ...faultAt(place, type, ""), message: `${nameOfPlace(place)}: ${reason}` };
}

async function expandTexts(value: unknown, expand: OpenCodeConfigOptions["expand"]): Promise<unknown> {
  if (typeof value === "string") return await expand(value);
  if (Array.isArray(value)) return await Promise.all(value.map((each) => expandTexts(each, expand)));
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(
    async ([name, each]) => [await expand(name), await expandTexts(each, expand)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

function readEntry({ type, name, field, value }: ExpandedEntry, options: OpenCodeConfigOptions): UnifiedEntity {
  const { [field]: text, name: _name, ...fields } = value;
  return createEntity(fileOf(type, name, options), fields, stringOf(text).trim());
}

/** Other entries switch an agent off, or only set something of one that OpenCode or another file defines. */
function isDefinition({ type, field, value }: ExpandedEntry): boolean {
  if (type === "agent" && isDisabled(value)) return false;
  return typeof value[field] === "string" || stringOf(value.description) !== "";
}

function fileOf(type: EntityType, name: string, options: OpenCodeConfigOptions): DefinitionFile {
  const { path, location, folder, isUntrusted = false } = options;
  const place = folder === undefined ? {} : { folder };
  return { type, path, name, provider: "opencode", location, ...place, isUntrusted };
}
