import { type DiscoveryProblem, isText, nearestName, type WorkflowMetadata } from "../contracts/index.ts";
import type { WorkflowFile } from "./discover-workflow-files.ts";
import { parseWorkflowInputs, type WorkflowInputs } from "./parse-workflow-inputs.ts";
import { locateExport } from "./source-text.ts";

/** Builds the graph of a workflow from its configuration. */
export type WorkflowFactory = (config?: unknown) => unknown;
/** Migrates a state that an older version of the workflow saved to the current shape. */
export type MigrateState = (fromVersion: number, state: unknown) => unknown;

/** The validated exports of a workflow file. */
export interface ParsedWorkflow {
  readonly metadata: WorkflowMetadata;
  readonly factory: WorkflowFactory;
  readonly migrateState?: MigrateState;
  readonly inputs?: WorkflowInputs;
}

/** The input of {@link parseWorkflowModule}. */
export interface WorkflowModule {
  readonly file: WorkflowFile;
  readonly exports: Readonly<Record<string, unknown>>;
  /** The file's text, to locate its exports. */
  readonly text: string;
  /** The version of the running Atomic. */
  readonly sdkVersion: string;
}

/** The valid values of an export. */
interface ExportRule {
  readonly isValid: (value: unknown) => boolean;
  readonly expected: string;
}

/** The longest name of a workflow. */
const MAX_NAME_LENGTH = 64;
const NAME_RULE = 'a text of letters, digits, "-" and "_", at most 64, such as "review-changes"';
/** The longest description: lists and menus show it. */
const MAX_TEXT_LENGTH = 10_000;
const SHORT_TEXT: ExportRule = {
  isValid: (value) => isText(value) && value.length <= MAX_TEXT_LENGTH,
  expected: "a text of at most 10,000 characters",
};
const VERSION: ExportRule = {
  isValid: (value) => isText(value) && isVersion(value),
  expected: 'a version such as "1.2.0"',
};

const RULES = {
  name: { isValid: (value) => isText(value) && isWorkflowName(value), expected: NAME_RULE },
  description: SHORT_TEXT,
  aliases: {
    isValid: (value) => Array.isArray(value) && value.every((alias) => isText(alias) && isWorkflowName(alias)),
    expected: `a list whose every entry is ${NAME_RULE}`,
  },
  version: VERSION,
  minSDKVersion: VERSION,
  stateVersion: {
    isValid: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
    expected: "a whole number from 0",
  },
  defaultConfig: { isValid: isPlainObject, expected: "an object" },
  isReadOnly: { isValid: (value) => typeof value === "boolean", expected: "true or false" },
  argumentHint: SHORT_TEXT,
  inputs: {
    isValid: (value) => parseWorkflowInputs(value) !== undefined,
    expected: "a schema of zod 4: z.object({ … })",
  },
  migrateState: { isValid: isFunction, expected: "a function (fromVersion, state) => state" },
} as const satisfies Record<string, ExportRule>;

/** The exports that make up a workflow's metadata. */
export const METADATA_EXPORTS: readonly string[] = Object.keys(RULES).filter((name) => name !== "migrateState");

/** Validates the exports of a workflow file. Returns no workflow if a problem is an error; warnings do not prevent it. */
export function parseWorkflowModule(module: WorkflowModule): {
  readonly workflow?: ParsedWorkflow;
  readonly problems: readonly DiscoveryProblem[];
} {
  const { exports, file } = module;
  const commonJs = checkSyntax(module);
  if (commonJs !== undefined) return { problems: [commonJs] };
  const problems = [...checkDefault(module), ...checkRules(module), ...checkUnknownNames(module)];
  const fileName = fileNameOf(file.path);
  if (exports.name === undefined && !isWorkflowName(fileName)) {
    const remedy = `Rename the file, or add: export const name = "…" (${NAME_RULE}).`;
    problems.push({
      path: file.path,
      message: `The file's name "${fileName}" cannot name a workflow.`,
      remedy,
      severity: "error",
    });
  }
  const tooNew = checkMinSdkVersion(file, exports.minSDKVersion, module);
  if (tooNew) problems.push(tooNew);
  if (problems.some((problem) => problem.severity === "error")) return { problems };
  return { workflow: readWorkflow(module), problems };
}

/** The problem of a workflow that needs a newer Atomic. Undefined if it does not, or if the value is not a version. */
export function checkMinSdkVersion(
  file: WorkflowFile,
  minSdkVersion: unknown,
  { text, sdkVersion }: Pick<WorkflowModule, "text" | "sdkVersion">,
): DiscoveryProblem | undefined {
  if (!VERSION.isValid(minSdkVersion) || Bun.semver.order(String(minSdkVersion), sdkVersion) <= 0) return undefined;
  return {
    path: file.path,
    ...locateExport(text, "minSDKVersion"),
    message: `This workflow needs Atomic ${minSdkVersion} or newer; this is ${sdkVersion}.`,
    remedy: `Update Atomic. Where the file needs nothing newer, set its minSDKVersion to "${sdkVersion}".`,
    severity: "error",
  };
}

