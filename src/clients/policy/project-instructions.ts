import { readdir, readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { PermissionPolicy, PermissionRequest, PermissionRule } from "../../contracts/index.ts";
import { isWithin } from "../../system/index.ts";
import { exists } from "./files/file-places.ts";
import { dependsOnProcess, namesOf } from "./files/real-names.ts";
import { evaluatePermission, isOrdinaryReading } from "./rules/evaluate-permission.ts";

/** Where an agent looks for instructions in a folder. */
export interface InstructionPlaces {
  readonly files: readonly string[];
  /** Read only in folders without any of `files`. */
  readonly fallback?: string;
  /** A folder in which every file with this ending is read, at any depth. */
  readonly folder: { readonly name: string; readonly ending: string };
  /** Whether the agent reads up to the project's top folder, or in every folder above as well. */
  readonly reach: "project" | "root";
}

/** Where Claude Code looks. */
export const CLAUDE_INSTRUCTIONS: InstructionPlaces = {
  files: ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"],
  fallback: "AGENTS.md",
  folder: { name: ".claude/rules", ending: ".md" },
  reach: "root",
};

/** Where Copilot looks. */
export const COPILOT_INSTRUCTIONS: InstructionPlaces = {
  files: [".github/copilot-instructions.md", "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "GEMINI.md"],
  folder: { name: ".github/instructions", ending: ".instructions.md" },
  reach: "project",
};

/** Longer files are skipped. */
const MAX_BYTES = 262_144;

/** How deep imports of imports are followed, and the most imports in all. */
const MAX_IMPORT_DEPTH = 5;
const MAX_IMPORTS = 100;

const HEADING = "Follow the instructions of the project that you work in.";

/** The agent does not read these by itself, because one could lead to a file that may not be read. */
const MORE =
  "Folders further down may have instructions of their own, and `@path` names a file that may not be shown here. Read them with your tools where they matter.";

/** Settings of {@link loadProjectInstructions}. */
export interface ProjectInstructionsOptions {
  readonly places: InstructionPlaces;
  /** What may be read. */
  readonly permissions: PermissionPolicy | undefined;
  /** A folder of the user's whose files the agent reads by itself. @default none */
  readonly userFolder?: string;
}

/**
 * The plain instructions of a project, for an agent that must not read them itself: it would follow links and imports to
 * files that may not be read. Includes the target of a link or an import (`@path`) only if it is in the working directory
 * and can be read without approval. Includes the project's own files unless a rule denies them, whatever tools the agent
 * has. Empty when there are none. Never rejects.
 */
export async function loadProjectInstructions(
  workingDirectory: string,
  { places, permissions, userFolder }: ProjectInstructionsOptions,
): Promise<string> {
  const reader = new InstructionReader(path.resolve(workingDirectory), permissions ?? { rules: [] });
  for (const folder of await foldersAbove(workingDirectory, places.reach)) {
    const named = [...places.files, ...(await namesIn(folder, places.folder))].map((name) => path.join(folder, name));
    const files = named.filter((file) => userFolder === undefined || !isWithin(file, userFolder));
    const found = await Promise.all(files.map((file) => reader.findOwn(folder, file)));
    const { fallback } = places;
    const all =
      found.some((file) => file !== undefined) || fallback === undefined
        ? found
        : [await reader.findOwn(folder, path.join(folder, fallback))];
    for (const file of all) if (file !== undefined) await reader.read(file, 0);
  }
  return reader.texts.length === 0 ? "" : [HEADING, ...reader.texts, MORE].join("\n\n");
}

interface FoundFile {
  readonly name: string;
  readonly real: string;
  /** The permission request for reading it. */
  readonly request: PermissionRequest;
}

class InstructionReader {
  readonly texts: string[] = [];
  readonly #workingDirectory: string;
  readonly #permissions: PermissionPolicy;
  readonly #aboutFiles: PermissionPolicy;
  readonly #seen = new Set<string>();
  #importCount = 0;

  constructor(workingDirectory: string, permissions: PermissionPolicy) {
    this.#workingDirectory = workingDirectory;
    this.#permissions = permissions;
    this.#aboutFiles = { ...permissions, rules: permissions.rules.flatMap(withoutTools) };
  }

  /** A file in a folder that exists and may be included. */
  async findOwn(folder: string, name: string): Promise<FoundFile | undefined> {
    const found = await this.#find(name);
    const realFolder = await realpath(folder).catch(() => folder);
    const isLink = found?.real !== path.join(realFolder, path.relative(folder, name));
    return isLink ? this.#ifOrdinary(found) : this.#unlessDenied(found);
  }

  async read({ name, real }: FoundFile, depth: number): Promise<void> {
    if (this.#seen.has(real)) return;
    this.#seen.add(real);
    const text = await readFile(real, "utf8").catch(() => undefined);
    if (text === undefined) return;
    this.texts.push(`Contents of ${name}:\n\n${text}`);
    if (depth === MAX_IMPORT_DEPTH) return;
    for (const imported of importsOf(text)) {
      this.#importCount += 1;
      if (this.#importCount > MAX_IMPORTS) return;
      const file = this.#ifOrdinary(await this.#find(path.resolve(path.dirname(name), imported)));
      if (file !== undefined) await this.read(file, depth + 1);
    }
  }

  async #find(name: string): Promise<FoundFile | undefined> {
    try {
      const [real, entry] = await Promise.all([realpath(name), stat(name)]);
      if (!entry.isFile() || entry.size > MAX_BYTES || (await dependsOnProcess(name))) return undefined;
      const paths = await namesOf(name, this.#workingDirectory);
      return { name, real, request: { id: "", sessionId: "", kind: "read", toolName: "read", title: "", paths } };
    } catch {
      return undefined; // It does not exist, or cannot be read.
    }
  }

  /** Atomic reads outside the sandbox, so only files in the working directory can be allowed. */
  #ifOrdinary(file: FoundFile | undefined): FoundFile | undefined {
    if (file === undefined || !isOrdinaryReading(file.request, this.#options)) return undefined;
    const effect = this.#ruleAbout(file)?.effect ?? "allow";
    return effect === "allow" ? file : undefined;
  }

  #unlessDenied(file: FoundFile | undefined): FoundFile | undefined {
    return file === undefined || this.#ruleAbout(file, this.#aboutFiles)?.effect === "deny" ? undefined : file;
  }

  #ruleAbout({ request }: FoundFile, permissions = this.#permissions): PermissionRule | undefined {
    return evaluatePermission(permissions, request, this.#options).rule;
  }

  get #options(): { readonly workingDirectory: string } {
    return { workingDirectory: this.#workingDirectory };
  }
}

/**
 * What a rule says about files. A list of tools limits the agent's calls, and the project's own instructions are none; of
 * such a list, only patterns of files that may not be read apply, as in `!Read(private/**)`.
 */
function withoutTools(rule: PermissionRule): readonly PermissionRule[] {
  const { exceptTools, tools, paths, commands } = rule;
  if (exceptTools === undefined || (tools ?? paths ?? commands) !== undefined) return [rule];
  const excluded = exceptTools.filter((name) => /^\s*!.*\(/s.test(name));
  return excluded.length === 0 ? [] : [{ ...rule, exceptTools: excluded }];
}

/** The files that a text names with `@`, except in code. */
function importsOf(text: string): readonly string[] {
  const plain = text.replace(/```[\s\S]*?(?:```|$)/g, "").replace(/`[^`\n]*`/g, "");
  return [...plain.matchAll(/(?:^|\s)@([\w./-]+)/g)].map(([, name = ""]) => name.replace(/\.+$/, "")).filter(Boolean);
}

/** The outermost first. */
async function foldersAbove(workingDirectory: string, reach: InstructionPlaces["reach"]): Promise<readonly string[]> {
  const folders: string[] = [];
  for (let folder = path.resolve(workingDirectory); ; folder = path.dirname(folder)) {
    folders.unshift(folder);
    if (path.dirname(folder) === folder) return reach === "root" ? folders : [path.resolve(workingDirectory)];
    if (reach === "project" && (await exists(path.join(folder, ".git")))) return folders;
  }
}

async function namesIn(folder: string, { name, ending }: InstructionPlaces["folder"]): Promise<readonly string[]> {
  try {
    const names = await readdir(path.join(folder, name), { recursive: true });
    return names
      .filter((file) => file.endsWith(ending))
      .toSorted()
      .map((file) => path.join(name, file));
  } catch {
    return []; // The folder does not exist.
  }
}
