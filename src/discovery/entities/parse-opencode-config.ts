import {
  findNodeAtLocation,
  type ParseError,
  type ParseErrorCode,
  parse,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { type DiscoveryProblem, isRecord, recordOf, stringOf } from "../../contracts/index.ts";
import { positionAt } from "../source-text.ts";
import type { EntityLocation, EntityType, UnifiedEntity } from "./entity.ts";
import { fieldProblemsOf } from "./field-problems.ts";
import { faultsOfEntry } from "./opencode-entry-schema.ts";
import { createEntity } from "./parse-definition.ts";
import { MAX_TOOL_PROBLEMS, toolProblemsOf } from "./tool-problems.ts";

/** What a configuration of OpenCode defines. */
export interface ParsedOpenCodeConfig {
  readonly entities: readonly UnifiedEntity[];
  readonly problems: readonly DiscoveryProblem[];
}

/** Settings of {@link parseOpenCodeConfig}. */
export interface OpenCodeConfigOptions {
  /** The file `opencode.json` or `opencode.jsonc`. */
  readonly path: string;
  readonly location: EntityLocation;
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
  const errors: ParseError[] = [];
  const source = text.replace(/^\ufeff/, "");
  const config: unknown = parse(source, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined || !isRecord(config)) {
    const where = error === undefined ? { line: 1, column: 1 } : positionAt(source, error.offset);
    const message = error === undefined ? "It is not an object" : `It is not valid JSON: ${wordsOf(error.error)}`;
    return { entities: [], problems: [{ path, ...where, message, remedy: "Correct the file.", severity: "error" }] };
  }
  const entities: UnifiedEntity[] = [];
  const problems: DiscoveryProblem[] = [];
  const placed: PlacedProblem[] = [];
  let textLength = 0;
  for (const [key, type, field] of SECTIONS) {
    const section = config[key];
    if (section !== undefined && !isRecord(section)) placed.push(faultAt([key], "must be an object"));
    for (const [name, value] of Object.entries(recordOf(section))) {
      if (textLength > MAX_TEXT_LENGTH) break;
      const found = problemsOfEntry([key, name], type, value);
      placed.push(...found);
      if (found.some(({ severity }) => severity === "error")) continue;
      try {
        const entity = await readEntry({ type, name, field, value }, options);
        if (entity === undefined) continue;
        entities.push(entity);
        textLength += entity.prompt.length;
        if (textLength > MAX_TEXT_LENGTH)
          throw new Error("The texts of all entries are too long; those after it were not read");
      } catch (thrown) {
        const reason = thrown instanceof Error ? thrown.message : String(thrown);
        problems.push({ path, message: `${nameOfPlace([key, name])}: ${reason}`, remedy: REMEDY, severity: "error" });
      }
    }
  }
  return { entities, problems: [...problems, ...locateInConfig(placed, { source, path })] };
}

const REMEDY = "Correct the entry; the others are used.";

interface PlacedProblem extends Pick<DiscoveryProblem, "message" | "remedy" | "severity"> {
  /** The keys that lead to it in the configuration. */
  readonly place: readonly string[];
}

/** Whatever OpenCode itself rejects, what its fields can be mistaken for, and misspelled tools. */
function problemsOfEntry(entry: readonly string[], type: EntityType, value: unknown): readonly PlacedProblem[] {
  const faults = faultsOfEntry(type, value).map(({ place, message }) => faultAt([...entry, ...place], message));
  if (faults.length > 0 || !isRecord(value)) return faults;
  const ofFields = fieldProblemsOf(value, { type, provider: "opencode" });
  return [
    ...ofFields.map(({ field, ...problem }) => ({ ...problem, place: [...entry, field] })),
    ...toolProblemsOf(value).map(({ name, ...problem }) => ({ ...problem, place: [...entry, "tools", name] })),
  ];
}

function faultAt(place: readonly string[], message: string): PlacedProblem {
  const remedy = place.length > 1 ? REMEDY : "Correct it; the rest of the file is used.";
  return { place, message: `${nameOfPlace(place)} ${message}`, remedy, severity: "error" };
}

/** A name with a line break must not look like a line of its own. */
function nameOfPlace(place: readonly string[]): string {
  return place.join(".").replace(/\s+/g, " ");
}

/** Adds the line and the column of each, or of the nearest place around it that exists. */
function locateInConfig(
  problems: readonly PlacedProblem[],
  { source, path }: { readonly source: string; readonly path: string },
): readonly DiscoveryProblem[] {
  const tree = problems.length === 0 ? undefined : parseTree(source, [], { allowTrailingComma: true });
  return problems.slice(0, MAX_TOOL_PROBLEMS).map(({ place, ...problem }) => {
    const find = (keys: readonly string[]) => tree && findNodeAtLocation(tree, [...keys])?.parent;
    const node = place.map((_, index) => find(place.slice(0, place.length - index))).find((each) => each !== undefined);
    return { path, ...positionAt(source, node?.offset ?? 0), ...problem };
  });
}

/** `ValueExpected` is "value expected". */
function wordsOf(code: ParseErrorCode): string {
  return printParseErrorCode(code)
    .replaceAll(/(?<!^)[A-Z]/g, " $&")
    .toLowerCase();
}

interface ConfigEntry {
  readonly type: EntityType;
  readonly name: string;
  /** The field that holds the text. */
  readonly field: string;
  readonly value: unknown;
}

/** Nothing for an entry that is switched off, or that only sets an agent of OpenCode's own. */
async function readEntry(entry: ConfigEntry, options: OpenCodeConfigOptions): Promise<UnifiedEntity | undefined> {
  const { type, name, field, value } = entry;
  const { path, location, isUntrusted = false, expand } = options;
  if (!isRecord(value) || value.disable === true || value.enabled === false) return undefined;
  const { [field]: text, name: _name, ...fields } = value;
  if (typeof text !== "string" && stringOf(value.description) === "") return undefined;
  const prompt = (await expand(stringOf(text))).trim();
  return createEntity({ type, path, name, provider: "opencode", location, isUntrusted }, fields, prompt);
}
