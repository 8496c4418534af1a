import { resolve, sep } from "node:path";
import { readBoundedFile } from "../read-bounded-file.ts";
import { realPathOf } from "../real-path.ts";
import { reasonOf } from "../unreadable-file.ts";

/** Settings of {@link expandConfigText}. */
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

/** The longest text that comes of an expansion, in characters. */
const MAX_TEXT_LENGTH = 1_048_576;

/** Puts in the files and variables that `{file:…}` and `{env:…}` name. @throws Error for a file that cannot be read, or may not be */
export async function expandConfigText(text: string, options: ExpandConfigOptions): Promise<string> {
  const parts: string[] = [];
  let end = 0;
  for (const match of text.matchAll(REFERENCE)) {
    const [whole, kind, name = ""] = match;
    parts.push(
      text.slice(end, match.index),
      kind === "env" ? readVariable(name, options) : await readFile(name, options),
    );
    end = match.index + whole.length;
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (length > MAX_TEXT_LENGTH) throw new Error(`The files in it have more than ${MAX_TEXT_LENGTH} characters`);
  }
  return [...parts, text.slice(end)].join("");
}

function readVariable(name: string, { env, onlyWithin }: ExpandConfigOptions): string {
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
