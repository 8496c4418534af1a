import { type FileHandle, open, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { recordOf, recordsOf, type SessionInfo, stringOf, type UnknownRecord } from "../../../contracts/index.ts";

/** How much of a conversation's file is read at its start and at its end, in bytes. */
const EXCERPT_BYTES = 65_536;

/** The maximum number of open files: a process may have few, and people have thousands of conversations. */
const READ_COUNT = 32;

/** Longer folder names end in a checksum. */
const FOLDER_NAME_LENGTH = 200;

/** The only ids of conversations that Claude Code accepts. It keeps their case. */
export const SESSION_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Finds the file of a conversation; `undefined` when Claude Code has none with this id. */
export async function findSessionFile(configDirectory: string, sessionId: string): Promise<string | undefined> {
  if (!SESSION_ID.test(sessionId)) return undefined; // the id becomes a file name
  for (const folder of await listProjectFolders(configDirectory)) {
    const file = path.join(folder, `${sessionId}.jsonl`);
    if (await isFile(file)) return file;
  }
  return undefined;
}

/** Lists the conversations of a directory, the latest first. */
export async function listSessionFiles(
  configDirectory: string,
  workingDirectory: string,
): Promise<readonly SessionInfo[]> {
  const directories = new Set([workingDirectory, await realpath(workingDirectory).catch(() => workingDirectory)]);
  const names = [...directories].map(folderNameOf);
  const folders = (await listProjectFolders(configDirectory)).filter((folder) =>
    names.some((name) => path.basename(folder).startsWith(name.slice(0, FOLDER_NAME_LENGTH))),
  );
  const files = (await Promise.all(folders.map(listConversations))).flat();
  const sessions: SessionInfo[] = [];
  for (let start = 0; start < files.length; start += READ_COUNT) {
    const batch = await Promise.all(files.slice(start, start + READ_COUNT).map(readSessionInfo));
    sessions.push(...batch.filter((info) => info !== undefined));
  }
  return sessions
    .filter((info) => directories.has(info.workingDirectory ?? ""))
    .sort((left, right) => (right.updatedAt ?? 0) - (left.updatedAt ?? 0));
}

/** Reads the title and dates of a conversation from its file; `undefined` when it is empty or deleted. */
export async function readSessionInfo(file: string): Promise<SessionInfo | undefined> {
  const excerpts = await readExcerpts(file);
  if (excerpts === undefined) return undefined;
  const { head, tail, updatedAt } = excerpts;
  const lines = [...parseLines(head), ...parseLines(tail)];
  const first = lines.find((line) => line.type === "user" || line.type === "assistant");
  if (first === undefined) return undefined;
  const title = lines.findLast((line) => line.type === "custom-title")?.customTitle;
  const generated = lines.findLast((line) => line.type === "ai-title")?.aiTitle;
  const workingDirectory = stringOf(first.cwd);
  return {
    id: path.basename(file, ".jsonl"),
    title: stringOf(title) || stringOf(generated) || firstPromptOf(lines) || "Untitled session",
    ...(workingDirectory === "" ? {} : { workingDirectory }),
    updatedAt,
  };
}

/** Deletes a conversation and those of its sub-agents. */
export async function deleteSessionFile(file: string): Promise<void> {
  await rm(file);
  await rm(file.replace(/\.jsonl$/, ""), { recursive: true, force: true });
}

/** Settings of {@link copySessionFile}. */
export interface CopySessionOptions {
  /** What was written from this time on is left out, in milliseconds since 1970. @default nothing */
  readonly before?: number;
}

/**
 * Copies a conversation in its current state under a new id. An incomplete last line is left out.
 *
 * @returns false where nobody said anything before that time: then there is no copy
 */
export async function copySessionFile(
  file: string,
  newId: string,
  { before }: CopySessionOptions = {},
): Promise<boolean> {
  const oldId = path.basename(file, ".jsonl");
  const text = await readFile(file, "utf8");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  const kept = before === undefined ? whole : linesBefore(whole, before);
  if (before !== undefined && !parseLines(kept).some(({ type }) => type === "user")) return false;
  const copy = kept.replaceAll(`"sessionId":"${oldId}"`, `"sessionId":"${newId}"`);
  await writeFile(path.join(path.dirname(file), `${newId}.jsonl`), copy, { mode: 0o600, flag: "wx" });
  return true;
}

/**
 * The lines of a conversation up to the first one of a later time. Lines are appended as they happen, and each has its
 * predecessor in `parentUuid`: what precedes a line is a whole conversation.
 */
function linesBefore(text: string, time: number): string {
  let end = 0;
  for (const line of text.split("\n")) {
    if (line === "") break;
    const [record = {}] = parseLines(line);
    if (Date.parse(stringOf(record.timestamp)) >= time) break;
    end += line.length + 1;
  }
  return text.slice(0, end);
}

/** Claude Code's name for the folder with a directory's conversations. */
function folderNameOf(directory: string): string {
  return directory.replaceAll(/[^a-zA-Z0-9]/g, "-");
}

/** Empty if Claude Code was never used. */
async function listProjectFolders(configDirectory: string): Promise<readonly string[]> {
  const projects = path.join(configDirectory, "projects");
  const entries = await readdir(projects, { withFileTypes: true }).catch(ignoreMissing);
  return entries.filter((entry) => entry.isDirectory()).map((entry) => path.join(projects, entry.name));
}

async function listConversations(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(ignoreMissing);
  return names
    .filter((name) => name.endsWith(".jsonl") && SESSION_ID.test(path.basename(name, ".jsonl")))
    .map((name) => path.join(folder, name));
}

function ignoreMissing(error: NodeJS.ErrnoException): never[] {
  if (error.code === "ENOENT") return [];
  throw error;
}

async function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** `undefined` when the file was deleted in the meantime. */
async function readExcerpts(
  file: string,
): Promise<{ readonly head: string; readonly tail: string; readonly updatedAt: number } | undefined> {
  const [handle] = await open(file).then((opened) => [opened], ignoreMissing);
  if (handle === undefined) return undefined;
  try {
    const { size, mtimeMs } = await handle.stat();
    const head = await readAt(handle, 0, Math.min(size, EXCERPT_BYTES));
    const tailStart = Math.max(EXCERPT_BYTES, size - EXCERPT_BYTES);
    const tail = size > EXCERPT_BYTES ? await readAt(handle, tailStart, size - tailStart) : "";
    return { head, tail, updatedAt: Math.floor(mtimeMs) };
  } finally {
    await handle.close();
  }
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.toString("utf8", 0, bytesRead);
}

/** The complete lines of an excerpt, which may start and end in the middle of a line. */
function parseLines(text: string): readonly UnknownRecord[] {
  return text.split("\n").flatMap((line) => {
    try {
      return [recordOf(JSON.parse(line))];
    } catch {
      return [];
    }
  });
}

/** The first line of the user's first message. Messages that Claude Code adds in the user's name are skipped. */
function firstPromptOf(lines: readonly UnknownRecord[]): string {
  for (const line of lines) {
    if (line.type !== "user" || line.isMeta === true || line.isSidechain === true) continue;
    const { content } = recordOf(line.message);
    const texts = typeof content === "string" ? [content] : recordsOf(content).map((part) => stringOf(part.text));
    const text = texts.find((candidate) => candidate.trim() !== "" && !candidate.startsWith("<"));
    if (text !== undefined) return text.trim().split("\n", 1)[0]?.slice(0, 200) ?? "";
  }
  return "";
}
