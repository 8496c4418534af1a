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

/** What stands for something missing, so that nobody else can make it: an empty folder, or a file with a harmless text. */
export interface Placeholder {
  readonly path: string;
  /** The text of a file. @default it is a folder */
  readonly text?: string;
}

/** The sticky bit means nothing for a user's own files: it marks what is ours, also after Atomic was killed. */
const MARK = 0o1000;

/** How many sandboxes of this process need a placeholder. */
const holders = new Map<string, number>();

/**
 * Makes what is missing, since only what exists can be protected, and takes it away again. The way back leaves what somebody
 * else has changed, and what another sandbox protects: the last one takes it away.
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
    // It is there, or nobody can write there anyway.
  }
}

function remove({ path: file, text }: Placeholder): void {
  try {
    const entry = lstatSync(file);
    if ((entry.mode & MARK) === 0) return;
    if (text === undefined && entry.isDirectory()) rmdirSync(file);
    if (text !== undefined && entry.isFile() && readFileSync(file, "utf8") === text) unlinkSync(file);
  } catch {
    // It is not empty any more, or gone.
  }
}

/** Whether a process of this user has the folder, or one in it, mounted. */
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
      // It ended meanwhile, or is another user's.
    }
  }
  return [...texts];
}
