import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve, sep } from "node:path";
import { type DiscoveryProblem, messageOf } from "../../contracts/index.ts";
import { realPathOf } from "../../discovery/index.ts";
import { runCommand } from "../../graph/index.ts";
import { isCompiled } from "../../system/index.ts";
import { quoteWord } from "../output/quote-word.ts";
import { parseCompilerOutput } from "./parse-compiler-output.ts";
import { sdkTypePaths } from "./sdk-type-paths.ts";

/** How long the compiler may take, in milliseconds. */
const TIMEOUT_MS = 120_000;
/** How much of its output is read, in characters. */
const MAX_OUTPUT = 4_000_000;

/** Settings of {@link typeCheck}. */
export interface TypeCheckOptions {
  /** The workflow files. Those that are not TypeScript are left out. */
  readonly files: readonly string[];
  /** Where the call is made. */
  readonly workingDirectory: string;
  readonly projectDirectory: string;
}

/** The result of {@link typeCheck}. */
export type TypeCheck =
  | { readonly type: "checked"; readonly compiler: string; readonly problems: readonly DiscoveryProblem[] }
  /** The project has no TypeScript, or there is nothing to check. */
  | { readonly type: "skipped"; readonly reason: string }
  /** The compiler is too old, was too slow, or does not work. */
  | { readonly type: "failed"; readonly compiler: string; readonly reason: string };

/**
 * Checks the types of workflow files with the project's own TypeScript and its strictness. Runs a program of the project:
 * call it for a trusted project only.
 */
export async function typeCheck({ files, workingDirectory, projectDirectory }: TypeCheckOptions): Promise<TypeCheck> {
  const sources = files.filter((file) => /\.m?ts$/.test(file));
  if (sources.length === 0) return { type: "skipped", reason: "there are no TypeScript files" };
  const root = findTypeScript(workingDirectory, projectDirectory);
  if (root === undefined) return { type: "skipped", reason: "the project has no TypeScript in node_modules" };
  if (isCompiled() && !existsSync(join(root, "node_modules", "@bastani", "atomic"))) {
    return { type: "skipped", reason: "this Atomic has no types with it: npm install --save-dev @bastani/atomic" };
  }
  const compiler = join(root, "node_modules", ".bin", "tsc");
  const folder = realPathOf(await mkdtemp(join(tmpdir(), "atomic-verify-")));
  try {
    const config = join(folder, "tsconfig.json");
    await writeFile(config, JSON.stringify(createConfig(root, sources)));
    return await compile({ compiler, config, root, sources });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The nearest folder with TypeScript, from the working directory up to the project. */
function findTypeScript(workingDirectory: string, projectDirectory: string): string | undefined {
  for (let folder = workingDirectory; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "node_modules", ".bin", "tsc"))) return folder;
    if (folder === projectDirectory || dirname(folder) === folder) return undefined;
  }
}

/** The project's strictness; the rest is how Atomic loads workflow files. */
function createConfig(root: string, files: readonly string[]): object {
  const base = join(root, "tsconfig.json");
  const types = ["node", "bun"].filter((name) => existsSync(join(root, "node_modules", "@types", name)));
  return {
    ...(existsSync(base) ? { extends: base } : {}),
    compilerOptions: {
      ...(existsSync(base) ? {} : { strict: true }),
      target: "ESNext",
      lib: ["ESNext", "DOM"],
      module: "ESNext",
      moduleResolution: "bundler",
      moduleDetection: "force",
      customConditions: ["bun"],
      allowImportingTsExtensions: true,
      resolveJsonModule: true,
      skipLibCheck: true,
      paths: sdkTypePaths(),
      types,
      typeRoots: [join(root, "node_modules", "@types")],
      noEmit: true,
      // A library's settings for its output contradict noEmit.
      composite: false,
      incremental: false,
      declaration: false,
      declarationMap: false,
      emitDeclarationOnly: false,
      isolatedDeclarations: false,
      rootDir: null,
      rootDirs: null,
      outDir: null,
      outFile: null,
      baseUrl: null,
    },
    files,
    include: [],
  };
}

interface Compilation {
  readonly compiler: string;
  readonly config: string;
  readonly root: string;
  readonly sources: readonly string[];
}

async function compile({ compiler, config, root, sources }: Compilation): Promise<TypeCheck> {
  const failed = (reason: string): TypeCheck => ({ type: "failed", compiler, reason });
  let output: string;
  let exitCode: number;
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const command = `${quoteWord(compiler)} -p ${quoteWord(config)} --pretty false`;
    const result = await runCommand(command, { signal, workingDirectory: root, maxOutputLength: MAX_OUTPUT });
    output = `${result.stdout}\n${result.stderr}`;
    exitCode = result.exitCode;
  } catch (error) {
    return failed(messageOf(error));
  }
  const { errors, general } = parseCompilerOutput(output);
  const placed = errors.map((error) => ({ ...error, path: resolve(root, error.path) }));
  // Compilers before 5.5 do not know this option, which is only set to disable it.
  const ofConfig = placed.find(({ path, message }) => path === config && !message.includes("'isolatedDeclarations'"));
  if (ofConfig !== undefined) return failed(`${ofConfig.message} TypeScript 5 or newer is needed.`);
  if (exitCode !== 0 && errors.length === 0) {
    return failed(general[0] ?? `it ended with exit code ${exitCode} and no message`);
  }
  // Errors in Atomic's own files and in the rest of the project are not the workflow's.
  const folders = [...new Set(sources.flatMap((file) => [dirname(file), dirname(realPathOf(file))]))];
  const problems = placed.filter(({ path }) => folders.some((folder) => path.startsWith(folder + sep)));
  return { type: "checked", compiler, problems };
}
