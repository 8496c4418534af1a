import { mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import {
  AtomicError,
  messageOf,
  type PermissionMemory,
  type PermissionRequest,
  permissionKey,
} from "../../contracts/index.ts";
import { readBoundedFile, remedyForUnsaved } from "../../discovery/index.ts";
import { replaceFile, withFileLock } from "../../system/index.ts";

const rememberedSchema = z.object({
  key: z.string().refine((key) => toolNameIn(key) !== undefined, "expected the JSON of kind, tool and subject"),
  title: z.string(),
  allowedAt: z.string(),
});

const fileSchema = z.object({ version: z.literal(1), projects: z.record(z.string(), z.array(rememberedSchema)) });

/** The tool in a key of `permissionKey`; undefined for any other text. */
export function toolNameIn(key: string): string | undefined {
  const name = partsOf(key)[1];
  return typeof name === "string" ? name : undefined;
}

/** The command in a key of `permissionKey`; undefined for a call without a command. */
export function commandIn(key: string): string | undefined {
  const subject = partsOf(key)[2];
  return typeof subject === "string" ? subject : undefined;
}

function partsOf(key: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(key);
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

/** A call that a person always allows in one project. */
export interface RememberedPermission {
  /** Identifies the same call; see `permissionKey`. */
  readonly key: string;
  /** How the call was shown to the person. */
  readonly title: string;
  /** ISO 8601. */
  readonly allowedAt: string;
}

/** The calls that a person always allows in one project. */
export interface ProjectPermissions extends PermissionMemory {
  list(): Promise<readonly RememberedPermission[]>;
  /** Forgets the calls with these keys; unknown ones have no effect. */
  forget(keys: ReadonlySet<string>): Promise<void>;
}

/** Settings of {@link createProjectPermissions}. */
export interface ProjectPermissionsOptions {
  /** The user's own Atomic folder. */
  readonly atomicHome: string;
  readonly projectDirectory: string;
  /** Milliseconds since 1970. @default Date.now */
  readonly clock?: () => number;
}

/** By the project's folder. */
type PermissionsByProject = Readonly<Record<string, readonly RememberedPermission[]>>;

const NOTHING: PermissionsByProject = {};

/** The file of remembered permissions cannot be used. */
export class PermissionMemoryBrokenError extends AtomicError {
  constructor(
    readonly path: string,
    options: { readonly cause: unknown },
  ) {
    super(
      "PERMISSION_MEMORY_BROKEN",
      `What you allowed for good cannot be read from ${path}: ${messageOf(options.cause)}. Correct the file, or remove it: those calls then require approval again.`,
      options,
    );
  }
}

/** What a person allows for good, or no longer, could not be saved. */
export class PermissionNotSavedError extends AtomicError {
  constructor(
    readonly path: string,
    options: { readonly cause: unknown },
  ) {
    const what = `What you allow for good cannot be written to ${path}: ${messageOf(options.cause)}.`;
    super("PERMISSION_NOT_SAVED", `${what} ${remedyForUnsaved(options.cause)}`, options);
  }
}

/**
 * Stores the calls that a person always allows in `allowed-calls.json` of the user's Atomic folder. A broken file allows
 * nothing; the next allowed call renames it to `allowed-calls.json.broken`. Only one process at a time changes the file, under
 * the lock `allowed-calls.json.lock`.
 */
export function createProjectPermissions(options: ProjectPermissionsOptions): ProjectPermissions {
  const { atomicHome, projectDirectory, clock = Date.now } = options;
  const path = join(atomicHome, "allowed-calls.json");
  const listOf = async (): Promise<readonly RememberedPermission[]> => (await load(path))[projectDirectory] ?? [];
  return {
    list: listOf,
    async isAllowed(request) {
      const key = permissionKey(request);
      const remembered = await listOf().catch(nothingWhenBroken);
      return remembered.some((permission) => permission.key === key);
    },
    async allow(request: PermissionRequest) {
      const key = permissionKey(request);
      await update(path, async () => {
        const projects = await load(path).catch(async (error: unknown) => {
          nothingWhenBroken(error);
          await rename(path, `${path}.broken`);
          return NOTHING;
        });
        const known = projects[projectDirectory] ?? [];
        if (known.some((permission) => permission.key === key)) return;
        const added = { key, title: request.title, allowedAt: new Date(clock()).toISOString() };
        return { ...projects, [projectDirectory]: [...known, added] };
      });
    },
    async forget(keys) {
      // Where nothing is stored, nothing is to be locked or created.
      if ((await listOf()).length === 0) return;
      await update(path, async () => {
        const { [projectDirectory]: known = [], ...others } = await load(path);
        const kept = known.filter(({ key }) => !keys.has(key));
        if (kept.length === known.length) return;
        return kept.length === 0 ? others : { ...others, [projectDirectory]: kept };
      });
    },
  };
}

/** Stores what `change` makes of the file, or nothing. @throws PermissionMemoryBrokenError, PermissionNotSavedError */
async function update(path: string, change: () => Promise<PermissionsByProject | undefined>): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await withFileLock(`${path}.lock`, async () => {
      const projects = await change();
      if (projects === undefined) return;
      await replaceFile(path, `${JSON.stringify({ version: 1, projects }, undefined, 2)}\n`);
    });
  } catch (cause) {
    throw cause instanceof PermissionMemoryBrokenError ? cause : new PermissionNotSavedError(path, { cause });
  }
}

function nothingWhenBroken(error: unknown): readonly RememberedPermission[] {
  if (error instanceof PermissionMemoryBrokenError) return [];
  throw error;
}

/** @throws PermissionMemoryBrokenError */
async function load(path: string): Promise<PermissionsByProject> {
  try {
    const parsed = fileSchema.safeParse(JSON.parse(await readBoundedFile(path)));
    if (parsed.success) return parsed.data.projects;
    throw new Error(describeFirst(parsed.error), { cause: parsed.error });
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return NOTHING;
    throw new PermissionMemoryBrokenError(path, { cause });
  }
}

/** The first problem, with its place. */
function describeFirst({ issues }: z.ZodError): string {
  const [first] = issues;
  const place = first?.path.map(String).join(" › ") ?? "";
  return `${place === "" ? "" : `at ${place}: `}${first?.message ?? "the file has another shape"}`;
}
