import { afterAll, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { waitUntil } from "../testkit/conformance/wait-until.ts";
import { superviseCommand } from "./supervised-command.ts";

const folder = mkdtempSync(path.join(tmpdir(), "atomic-supervised-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A program that starts `sleep` in a session of its own, names both processes in a file, and goes on. */
const PROGRAM = `
const { spawn } = require("node:child_process");
const child = spawn("sleep", ["300"], { detached: true, stdio: "ignore" });
require("node:fs").writeFileSync(process.argv[1], process.pid + " " + child.pid);
setInterval(() => {}, 1000);
`;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // One that has ended and whose parent has not asked for it has no memory left.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

test("the end of the life line ends the command, and what it started in another process group", async () => {
  const named = path.join(folder, "pids");
  const [file, ...args] = superviseCommand([process.execPath, "-e", PROGRAM, named]);
  const child = spawn(file, args, { detached: true, stdio: ["ignore", "ignore", "ignore", "pipe"] });
  const pids = (): number[] => {
    try {
      return readFileSync(named, "utf8").split(" ").map(Number);
    } catch {
      return [];
    }
  };
  await waitUntil(() => pids().length === 2, "the program does not run");
  expect(pids().map(isAlive)).toEqual([true, true]);
  child.stdio[3]?.destroy();
  await waitUntil(
    () => !pids().some(isAlive),
    () => `running still: ${pids().filter(isAlive).join(", ")}`,
  );
}, 10_000);
