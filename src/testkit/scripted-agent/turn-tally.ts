import { type AgentEvent, addUsage, type DeniedPermission, NO_USAGE, type Usage } from "../../contracts/index.ts";

/** What the events of a turn add up to. */
export class TurnTally {
  /** The text; what was said before and after a tool ran stands in paragraphs of its own. */
  content = "";
  usage: Usage = NO_USAGE;
  readonly denied: DeniedPermission[] = [];
  /** Whether the script has reported tokens by itself. */
  hasSpent = false;
  #startCount = 0;
  #isParagraphOver = false;

  /** How many tools ran; those that were denied did not. */
  get toolUses(): number {
    return this.#startCount - this.denied.length;
  }

  hear(event: AgentEvent): void {
    switch (event.type) {
      case "text-delta":
        this.content += (this.#isParagraphOver && this.content !== "" ? "\n\n" : "") + event.text;
        this.#isParagraphOver = false;
        return;
      case "tool-start":
        this.#startCount++;
        this.#isParagraphOver = true;
        return;
      case "permission-denied":
        this.denied.push(event.denied);
        return;
      case "usage":
        this.usage = addUsage(this.usage, event.usage);
        return;
    }
  }
}
