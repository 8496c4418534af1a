import { mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { Redactor } from "../../contracts/index.ts";
import { readBoundedFile } from "../../discovery/index.ts";
import { replaceFile, withFileLock } from "../../system/index.ts";
import type { StoredConversation } from "../../tui/index.ts";

/** How many conversations of a project are kept. */
const MAX_CONVERSATIONS = 200;

const conversationSchema = z.object({
  sessionId: z.string().min(1),
  agentType: z.string().min(1),
  name: z.string().exactOptional(),
  preview: z.string().exactOptional(),
  updatedAt: z.number(),
});

const fileSchema = z.object({
  version: z.literal(1),
  projects: z.record(z.string(), z.array(conversationSchema)),
});

/** By the project's folder. */
type ConversationsByProject = Readonly<Record<string, readonly StoredConversation[]>>;

/** Settings of {@link createStoredConversations}. */
export interface StoredConversationsOptions {
  /** The user's own Atomic folder. */
  readonly atomicHome: string;
  readonly projectDirectory: string;
  readonly redactor: Redactor;
}

/** The chat's conversations in one project. */
export interface StoredConversations {
  /** The newest first. */
  list(): Promise<readonly StoredConversation[]>;
  /** Adds a conversation, or replaces what is stored of it. */
  save(conversation: StoredConversation): Promise<void>;
}

/**
 * Stores conversations in `chat/conversations.json` of the user's Atomic folder. A broken file counts as empty; the next
 * conversation renames it to `conversations.json.broken`.
 */
export function createStoredConversations(options: StoredConversationsOptions): StoredConversations {
  const { atomicHome, projectDirectory, redactor } = options;
  const path = join(atomicHome, "chat", "conversations.json");
  return {
    async list() {
      const { projects } = await load(path);
      return newestFirst(projects[projectDirectory] ?? []);
    },
    async save(conversation) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await withFileLock(`${path}.lock`, async () => {
        const { projects, isBroken } = await load(path);
        if (isBroken) await rename(path, `${path}.broken`);
        const isOther = ({ sessionId, agentType }: StoredConversation): boolean =>
          sessionId !== conversation.sessionId || agentType !== conversation.agentType;
        const others = (projects[projectDirectory] ?? []).filter(isOther);
        const kept = newestFirst([...others, redactor.value(conversation)]).slice(0, MAX_CONVERSATIONS);
        const all = { version: 1, projects: { ...projects, [projectDirectory]: kept } };
        await replaceFile(path, `${JSON.stringify(all, undefined, 2)}\n`);
      });
    },
  };
}

function newestFirst(conversations: readonly StoredConversation[]): readonly StoredConversation[] {
  return conversations.toSorted((one, other) => other.updatedAt - one.updatedAt);
}

async function load(path: string): Promise<{ readonly projects: ConversationsByProject; readonly isBroken: boolean }> {
  try {
    const parsed = fileSchema.safeParse(JSON.parse(await readBoundedFile(path, 8_388_608)));
    return parsed.success ? { projects: parsed.data.projects, isBroken: false } : { projects: {}, isBroken: true };
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    return { projects: {}, isBroken: !isMissing };
  }
}
