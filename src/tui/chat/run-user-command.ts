import { messageOf } from "../../contracts/index.ts";
import type { ChatHost } from "../host/chat-host.ts";
import { addEntry, addNotice, reduceShell } from "./chat-model.ts";
import type { ChatStore } from "./chat-store.ts";
import { describeShell } from "./compose-message.ts";

/** The most output of a command that is kept, in characters. */
const MAX_OUTPUT = 200_000;

/** Where a command of the user runs. */
interface UserCommandPlace {
  readonly host: ChatHost;
  readonly store: ChatStore;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** The user's own commands. */
export class UserCommands {
  readonly #place: Omit<UserCommandPlace, "signal">;
  #running: AbortController | undefined;

  constructor(place: Omit<UserCommandPlace, "signal">) {
    this.#place = place;
  }

  /** Runs a command and shows it. Returns what the agent is sent about it: nothing when it did not run. */
  async run(command: string): Promise<readonly string[]> {
    const running = new AbortController();
    this.#running = running;
    const said = await runUserCommand(command, { ...this.#place, signal: running.signal });
    if (this.#running === running) this.#running = undefined;
    return said === undefined ? [] : [said];
  }

  /** Ends the command in progress. */
  stop(): void {
    this.#running?.abort();
  }
}

/** Runs a command of the user and shows it. Returns what the agent is sent about it; undefined when it did not run. */
async function runUserCommand(
  command: string,
  { host, store, now, signal }: UserCommandPlace,
): Promise<string | undefined> {
  const { runShell } = host;
  const fail = (text: string): undefined => {
    store.reduce((model) => addNotice(model, { at: now(), tone: "error", text }));
    return;
  };
  if (runShell === undefined) return fail("Commands cannot be run here.");
  store.reduce((model) => addEntry(model, { type: "shell", at: now(), command, output: "" }));
  const id = `e${store.snapshot().model.entryCount}`;
  let output = "";
  const onOutput = (text: string): void => {
    const room = MAX_OUTPUT - output.length;
    if (room <= 0) return;
    output += text.slice(0, room);
    store.reduce((model) => reduceShell(model, id, { output: text.slice(0, room), at: now() }));
  };
  try {
    const exitCode = await runShell(command, { signal, onOutput });
    store.reduce((model) => reduceShell(model, id, { exitCode, at: now() }));
    return describeShell({ command, output, exitCode });
  } catch (error) {
    const ending = signal.aborted ? "stopped" : "not-run";
    store.reduce((model) => reduceShell(model, id, { ending, at: now() }));
    return signal.aborted ? describeShell({ command, output, ending }) : fail(messageOf(error));
  }
}
