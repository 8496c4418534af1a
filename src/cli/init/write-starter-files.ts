import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { isRecord } from "../../contracts/index.ts";
import { readBoundedFile, realPathOf } from "../../discovery/trust-kit.ts";
import { replaceFile } from "../../system/index.ts";
import { starterWorkflow } from "../commands/starter-workflow.ts";
import { CONFIG_NAMES, hasEntry } from "../config/config-file.ts";
import { CONFIG_SCHEMA_FILE, createConfigSchema } from "../config/create-config-schema.ts";
import { UsageError } from "../config/usage-error.ts";
import { WORKFLOW_EXTENSIONS } from "../loading/workflow-folder.ts";
import { ownTypeRoot, sdkTypePaths } from "../verify/sdk-type-paths.ts";
import { starterConfig } from "./starter-config.ts";
import { starterTool } from "./starter-tool.ts";

/** What a new project gets. */
export interface StarterChoice {
  /** The agent of the project. @default the file has none */
  readonly agent?: string | undefined;
  /** The name of the workflow. */
  readonly workflow: string;
  /** The name of the tool. @default no tool */
  readonly tool?: string | undefined;
}

/** What happened to one file, by path relative to the project. */
export interface StarterFile {
  readonly path: string;
  /** `kept`: a file is there already, and is unchanged. `updated`: lines were added, or Atomic's own file is newer. */
  readonly status: "created" | "kept" | "updated";
}

/** In files that Atomic writes for editors. They depend on this machine, and may be replaced. */
const MARK = "Written by atomic init for editors. Run it again after an update of Atomic.";

/** Lines of `.gitignore`: what belongs to one machine, or to one run. */
const IGNORED = ["research/checkpoints/", `.atomic/${CONFIG_SCHEMA_FILE}`, ".atomic/tsconfig.json"] as const;

/**
 * Writes what a project starts with: settings, a workflow, a tool, files for editors, and lines of `.gitignore`. Overwrites
 * nothing but its own files for editors.
 *
 * @throws UsageError when a link leads a folder out of the project
 */
export async function writeStarterFiles(
  projectDirectory: string,
  choice: StarterChoice,
): Promise<readonly StarterFile[]> {
  const writer = new StarterWriter(projectDirectory);
  const files = [
    await writer.create(
      existing(projectDirectory, CONFIG_NAMES) ?? ".atomic/config.jsonc",
      starterConfig(choice.agent),
    ),
    await writer.create(
      existing(projectDirectory, namesOf("workflows", choice.workflow)) ?? `.atomic/workflows/${choice.workflow}.ts`,
      starterWorkflow(choice.workflow),
    ),
  ];
  if (choice.tool !== undefined) {
    const path = existing(projectDirectory, namesOf("tools", choice.tool)) ?? `.atomic/tools/${choice.tool}.ts`;
    files.push(await writer.create(path, starterTool(choice.tool)));
  }
  files.push(await writer.refresh(`.atomic/${CONFIG_SCHEMA_FILE}`, { $comment: MARK, ...createConfigSchema() }));
  const types = typeSettings(projectDirectory);
  if (types !== undefined) files.push(await writer.refresh(".atomic/tsconfig.json", types));
  files.push(await writer.addLines(".gitignore", IGNORED));
  return files;
}

function namesOf(folder: string, name: string): readonly string[] {
  return WORKFLOW_EXTENSIONS.map((extension) => `${folder}/${name}${extension}`);
}

function existing(projectDirectory: string, names: readonly string[]): string | undefined {
  return names.map((name) => `.atomic/${name}`).find((path) => hasEntry(join(projectDirectory, path)));
}

/**
 * Where editors find the types of the modules that these files need not install. Undefined where they find them by themselves,
 * in `node_modules`, or where this program has no types with it.
 */
function typeSettings(projectDirectory: string): object | undefined {
  const paths = sdkTypePaths();
  if (Object.keys(paths).length === 0) return undefined;
  if (existsSync(join(projectDirectory, "node_modules", "@bastani", "atomic"))) return undefined;
  const root = ownTypeRoot();
  const compilerOptions = {
    ...{ strict: true, target: "ESNext", lib: ["ESNext", "DOM"], module: "ESNext", moduleResolution: "bundler" },
    ...{ moduleDetection: "force", customConditions: ["bun"], allowImportingTsExtensions: true },
    ...{ resolveJsonModule: true, skipLibCheck: true, noEmit: true },
    ...(root === undefined ? { types: [] } : { types: ["bun"], typeRoots: [root] }),
    paths,
  };
  return { $comment: MARK, compilerOptions, include: ["workflows", "tools"] };
}

/** Writes files of one project. */
class StarterWriter {
  constructor(private readonly projectDirectory: string) {}

  /** Writes a file that does not exist yet. */
  async create(path: string, text: string): Promise<StarterFile> {
    try {
      await writeFile(await this.#prepare(path), text, { flag: "wx" });
      return { path, status: "created" };
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "EEXIST") return { path, status: "kept" };
      throw error;
    }
  }

  /** Writes a file, also in place of an earlier one of its own. */
  async refresh(path: string, value: object): Promise<StarterFile> {
    const text = `${JSON.stringify(value, undefined, 2)}\n`;
    const before = await this.#read(path);
    if (before === undefined) return await this.create(path, text);
    if (before === text || !isOwn(before)) return { path, status: "kept" };
    await replaceFile(realPathOf(await this.#prepare(path)), text, { mode: 0o644 });
    return { path, status: "updated" };
  }

  /** Appends the lines that a file does not have. */
  async addLines(path: string, lines: readonly string[]): Promise<StarterFile> {
    const before = await this.#read(path);
    const known = new Set((before ?? "").split(/\r?\n/).map((line) => line.trim().replace(/^\//, "")));
    const missing = lines.filter((line) => !known.has(line) && !known.has(line.replace(/\/$/, "")));
    if (missing.length === 0) return { path, status: "kept" };
    const target = realPathOf(await this.#prepare(path));
    const own = `# Atomic\n${missing.join("\n")}\n`;
    if (before === undefined) return await this.create(path, own);
    const gap = before === "" ? "" : before.endsWith("\n") ? "\n" : "\n\n";
    await writeFile(target, own.replace(/^/, gap), { flag: "a" });
    return { path, status: "updated" };
  }

  async #read(path: string): Promise<string | undefined> {
    try {
      return await readBoundedFile(join(this.projectDirectory, path));
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
      throw error;
    }
  }

  /** Creates the folder of a file. @throws UsageError when the file would be outside of the project */
  async #prepare(path: string): Promise<string> {
    const target = join(this.projectDirectory, path);
    this.#assertInside(dirname(target));
    await mkdir(dirname(target), { recursive: true });
    this.#assertInside(target);
    return target;
  }

  #assertInside(path: string): void {
    const project = realPathOf(this.projectDirectory);
    const real = realPathOf(path);
    if (real === project || real.startsWith(project + sep)) return;
    throw new UsageError(`${path} leads out of the project, to ${real}. Replace the link, and run atomic init again.`);
  }
}

function isOwn(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && value.$comment === MARK;
  } catch {
    // A file of somebody else may have comments.
    return false;
  }
}
