import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { BaseState } from "../annotation.ts";
import type { Checkpointer, JournalEntry, JournalLoss, RunJournal, RunMailbox } from "../checkpointer.ts";
import { readRunSummary } from "../run-summary.ts";
import { encodeRunId } from "./encode-run-id.ts";
import { type FileSaverOptions, FileStore } from "./file-store.ts";
import { replaceFile } from "./replace-file.ts";
import { findStateText, formatResearchDocument, formatState } from "./research-document.ts";
import { ignoreMissing } from "./run-lease.ts";

/** Settings of a `ResearchDirSaver`. */
export type ResearchDirSaverOptions = Omit<FileSaverOptions, "directory">;

/** The code of a `ResearchDirSaver`. */
export class ResearchDirStore implements Checkpointer {
  readonly #projectRoot: string;
  readonly #directory: string;
  readonly #journals: FileStore;

  constructor(projectRoot: string, options: ResearchDirSaverOptions) {
    this.#projectRoot = projectRoot;
    this.#directory = join(projectRoot, "research", "checkpoints");
    this.#journals = new FileStore({ ...options, directory: this.#directory });
  }

  get mailbox(): RunMailbox {
    return this.#journals.mailbox;
  }

  async open(runId: string, mode: "create" | "resume"): Promise<RunJournal> {
    // The project's own folder is not for the owner only. What keeps it from being made will keep the journal too.
    await mkdir(join(this.#projectRoot, "research"), { recursive: true }).catch(() => undefined);
    const journal = await this.#journals.open(runId, mode);
    let hasChanged = false;
    let stateText: string | undefined;
    return {
      load: () => journal.load(),
      append: (entry) => {
        hasChanged = true;
        return journal.append(entry);
      },
      replace: (entries) => {
        hasChanged = true;
        return journal.replace(entries);
      },
      showState: (state) => {
        stateText = formatStateIfPossible(state);
      },
      close: async () => {
        if (hasChanged) await this.#writePage(runId, stateText);
        hasChanged = false;
        await journal.close();
      },
    };
  }

  async #writePage(runId: string, stateText: string | undefined): Promise<void> {
    const path = this.#pagePathOf(runId);
    try {
      const summary = await readRunSummary(this.#journals, runId);
      // Without a graph, for example when a waiting run is cancelled, the state is the one shown before.
      const shown = stateText ?? findStateText((await readFile(path, "utf8").catch(ignoreMissing)) ?? "");
      await replaceFile(path, formatResearchDocument(summary, shown));
    } catch {
      // The journal is what counts, and it has its own errors; the page is written anew when the run ends again.
    }
  }

  async read(runId: string): Promise<readonly JournalEntry[]> {
    return await this.#journals.read(runId);
  }

  async list(): Promise<readonly string[]> {
    return await this.#journals.list();
  }

  async delete(runId: string): Promise<void> {
    await this.#journals.delete(runId);
    await rm(this.#pagePathOf(runId), { force: true });
  }

  async findLoss(runId: string): Promise<JournalLoss | undefined> {
    return await this.#journals.findLoss(runId);
  }

  async isHeld(runId: string): Promise<boolean> {
    return await this.#journals.isHeld(runId);
  }

  /** Drops the page too: it shows what was dropped. */
  async truncate(runId: string, lastSequence: number): Promise<void> {
    await this.#journals.truncate(runId, lastSequence);
    await rm(this.#pagePathOf(runId), { force: true });
  }

  #pagePathOf(runId: string): string {
    return join(this.#directory, `${encodeRunId(runId)}.md`);
  }
}

/** A default or a reducer may have made what JSON cannot say. */
function formatStateIfPossible(state: BaseState): string | undefined {
  try {
    return formatState(state);
  } catch {
    return undefined;
  }
}
