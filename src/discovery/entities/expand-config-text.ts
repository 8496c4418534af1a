import { resolve, sep } from "node:path";
import { readBoundedFile } from "../../system/index.ts";
import { realPathOf } from "../real-path.ts";
import { reasonOf } from "../unreadable-file.ts";

/** Settings of {@link createConfigExpander}. */
export interface ExpandConfigOptions {
  /** The folder of the configuration, from which relative paths lead. */
  readonly folder: string;
  readonly homeDirectory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * The only folder that files may be in, with no variables of the environment: a project that nobody trusts must not
   * bring the user's secrets into a prompt. @default any
   */
  readonly onlyWithin?: string;
}

const REFERENCE = /\{(file|env):([^{}\n]{1,4096})\}/g;

/** The most text that files and variables put into one text, in characters. */
const MAX_TEXT_LENGTH = 1_048_576;

/** So many files and variables one configuration can name. */
const MAX_REFERENCES = 1_000;

/** Puts in the files and variables that `{file:…}` and `{env:…}` name. @throws Error for a file that cannot be read, or may not be, and for too many of them */
export type ExpandConfigText = (text: string) => Promise<string>;

/** What expands the texts of one configuration, of which it reads each file once. */
export function createConfigExpander(options: ExpandConfigOptions): ExpandConfigText {
  const values = new Map<string, Promise<string>>();
  let count = 0;
  const resolveReference = async ([whole, kind, name = ""]: RegExpExecArray): Promise<string> => {
    count++;
    if (count > MAX_REFERENCES) throw new Error(`Files and variables are named more than ${MAX_REFERENCES} times`);
    const value = values.get(whole) ?? (kind === "env" ? readVariable(name, options) : readFile(name, options));
    values.set(whole, value);
    return await value;
  };
  return async (text) => {
    const parts: string[] = [];
    let end = 0;
    let length = 0;
    for (const match of text.matchAll(REFERENCE)) {
      const value = await resolveReference(match);
      length += value.length;
      if (length > MAX_TEXT_LENGTH) throw new Error(`The files in it have more than ${MAX_TEXT_LENGTH} characters`);
      parts.push(text.slice(end, match.index), value);
      end = match.index + match[0].length;
    }
    return [...parts, text.slice(end)].join("");
  };
}

async function readVariable(name: string, { env, onlyWithin }: ExpandConfigOptions): Promise<string> {
  if (onlyWithin !== undefined) throw new Error(`{env:${name}} needs a trusted project: atomic trust add`);
  return env[name.trim()] ?? "";
}

async function readFile(name: string, { folder, homeDirectory, onlyWithin }: ExpandConfigOptions): Promise<string> {
  const given = name.trim().replace(/^~(?=\/)/, homeDirectory);
  // What is checked is what is read: the kernel follows a link before a "..", and this path has neither.
  const path = realPathOf(resolve(folder, given));
  if (onlyWithin !== undefined && !path.startsWith(`${realPathOf(onlyWithin)}${sep}`)) {
    throw new Error(`{file:${name}} leads out of a project that is not trusted: atomic trust add`);
  }
  try {
    return (await readBoundedFile(path)).trim();
  } catch (error) {
    throw new Error(`{file:${name}} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}
