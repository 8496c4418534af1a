import type { PermissionDetails, PermissionRequest } from "../../../contracts/index.ts";

/** An approval of one file or command of a call. */
interface Approval {
  /** What may be written. Undefined where the request did not say: then any content. */
  contents: readonly Content[] | undefined;
}

/** The new content of a file, as a request showed it. */
type Content = Extract<PermissionDetails, { readonly type: "edit" | "write" }>;

/**
 * The approved tool calls of a turn, which Atomic may carry out for the agent without another approval: once per call,
 * however many requests the agent sends about it. Where a request showed what is written, it covers only that.
 */
export class CallAllowances {
  readonly #approvals = new Map<string, Approval[]>();
  /** The approvals by the call's id. */
  readonly #ofCalls = new Map<string, Map<string, Approval>>();

  /** Adds what a permission request covered: each file to edit, or the command. */
  add(request: PermissionRequest): void {
    const known = this.#ofCalls.get(request.id) ?? new Map<string, Approval>();
    if (request.id !== "") this.#ofCalls.set(request.id, known);
    for (const { key, file } of keysOf(request)) {
      const contents = file === undefined ? undefined : contentsOf(request, file);
      const before = known.get(key);
      if (before !== undefined) {
        before.contents = before.contents === undefined ? contents : [...before.contents, ...(contents ?? [])];
        continue;
      }
      const approval = { contents };
      known.set(key, approval);
      this.#approvals.set(key, [...(this.#approvals.get(key) ?? []), approval]);
    }
  }

  /** Whether an approval of a file depends on what is written. Then {@link take} needs the file's text. */
  dependsOnText({ paths }: Pick<PermissionRequest, "paths">): boolean {
    const approvals = paths.flatMap((file) => this.#approvals.get(editKey(file)) ?? []);
    return approvals.some(({ contents }) => contents !== undefined);
  }

  /**
   * Spends an approval. False when any part of the request was not approved.
   * @param before the file's text before a write
   */
  take(request: PermissionRequest, before = ""): boolean {
    const keys = keysOf(request);
    const found = keys.map(({ key, file }) => {
      const covers = ({ contents }: Approval): boolean =>
        file === undefined || contents === undefined || writesOne(request, { file, contents, before });
      return { key, approval: this.#approvals.get(key)?.find(covers) };
    });
    if (found.length === 0 || found.some(({ approval }) => approval === undefined)) return false;
    for (const { key, approval } of found) {
      const left = this.#approvals.get(key)?.filter((other) => other !== approval) ?? [];
      this.#approvals.set(key, left);
    }
    return true;
  }
}

interface AllowanceKey {
  readonly key: string;
  /** The file of an edit. */
  readonly file?: string;
}

function keysOf({ kind, command, paths, isDeletion = false }: PermissionRequest): readonly AllowanceKey[] {
  if (kind === "shell") return command === undefined ? [] : [{ key: `shell ${command}` }];
  // Atomic deletes nothing for an agent, and to write the file is something else.
  if (isDeletion) return [];
  if (kind === "edit") return paths.map((file) => ({ key: editKey(file), file }));
  return kind === "read" ? paths.map((file) => ({ key: `read ${file}` })) : [];
}

function editKey(file: string): string {
  return `edit ${file}`;
}

/** What a request showed of a file's new content. Undefined where it showed none of any file. */
function contentsOf({ details, paths }: PermissionRequest, file: string): readonly Content[] | undefined {
  const isMeant = (name: string): boolean => paths.length === 1 || name === file || file.endsWith(`/${name}`);
  switch (details?.type) {
    case "write":
      return isMeant(details.path) ? [details] : [];
    case "edit": {
      const changes = details.changes.filter(({ path }) => isMeant(path));
      return changes.length === 0 ? [] : [{ ...details, changes }];
    }
    // A patch is not applied here: what is written instead is shown once more.
    case "patch":
      return [];
    default:
      return undefined;
  }
}

function writesOne(
  { details }: PermissionRequest,
  { file, contents, before }: { readonly file: string; readonly contents: readonly Content[]; readonly before: string },
): boolean {
  if (details?.type !== "write") return contents.length > 0 && file !== "";
  return contents.some((content) => textAfter(content, before) === details.text);
}

/** The file's text after a change. Undefined where the change does not fit it. */
function textAfter(content: Content, before: string): string | undefined {
  if (content.type === "write") return content.text;
  let text = before;
  for (const { oldText, newText, isEverywhere = false } of content.changes) {
    const fits = oldText === "" ? text === "" : text.includes(oldText);
    if (!fits) return undefined;
    text =
      isEverywhere && oldText !== "" ? text.replaceAll(oldText, () => newText) : text.replace(oldText, () => newText);
  }
  return text;
}
