import { appendFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { Redactor } from "../../contracts/index.ts";
import { readBoundedFile } from "../../discovery/index.ts";
import { replaceFile, withFileLock } from "../../system/index.ts";

/** How many messages are kept. */
const MAX_MESSAGES = 1_000;

/** The file is shortened when it has so many more. */
const SLACK = 200;

/** Of a longer message the start is kept, in characters. */
const MAX_MESSAGE_LENGTH = 20_000;

/** The largest file that is read. */
const MAX_FILE_BYTES = 33_554_432;

const lineSchema = z.object({ message: z.string(), at: z.number() });

/** Settings of {@link createMessageHistory}. */
export interface MessageHistoryOptions {
  /** The user's own Atomic folder. */
  readonly atomicHome: string;
  readonly redactor: Redactor;
  /** Milliseconds since 1970. @default Date.now */
  readonly clock?: () => number;
}

/** The messages that the user sent in chats, without secrets. */
export interface MessageHistory {
  /** The newest thousand, oldest first. A line that cannot be read is left out. */
  load(): Promise<readonly string[]>;
  append(message: string): Promise<void>;
}

/** Stores messages in `chat/history.jsonl` of the user's Atomic folder, of all projects. Several chats can add to it. */
export function createMessageHistory(options: MessageHistoryOptions): MessageHistory {
  const { atomicHome, redactor, clock = Date.now } = options;
  const path = join(atomicHome, "chat", "history.jsonl");
  return {
    load: async () => (await readLines(path)).slice(-MAX_MESSAGES).flatMap(messagesIn),
    async append(message) {
      if (message.trim() === "") return;
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await withFileLock(`${path}.lock`, async () => {
        const line = JSON.stringify({ message: cut(redactor.text(message)), at: clock() });
        const lines = await readLines(path);
        if (lines.length < MAX_MESSAGES + SLACK) return await appendFile(path, `${line}\n`, { mode: 0o600 });
        await replaceFile(path, `${[...lines, line].slice(-MAX_MESSAGES).join("\n")}\n`);
      });
    },
  };
}

/** The redactor comes first: half of a secret is not recognized as one. */
function cut(message: string): string {
  return message.length > MAX_MESSAGE_LENGTH ? message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed() : message;
}

async function readLines(path: string): Promise<readonly string[]> {
  try {
    return (await readBoundedFile(path, MAX_FILE_BYTES)).split("\n").filter((line) => line !== "");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

function messagesIn(line: string): readonly string[] {
  try {
    const parsed = lineSchema.safeParse(JSON.parse(line));
    return parsed.success ? [parsed.data.message] : [];
  } catch {
    // The process that wrote it was killed.
    return [];
  }
}
