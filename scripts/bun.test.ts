import { expect, test } from "bun:test";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const SCRIPT = join(import.meta.dirname, "bun.mjs");

/** Runs the script as a Node of another version would. */
async function runAs(
  version: string,
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const value = `{ ...process.versions, node: ${JSON.stringify(version)} }`;
  const preload = `data:text/javascript,Object.defineProperty(process, "versions", { value: ${value} })`;
  return promisify(execFile)("node", ["--import", preload, SCRIPT, "--version"]).then(
    (output) => ({ code: 0, ...output }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

test.each(["18.20.8", "20.14.9", "9.0.0"])("with Node %s, the scripts say which Node they need", async (version) => {
  expect(await runAs(version)).toEqual({
    code: 1,
    stdout: "",
    stderr: `The scripts of this repository need Node 20.15 or newer, and this is Node ${version}.\n`,
  });
});

test.each(["20.15.0", "22.1.0", "30.0.0"])("with Node %s, they run", async (version) => {
  expect(await runAs(version)).toEqual({ code: 0, stdout: `${Bun.version}\n`, stderr: "" });
});
