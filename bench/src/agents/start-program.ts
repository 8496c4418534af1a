import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** A program that serves something, and that ends with its standard input. */
export interface StartedProgram {
  /** The first line that it printed: its address. */
  readonly address: string;
  /** Ends it, if it has not ended by itself. */
  stop(): Promise<void>;
}

/** Starts a program of this folder in a Bun of its own. Rejects when it ends before it has printed its address. */
export async function startProgram(path: string): Promise<StartedProgram> {
  const child = spawn(process.execPath, [path], { stdio: ["pipe", "pipe", "inherit"] });
  // Subscribe at once: after the exit, the event no longer arrives.
  const ended = once(child, "exit");
  const failed = ended.then(([code, signal]) => {
    throw new Error(`Error: ${path} ended (${code ?? signal}) before it printed its address.`);
  });
  const [address] = await Promise.race([once(createInterface({ input: child.stdout }), "line"), failed]);
  return {
    address: String(address),
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
