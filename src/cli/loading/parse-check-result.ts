import {
  type DiscoveryProblem,
  isListOf,
  isRecord,
  isText,
  type WorkflowInput,
  type WorkflowMetadata,
} from "../../contracts/index.ts";
import type { WorkflowFile } from "../../discovery/index.ts";
import type { CheckedKind, CheckRequest, CheckResults } from "./check-request.ts";

/**
 * What the program that checks a file has sent: its second line. The file's code runs in the same process and may have
 * changed it, so everything but the expected shape is no result, and what the request knows is taken from the request.
 */
export function parseCheckResult(
  text: string,
  { kind, file, token }: Pick<CheckRequest, "kind" | "file" | "token">,
): CheckResults[CheckedKind] | undefined {
  const own = text
    .split("\n")
    .slice(0, -1)
    .find((line) => line.startsWith(`${token} {`));
  const result = own === undefined ? undefined : parseJson(own.slice(token.length));
  if (!isRecord(result) || !isListOf(result.problems, isProblem)) return undefined;
  const problems = result.problems.map((problem) => ({ ...problem, path: file.path }));
  const defined = result[kind === "workflow" ? "workflow" : "tools"];
  // A file that defines nothing is one that cannot be loaded.
  if (defined === undefined) {
    if (!problems.some(({ severity }) => severity === "error")) return undefined;
    return kind === "workflow" && result.isLasting === true ? { problems, isLasting: true } : { problems };
  }
  return kind === "workflow" ? withWorkflow(defined, file, problems) : withTools(defined, file, problems);
}

function withWorkflow(
  workflow: unknown,
  { path, source }: WorkflowFile,
  problems: readonly DiscoveryProblem[],
): CheckResults["workflow"] | undefined {
  if (!isRecord(workflow) || !isMetadata(workflow.metadata)) return undefined;
  return { workflow: { metadata: { ...workflow.metadata, source }, path }, problems };
}

function withTools(
  tools: unknown,
  { path, source }: WorkflowFile,
  problems: readonly DiscoveryProblem[],
): CheckResults["tools"] | undefined {
  if (!isListOf(tools, isNamed)) return undefined;
  return { tools: tools.map(({ name }) => ({ name, source, filePath: path })), problems };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isProblem(value: unknown): value is DiscoveryProblem {
  if (!isRecord(value) || !isText(value.path) || !isText(value.message) || !isText(value.remedy)) return false;
  const { line, column, severity, isTimeout } = value;
  return (
    isOptional(line, isCount) &&
    isOptional(column, isCount) &&
    (severity === "error" || severity === "warning") &&
    isOptional(isTimeout, isFlag)
  );
}

/** All but the source, which the request knows. */
function isMetadata(value: unknown): value is Omit<WorkflowMetadata, "source"> {
  if (!isNamed(value)) return false;
  const { description, aliases, defaultConfig, version, minSDKVersion, stateVersion, isReadOnly } = value;
  const { argumentHint, inputs } = value;
  return (
    isText(description) &&
    isListOf(aliases, isText) &&
    isOptional(defaultConfig, isRecord) &&
    isOptional(version, isText) &&
    isOptional(minSDKVersion, isText) &&
    isOptional(stateVersion, isNumber) &&
    isOptional(isReadOnly, isFlag) &&
    isOptional(argumentHint, isText) &&
    isOptional(inputs, (list) => isListOf(list, isInput))
  );
}

function isInput(value: unknown): value is WorkflowInput {
  return isNamed(value) && isOptional(value.description, isText) && isFlag(value.isRequired) && isRecord(value.schema);
}

function isNamed(value: unknown): value is Readonly<Record<string, unknown>> & { readonly name: string } {
  return isRecord(value) && isText(value.name);
}

function isOptional(value: unknown, isValid: (value: unknown) => boolean): boolean {
  return value === undefined || isValid(value);
}

function isFlag(value: unknown): value is boolean {
  return typeof value === "boolean";
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
