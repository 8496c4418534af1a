/**
 * The program that executes a file of workflows or tools to find out what it defines and whether it can be loaded. It is a
 * process of its own, so that nothing that the file does reaches Atomic. The request comes on standard input, which is read
 * to its end before the file's code runs, so that the code does not find the token there. Its result goes to an extra pipe,
 * in lines that begin with the request's token: first `begin`, when the file's code is about to run, then one of `CheckResults`
 * as JSON for each file.
 */
import { writeSync } from "node:fs";
import process from "node:process";
import { createRedactor, type DiscoveryProblem, messageOf, secretsOfEnvironment } from "../../contracts/index.ts";
import {
  checkToolFile,
  loadWorkflow,
  registerSdkModules,
  type SdkExports,
  type WorkflowFile,
} from "../../discovery/index.ts";
import { FIRST_EXTRA_PIPE } from "../../system/index.ts";
import { SDK_MODULES } from "../sdk-modules.ts";
import { captureProcess } from "../user-code/capture-process.ts";
import { UserCode } from "../user-code/user-code.ts";
import { VERSION } from "../version.ts";
import { BUILDER_METHODS } from "./builder-methods.ts";
import { CHECK_PROGRAM, type CheckResults, PLACE_FOR_CODE } from "./check-request.ts";
import { isCheckRequest } from "./is-check-request.ts";
import { readOwnRequest } from "./read-own-request.ts";

/** So much of what a file prints is shown. */
const MAX_PRINTED = 200;

/** So much of an uncaught error. */
const MAX_ERROR = 2_000;

const request = readOwnRequest(CHECK_PROGRAM, isCheckRequest);
const { kind, importTimeoutMs } = request;
/** The file whose code runs. */
const current = { file: request.file };
/** What the file printed, as far as it is shown. */
const printed: string[] = [];
// What is found is kept and shown. Secrets are taken out before a text is cut: half of one cannot be recognised.
const redactor = createRedactor({ secrets: secretsOfEnvironment(process.env) });
const userCode = new UserCode((text) => {
  if (printed.join("").length > MAX_PRINTED) return;
  printed.push(`${redactor.text(text).slice(0, MAX_PRINTED + 1)}\n`);
});
const leave: (exitCode?: number) => never = captureProcess(userCode, { onFatal: () => finish({ problems: [] }) });

/** What a check found. */
type Found = CheckResults["workflow"] & CheckResults["tools"];

function finish(found: Found): never {
  report(found);
  return leave(0);
}

/** Sends what was found in the file. Returns whether nothing is wrong with it. */
function report({ problems, ...found }: Found): boolean {
  const left: DiscoveryProblem[] = [];
  for (let error = userCode.leftError(); error !== undefined; error = userCode.leftError()) left.push(uncaught(error));
  const all = redactor.value([...problems, ...left, ...(printed.length === 0 ? [] : [prints()])]);
  const isBroken = all.some(({ severity }) => severity === "error");
  // A file of tools can have some that are broken, and others.
  const isLasting = found.isLasting === true && all.length === problems.length;
  send(kind === "workflow" && isBroken ? { problems: all, isLasting } : { ...found, problems: all });
  return all.length === 0;
}

/** What the code of a file can change for the next one. */
function describeProcess(): string {
  return JSON.stringify([process.cwd(), process.env, Object.getOwnPropertyNames(globalThis)]);
}

function send(result: Found): void {
  let text: string;
  try {
    text = JSON.stringify(result);
  } catch {
    // A configuration that is no JSON is used, but not listed.
    const { defaultConfig: _, ...metadata } = result.workflow?.metadata ?? {};
    text = JSON.stringify({ ...result, workflow: { ...result.workflow, metadata } });
  }
  const bytes = Buffer.from(`\n${request.token} ${text}\n`);
  for (let sent = 0; sent < bytes.length; ) sent += writeSync(FIRST_EXTRA_PIPE, bytes, sent);
}

function uncaught(error: Error): DiscoveryProblem {
  // An uncaught error says how to catch it; the remedy does so here.
  const thrown = redactor.text(messageOf(error.cause ?? error)).slice(0, MAX_ERROR);
  const remedy = "Await every promise, and catch what timers and event listeners throw.";
  return {
    path: current.file.path,
    message: `While it was loaded, nothing caught this error: ${thrown}`,
    remedy,
    severity: "error",
  };
}

function prints(): DiscoveryProblem {
  const text = printed.join("").trimEnd();
  const shown = text.length > MAX_PRINTED ? `${text.slice(0, MAX_PRINTED)}…` : text;
  return {
    path: current.file.path,
    message: `It prints while it is loaded: ${JSON.stringify(shown)}.`,
    remedy: `Print in ${PLACE_FOR_CODE[kind]} instead: this text appears before any ${kind === "tools" ? "call" : "run"}.`,
    severity: "warning",
  };
}

process.chdir(request.workingDirectory);
const sdkExports = await registerSdkModules(SDK_MODULES);
writeSync(FIRST_EXTRA_PIPE, `${request.token} begin\n`);
const before = describeProcess();
for (const file of [request.file, ...request.others]) {
  current.file = file;
  const found = kind === "workflow" ? await checkWorkflow(file, sdkExports) : await checkTools(file, sdkExports);
  // A rejection that nothing handles is reported when the microtasks are done.
  await new Promise<void>((resolve) => setImmediate(resolve));
  if (!report(found) || describeProcess() !== before) break;
}
leave(0);

async function checkWorkflow(file: WorkflowFile, sdkExports: SdkExports): Promise<Found> {
  const options = { sdkVersion: VERSION, sdkExports, builderMethods: BUILDER_METHODS, importTimeoutMs };
  const { workflow, ...result } = await loadWorkflow(file, options);
  return { ...(workflow && { workflow: { metadata: workflow.metadata, path: file.path } }), ...result };
}

async function checkTools(file: WorkflowFile, sdkExports: SdkExports): Promise<Found> {
  // A workflow needs no `clients`, which take long to load.
  const { createSchemaValidator } = await import("../../clients/index.ts");
  return await checkToolFile(file, {
    compileSchema: (schema) => createSchemaValidator(schema, { subject: "the arguments" }),
    sdkExports,
    importTimeoutMs,
  });
}
