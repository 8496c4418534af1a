import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../../system/index.ts";
import { readRunSummary } from "../journal/run-summary.ts";
import type { Checkpointer, JournalEntry, JournalLoss, RunJournal, RunMailbox } from "../model/checkpointer.ts";
import { assertOptions } from "../options/check-call.ts";
import type { OptionTable } from "../options/find-option-problems.ts";
import { described, isObject, required, someText } from "../options/option-checks.ts";
import type { BaseState } from "../state/annotation.ts";
import { encodeRunId } from "./encode-run-id.ts";
import { FileSaver, type FileSaverOptions, SHARED_FILE_OPTIONS } from "./file-saver.ts";
import { findStateText, formatResearchDocument, formatState } from "./research-document.ts";
import { ignoreMissing } from "./run-lease.ts";

/** Settings of a {@link ResearchDirSaver}. */
export type ResearchDirSaverOptions = Omit<FileSaverOptions, "directory">;

/** The options, with the first argument as one of them. */
const OPTIONS: OptionTable<ResearchDirSaverOptions & { readonly projectRoot: string }> = {
  ...SHARED_FILE_OPTIONS,
  projectRoot: required(described(someText, "a path"), "name the project's folder"),
};

/**
 * Keeps journals in `research/checkpoints/` of a project, as a {@link FileSaver} does, and next to each a page for people,
 * `<run id>.md`: what the run is, its status and its latest state. The page is written when a process ends its part in the
 * run; failing to write it does not affect the run.
 *
 * ```ts
 * new ResearchDirSaver(); // in the working directory
 * new ResearchDirSaver("/home/me/project");
 * ```
 */
export class ResearchDirSaver implements Checkpointer {
  readonly mailbox: RunMailbox;
  readonly #projectRoot: string;
  readonly #directory: string;
  readonly #journals: FileSaver;

  /** @param projectRoot the folder that contains `research/`; it is created if missing @throws InvalidOptionsError */
  constructor(projectRoot = ".", options: ResearchDirSaverOptions = {}) {
    const given = isObject(options) ? { ...options, projectRoot } : options;
    assertOptions("new ResearchDirSaver", given, { table: OPTIONS });
    this.#projectRoot = projectRoot;
    this.#directory = join(projectRoot, "research", "checkpoints");
    this.#journals = new FileSaver({ ...options, directory: this.#directory });
    this.mailbox = this.#journals.mailbox;
  }

  async open(runId: string, mode: "create" | "resume"): Promise<RunJournal> {
    // Unlike the journals, the project's own folder is not private. If it cannot be created, opening the journal fails.
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
      // Without a graph, for example when a waiting run is cancelled, keep the state from the existing page.
      const shown = stateText ?? findStateText((await readFile(path, "utf8").catch(ignoreMissing)) ?? "");
      await replaceFile(path, formatResearchDocument(summary, shown));
    } catch {
      // The page is optional: the journal reports its own errors, and the page is rewritten when the run ends again.
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

  /** Bound to this object, so that it also works in a saver that inherits from this one. */
  readonly findLoss = async (runId: string): Promise<JournalLoss | undefined> => {
    return await this.#journals.findLoss(runId);
  };

  async isHeld(runId: string): Promise<boolean> {
    return await this.#journals.isHeld(runId);
  }

  /** Deletes the page too: it may show dropped entries. */
  async truncate(runId: string, lastSequence: number): Promise<void> {
    await this.#journals.truncate(runId, lastSequence);
    await rm(this.#pagePathOf(runId), { force: true });
  }

  #pagePathOf(runId: string): string {
    return join(this.#directory, `${encodeRunId(runId)}.md`);
  }
}

/** Defaults and reducers may return values that JSON cannot express. */
function formatStateIfPossible(state: BaseState): string | undefined {
  try {
    return formatState(state);
  } catch {
    return undefined;
  }
}
