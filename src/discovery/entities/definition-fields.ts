import { nearestName } from "../../contracts/index.ts";
import type { EntityType, ProviderType } from "./entity.ts";

/** What decides which fields a definition can have. */
export interface DefinitionKind {
  readonly type: EntityType;
  readonly provider: ProviderType;
}

/** Fields that Atomic reads. */
const OWN_FIELDS: readonly string[] = [
  "name",
  "description",
  "aliases",
  "model",
  "tools",
  "allowed-tools",
  "disallowed-tools",
  "argument-hint",
  "arguments",
  "agent",
];

/** Fields of the vendors and of common tools that are near to one of Atomic's, or could be. */
const OTHER_FIELDS: ReadonlySet<string> = new Set(
  `agents always-apply author category color command commands date enabled files globs hooks icon id mode notes options
   permission permission-mode skills status tags target template title tool-choice trigger type version`.split(/\s+/),
);

/** The fields that can limit the tools of a definition. Pure. */
export function limitFieldsOf({ type, provider }: DefinitionKind): readonly string[] {
  return [
    "tools",
    "disallowed-tools",
    // To Claude Code, those of a command or a skill are tools that need no approval.
    ...(provider === "claude" && type !== "agent" ? [] : ["allowed-tools"]),
    ...(provider === "opencode" ? ["permission"] : []),
  ];
}

const LISTS_OF_TOOLS: ReadonlySet<string> = new Set(["tools", "allowed-tools", "disallowed-tools", "permission"]);

/** Whether a key is, in a spelling that Atomic reads, that of a field that limits tools for some vendor. Pure. */
export function isListOfTools(key: string): boolean {
  return LISTS_OF_TOOLS.has(usualFieldName(key));
}

/** The usual spelling of a field: `allowed-tools` for `allowedTools` and `allowed_tools`. Pure. */
export function usualFieldName(key: string): string {
  return key
    .replaceAll("_", "-")
    .replace(/([a-z0-9])([A-Z])/g, (_, before: string, letter: string) => `${before}-${letter.toLowerCase()}`);
}

/** Whether a key is, in a spelling that Atomic reads, that of a field it reads, or OpenCode's `permission`. Pure. */
export function isOwnField(key: string): boolean {
  const name = usualFieldName(key);
  return OWN_FIELDS.includes(name) || name === "permission";
}

/** The field that a misspelled key is meant to be; undefined for one that is known, or near to none. Pure. */
export function misspelledField(key: string, provider: ProviderType): string | undefined {
  const name = usualFieldName(key);
  if (isOwnField(key) || OTHER_FIELDS.has(name)) return undefined;
  const candidates = provider === "opencode" ? [...OWN_FIELDS, "permission"] : OWN_FIELDS;
  return nearestName(usualFieldName(plainKey(key)), candidates, { maxDistance: 2 });
}

/** Letters that look like those of the names of fields, in the order of {@link LATIN}. */
const LOOK_ALIKES = "аеорсхуіјѕԁһӏοανρτισ";
const LATIN = "aeopcxyijsdhloavptis";

/** A key without invisible characters and marks of Markdown, with the letters that others look like. Pure. */
export function plainKey(key: string): string {
  return key
    .normalize("NFKC")
    .replace(/[\p{Cf}\p{Cc}*`"']/gu, "")
    .replace(/[^\0-\x7f]/g, (letter) => LATIN.charAt(LOOK_ALIKES.indexOf(letter)) || letter)
    .trim();
}

/** What a key with the word "tool" or "permission" is most likely meant to be. */
export interface MeantLimit {
  readonly meant: string;
  /** Whether its words say that it limits. */
  readonly isLimit: boolean;
}

/** For a field that no vendor's definitions of this kind have, whose words are about tools or permissions. Pure. */
export function meantLimit(key: string, kind: DefinitionKind): MeantLimit | undefined {
  const words = usualFieldName(plainKey(key))
    .toLowerCase()
    .split(/[^a-z]+/);
  const name = usualFieldName(key);
  const isOther = OWN_FIELDS.includes(name) || (name !== "permission" && OTHER_FIELDS.has(name));
  const isPermission = words.some((word) => /^permissions?$/.test(word));
  if (isOther || limitFieldsOf(kind).includes(name)) return undefined;
  if (!isPermission && !words.some((word) => /^tools?$/.test(word))) return undefined;
  const excludes = words.some((word) =>
    /^(?:den(?:y|ie[ds])|disallow|exclu|forb|block|black|ban|prohibit|disable|without|never|not?$)/.test(word),
  );
  const isLimit = excludes || words.some((word) => /^(?:only|allow|permit|restrict|limit|white)/.test(word));
  if (isPermission && kind.provider === "opencode") return { meant: "permission", isLimit };
  return { meant: excludes ? "disallowed-tools" : "tools", isLimit };
}

/** Whether a key is that of a field that limits tools, also misspelled. Pure. */
export function isLimitField(key: string, kind: DefinitionKind): boolean {
  const limits = limitFieldsOf(kind);
  return limits.includes(usualFieldName(key)) || limits.includes(misspelledField(key, kind.provider) ?? "");
}

/** The longest name of a definition, in characters: it is shown in lists and errors. */
export const MAX_NAME_LENGTH = 200;
