import type { CommandRegistry } from "../commands/command-registry.ts";
import type { ChatHost } from "../host/chat-host.ts";
import { MentionIndex } from "./mention-index.ts";
import type { PromptList } from "./prompt-list.ts";

/** What the mentions come from. */
export interface MentionSourceOptions {
  readonly commands: CommandRegistry;
  readonly host: Pick<ChatHost, "listFiles">;
  /** Called when the files have been listed. */
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
}

/** The files of the project and the agents. The files are listed again each time a list of mentions opens. */
export class MentionSource {
  readonly #options: MentionSourceOptions;
  #paths: readonly string[] | undefined;
  #isLoading = false;
  #index: { readonly index: MentionIndex; readonly paths: readonly string[]; readonly revision: number } | undefined;

  constructor(options: MentionSourceOptions) {
    this.#options = options;
  }

  /** Lists the files. The ones of before are found meanwhile. */
  load(): void {
    const { host, onChange, onError } = this.#options;
    if (this.#isLoading || host.listFiles === undefined) return;
    this.#isLoading = true;
    // Listing the files of a large repository takes less than a second, and the next list needs them too.
    host
      .listFiles(new AbortController().signal)
      .then((paths) => {
        if (!isSameList(paths, this.#paths)) this.#paths = paths;
      })
      .catch(onError)
      .finally(() => {
        this.#isLoading = false;
        onChange();
      });
  }

  search(query: string): PromptList {
    const { commands } = this.#options;
    const paths = this.#paths ?? NO_PATHS;
    if (this.#index?.paths !== paths || this.#index.revision !== commands.revision()) {
      const agents = commands.all().filter(({ category, hidden = false }) => category === "agent" && !hidden);
      this.#index = { index: new MentionIndex(paths, agents), paths, revision: commands.revision() };
    }
    const isLoading = this.#isLoading && this.#paths === undefined;
    return { type: "mentions", rows: this.#index.index.search(query), isLoading };
  }
}

const NO_PATHS: readonly string[] = [];

function isSameList(one: readonly string[], other: readonly string[] = NO_PATHS): boolean {
  return one.length === other.length && one.every((path, index) => path === other[index]);
}
