import { isRecord, type UnknownRecord } from "../../contracts/index.ts";

/** What a chat stored of a conversation: by what identifies an entry, everything else about it. */
export type KnownEntries = ReadonlyMap<string, string>;

/**
 * Identifies stored messages and comments. The ids of messages do not: each chat counts on from those that it loaded, so two
 * chats use the same id for different messages.
 */
function keysOf(entries: readonly unknown[]): readonly string[] {
  const counts = new Map<string, number>();
  return entries.map((entry) => {
    const plain = JSON.stringify(isRecord(entry) ? identityOf(entry) : entry);
    const count = counts.get(plain) ?? 0;
    counts.set(plain, count + 1);
    return `${plain} ${count}`;
  });
}

/** What never changes of an entry. */
function identityOf({ type, at, ...entry }: UnknownRecord): unknown {
  if (type === "comment" && isRecord(entry.line)) {
    const { path, number, text, isRemoved, place, occurrence } = entry.line;
    return [type, path, number, text, isRemoved, place, occurrence, entry.text];
  }
  const isWritten = type === "user" || type === "notice";
  return [type, at, entry.toolId, entry.subagentId, entry.command, isWritten ? entry.text : undefined];
}

/** What a chat knows once it has loaded or stored entries. */
export function knownOf(entries: readonly unknown[]): KnownEntries {
  const keys = keysOf(entries);
  return new Map(entries.map((entry, index) => [keys[index] ?? "", stateOf(entry)]));
}

function stateOf(entry: unknown): string {
  return isRecord(entry) && entry.type === "comment" ? String(entry.isSent) : JSON.stringify(entry);
}

/**
 * A chat's entries, with what other chats have changed meanwhile in the stored ones: what they added stays, and so does what
 * they changed where this chat did not.
 *
 * @param known what this chat loaded or stored last: what is missing in `own` of it, this chat has removed
 */
export function mergeEntries(
  own: readonly unknown[],
  { stored, known }: { readonly stored: readonly unknown[]; readonly known: KnownEntries },
): readonly unknown[] {
  const [ownKeys, storedKeys] = [keysOf(own), keysOf(stored)];
  const storedByKey = new Map(storedKeys.map((key, index) => [key, stored[index]]));
  const merged = own.flatMap((entry, index) => {
    const key = ownKeys[index] ?? "";
    const [before, now] = [known.get(key), stateOf(entry)];
    const theirs = storedByKey.get(key);
    const isStored = storedByKey.has(key);
    if (before === undefined) return [entry];
    if (before === now) return isStored ? [theirs] : isComment(entry) ? [] : [entry];
    // To load what is in progress elsewhere changes it too: the owner's has more.
    return isStored && stateOf(theirs) !== before && stateOf(theirs).length > now.length ? [theirs] : [entry];
  });
  const isOwn = new Set(ownKeys);
  const added = stored.filter((_, index) => {
    const key = storedKeys[index] ?? "";
    return !isOwn.has(key) && !known.has(key);
  });
  const isMessage = (entry: unknown): boolean => !isComment(entry);
  return [
    ...byTime(merged.filter(isMessage), added.filter(isMessage)),
    ...merged.filter(isComment),
    ...added.filter(isComment),
  ];
}

function isComment(entry: unknown): boolean {
  return isRecord(entry) && entry.type === "comment";
}

/** Two lists as one, by the times of their entries; each keeps its order. */
function byTime(one: readonly unknown[], other: readonly unknown[]): readonly unknown[] {
  const merged: unknown[] = [];
  let next = 0;
  for (const entry of one) {
    for (; next < other.length && timeOf(other[next]) < timeOf(entry); next++) merged.push(other[next]);
    merged.push(entry);
  }
  return [...merged, ...other.slice(next)];
}

function timeOf(entry: unknown): number {
  return isRecord(entry) && typeof entry.at === "number" ? entry.at : 0;
}