/** The problem of a CommonJS file, whose exports would include the properties of its function, such as an empty name. */
function checkSyntax({ file, text }: WorkflowModule): DiscoveryProblem | undefined {
  if (!/^\s*module\.exports\b/m.test(text) || locateExport(text, "default") !== undefined) return undefined;
  const message = "The file sets module.exports; a workflow file is an ES module.";
  const remedy = 'Write "export default" instead of "module.exports =", and "import" instead of "require".';
  return { path: file.path, message, remedy, severity: "error" };
}

function checkDefault({ exports, file, text }: WorkflowModule): readonly DiscoveryProblem[] {
  if (isFunction(exports.default) || isBuilt(exports.default)) return [];
  const example = "export default () => graph(State).start(first).end().compile();";
  if (exports.default === undefined) {
    const message = "The file has no default export, so there is no workflow in it.";
    const remedy = `Add one (${example}), or put "_" before the name of a file that only helps others.`;
    return [{ path: file.path, message, remedy, severity: "error" }];
  }
  return [
    {
      path: file.path,
      ...locateExport(text, "default"),
      message: `The default export is ${describeType(exports.default)}, but must be a function that returns the compiled graph.`,
      remedy: `Export a function: ${example}`,
      severity: "error",
    },
  ];
}

function checkRules({ exports, file, text }: WorkflowModule): readonly DiscoveryProblem[] {
  return Object.entries(RULES).flatMap(([name, rule]) => {
    const value = exports[name];
    if (value === undefined || rule.isValid(value)) return [];
    return {
      path: file.path,
      ...locateExport(text, name),
      message: `The export "${name}" is ${describeType(value)}, but must be ${rule.expected}.`,
      remedy: `Correct "${name}", or remove it.`,
      severity: "error" as const,
    };
  });
}

/** Warns about exports that resemble a known name; all others are ignored. */
function checkUnknownNames({ exports, file, text }: WorkflowModule): readonly DiscoveryProblem[] {
  const free = Object.keys(RULES).filter((name) => exports[name] === undefined);
  return Object.keys(exports).flatMap((name) => {
    const nearest = name in RULES || name === "default" ? undefined : nearestName(name, free);
    if (nearest === undefined) return [];
    return {
      path: file.path,
      ...locateExport(text, name),
      message: `The export "${name}" means nothing to Atomic.`,
      remedy: `Did you mean "${nearest}"?`,
      severity: "warning" as const,
    };
  });
}

/** Called when every rule is met: each present export has its type. */
function readWorkflow({ exports, file }: WorkflowModule): ParsedWorkflow {
  const name = isText(exports.name) ? exports.name : fileNameOf(file.path);
  const migrateState = exports.migrateState;
  const inputs = parseWorkflowInputs(exports.inputs);
  return {
    metadata: {
      name,
      description: isText(exports.description) ? exports.description : `Custom workflow: ${name}`,
      aliases: Array.isArray(exports.aliases) ? [...new Set(exports.aliases.map(String))] : [],
      source: file.source,
      ...(isPlainObject(exports.defaultConfig) && { defaultConfig: exports.defaultConfig }),
      ...(isText(exports.version) && { version: exports.version }),
      ...(isText(exports.minSDKVersion) && { minSDKVersion: exports.minSDKVersion }),
      ...(typeof exports.stateVersion === "number" && { stateVersion: exports.stateVersion }),
      ...(typeof exports.isReadOnly === "boolean" && { isReadOnly: exports.isReadOnly }),
      ...(isText(exports.argumentHint) && { argumentHint: exports.argumentHint }),
      ...(inputs && { inputs: inputs.fields }),
    },
    // Both are functions by their rules; the author declares their parameters. A graph that is built already has none.
    factory: isBuilt(exports.default) ? () => exports.default : (exports.default as WorkflowFactory),
    ...(isFunction(migrateState) && { migrateState: migrateState as MigrateState }),
    ...(inputs && { inputs }),
  };
}

/** The name of a file without its folder and its extension. */
export function fileNameOf(path: string): string {
  return path.replace(/^.*[\\/]/, "").replace(/\.[^.]+$/, "");
}

/** Whether a default export is a graph already, as `script()` makes it. */
function isBuilt(value: unknown): boolean {
  return typeof value === "object" && value !== null && "code" in value && "config" in value;
}

function isFunction(value: unknown): value is (...values: readonly never[]) => unknown {
  return typeof value === "function";
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isVersion(text: string): boolean {
  return /^\d+\.\d+\.\d+(?:-[0-9a-z.-]+)?(?:\+[0-9a-z.-]+)?$/i.test(text);
}

/** The type of a value, with the value itself if it is short. */
function describeType(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    // A text may have any length.
    const shown = JSON.stringify(typeof value === "string" ? value.slice(0, 100) : value);
    return `the ${typeof value === "string" ? "text" : typeof value} ${shown.length > 60 ? `${shown.slice(0, 57)}…` : shown}`;
  }
  if (Array.isArray(value))
    return value.length === 0
      ? "an empty list"
      : `a list [${value.map((entry) => String(JSON.stringify(entry))).join(", ")}]`.slice(0, 80);
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Whether a text is a valid workflow name: letters, digits, `-` and `_`, so it is easy to type and never a path. */
export function isWorkflowName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && /^[a-z0-9][a-z0-9\-_]*$/i.test(name);
}
