import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";

/** Takes the place of something missing, so that nobody else can create it: an empty folder, or a harmless file. */
export interface Placeholder {
  readonly path: string;
  /** The text of a file. @default it is a folder */
  readonly text?: string;
  /** A file: the placeholder stays as long as this exists. @default it is always removed */
  readonly keptWith?: string;
}

/** The sticky bit has no effect on a user's own files. It marks Atomic's placeholders, also after Atomic was killed. */
const MARK = 0o1000;

/** How many sandboxes of this process need a placeholder. */
const holders = new Map<string, number>();

/**
 * Creates what is missing, because only what exists can be protected. The returned function removes the placeholders, except
 * those that have changed and those that another sandbox protects: the last sandbox removes them.
 */
export function makePlaceholders(placeholders: readonly Placeholder[]): () => void {
  for (const placeholder of placeholders) {
    holders.set(placeholder.path, (holders.get(placeholder.path) ?? 0) + 1);
    make(placeholder);
  }
  return () => {
    const mounts = readMounts();
    for (const placeholder of placeholders.toReversed()) {
      const others = (holders.get(placeholder.path) ?? 1) - 1;
      if (others > 0) holders.set(placeholder.path, others);
      else holders.delete(placeholder.path);
      if (others === 0 && !isMountedIn(mounts, placeholder.path)) remove(placeholder);
    }
  };
}

function make({ path: file, text }: Placeholder): void {
  try {
    if (text === undefined) mkdirSync(file);
    else writeFileSync(file, text, { flag: "wx" });
    chmodSync(file, (text === undefined ? 0o755 : 0o644) | MARK);
  } catch {
    // It exists, or nobody can write there anyway.
  }
}

function remove({ path: file, text, keptWith }: Placeholder): void {
  try {
    if (keptWith !== undefined && lstatSync(keptWith, { throwIfNoEntry: false }) !== undefined) return;
    const entry = lstatSync(file);
    if ((entry.mode & MARK) === 0) return;
    if (text === undefined && entry.isDirectory()) rmdirSync(file);
    if (text !== undefined && entry.isFile() && readFileSync(file, "utf8") === text) unlinkSync(file);
  } catch {
    // It is no longer empty, or no longer exists.
  }
}

/** Whether a process of this user has mounted the folder or one in it. */
export function isMounted(folder: string): boolean {
  return isMountedIn(readMounts(), folder);
}

function isMountedIn(mounts: readonly string[], folder: string): boolean {
  const mark = ` ${folder.replaceAll(" ", "\\040")}`;
  return mounts.some((text) => text.includes(mark));
}

function readMounts(): readonly string[] {
  const texts = new Set<string>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      texts.add(readFileSync(path.join("/proc", name, "mountinfo"), "utf8"));
    } catch {
      // It has ended, or belongs to another user.
    }
  }
  return [...texts];
}
