import type { OpenAsk } from "../chat/chat-state.ts";
import { PermissionDialog } from "./permission-dialog.tsx";
import { QuestionDialog } from "./question-dialog.tsx";

/** Properties of {@link AskDialog}. */
export interface AskDialogProps {
  readonly ask: OpenAsk;
  /** How many others wait after this one. */
  readonly otherCount: number;
  /** Receives text that was meant for the input. @default it is lost */
  readonly onTyped?: (text: string) => void;
}

function forget(): void {}

/** A permission request or a question of the agent. It covers the input. */
export function AskDialog({ ask, otherCount, onTyped = forget }: AskDialogProps) {
  switch (ask.type) {
    case "permission":
      return <PermissionDialog ask={ask} otherCount={otherCount} onTyped={onTyped} />;
    case "question":
      return <QuestionDialog ask={ask} otherCount={otherCount} onTyped={onTyped} />;
  }
}
