/**
 * The program that executes a workflow file to find out its metadata and whether it can be loaded. It is a process of its
 * own, so that nothing that the file does reaches Atomic. Its result goes to an extra pipe, in lines that begin with the
 * request's token: first `begin`, when the file's code is about to run, then a `FileResult` as JSON.
 */
import { writeSync } from "node:fs";
import process from "node:process";
import { type DiscoveryProblem, messageOf } from "../../contracts/index.ts";
import { type FileResult, type ListedWorkflow, loadWorkflow, registerSdkModules } from "../../discovery/index.ts";
import { FIRST_EXTRA_PIPE } from "../../system/index.ts";
import { SDK_MODULES } from "../sdk-modules.ts";
import { captureProcess } from "../user-code/capture-process.ts";
import { UserCode } from "../user-code/user-code.ts";
import { VERSION } from "../version.ts";
import { BUILDER_METHODS } from "./builder-methods.ts";
import type { CheckRequest } from "./check-request.ts";

/** So much of what a file prints is shown. */
const MAX_PRINTED = 200;

/** So much of an uncaught error. */
const MAX_ERROR = 2_000;

// The cast is true: only `checkInChild()` starts this program.
const request = JSON.parse(process.argv.at(-1) ?? "") as CheckRequest;
const { path } = request.file;
/** What the file printed, as far as it is shown. */
const printed: string[] = [];
const userCode = new UserCode((text) => {
  if (printed.join("").length <= MAX_PRINTED) printed.push(`${text.slice(0, MAX_PRINTED + 1)}\n`);
});
const leave: (exitCode?: number) => never = captureProcess(userCode, { onFatal: () => finish({ problems: [] }) });

function finish({ workflow, problems }: FileResult<ListedWorkflow>): never {
  const left: DiscoveryProblem[] = [];
  for (let error = userCode.leftError(); error !== undefined; error = userCode.leftError()) left.push(uncaught(error));
  const all = [...problems, ...left, ...(printed.length === 0 ? [] : [prints()])];
  const isBroken = all.some(({ severity }) => severity === "error");
  send({ ...(workflow && !isBroken && { workflow }), problems: all });
  return leave(0);
}

function send(result: FileResult<ListedWorkflow>): void {
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
  const thrown = messageOf(error.cause ?? error).slice(0, MAX_ERROR);
  const remedy = "Await every promise, and catch what timers and event listeners throw.";
  return { path, message: `While it was loaded, nothing caught this error: ${thrown}`, remedy, severity: "error" };
}

function prints(): DiscoveryProblem {
  const text = printed.join("").trimEnd();
  const shown = text.length > MAX_PRINTED ? `${text.slice(0, MAX_PRINTED)}…` : text;
  return {
    path,
    message: `It prints while it is loaded: ${JSON.stringify(shown)}.`,
    remedy: "Print in a node instead: this text appears before any run.",
    severity: "warning",
  };
}

process.chdir(request.workingDirectory);
const sdkExports = await registerSdkModules(SDK_MODULES);
writeSync(FIRST_EXTRA_PIPE, `${request.token} begin\n`);
const { workflow, problems } = await loadWorkflow(request.file, {
  sdkVersion: VERSION,
  sdkExports,
  builderMethods: BUILDER_METHODS,
  importTimeoutMs: request.importTimeoutMs,
});
// A rejection that nothing handles is reported when the microtasks are done.
await new Promise<void>((resolve) => setImmediate(resolve));
finish({ ...(workflow && { workflow: { metadata: workflow.metadata, path } }), problems });
