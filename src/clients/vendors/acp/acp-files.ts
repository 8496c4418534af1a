import { constants } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import path from "node:path";

/** The size limit of files that are read for an agent. */
const MAX_READ_BYTES = 64 * 1024 * 1024;

const WITHOUT_WAITING = (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** Reads a text for an agent. Never blocks on a pipe. @throws for irregular or too large files; the system's errors */
export async function readTextFile(file: string): Promise<string> {
  return await withRegularFile(file, constants.O_RDONLY, async (handle) => {
    if ((await handle.stat()).size > MAX_READ_BYTES) throw new Error(`${file} is larger than ${MAX_READ_BYTES} bytes`);
    return await handle.readFile("utf8");
  });
}

/** Writes a text for an agent and creates missing folders. Never blocks on a pipe. @throws as `readTextFile` */
export async function writeTextFile(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await withRegularFile(file, constants.O_WRONLY | constants.O_CREAT, async (handle) => {
    await handle.truncate();
    await handle.writeFile(text);
  });
}

async function withRegularFile<T>(file: string, flags: number, work: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(file, flags | WITHOUT_WAITING, 0o666);
  try {
    if (!(await handle.stat()).isFile()) throw new Error(`${file} is not a regular file`);
    return await work(handle);
  } finally {
    await handle.close();
  }
}
