import type { AskProps } from "./ask-props.ts";
import { FIRST_ASK } from "./ask-row.ts";
import { PermissionDialog } from "./permission-dialog.tsx";
import { QuestionDialog } from "./question-dialog.tsx";

/** Properties of {@link AskDialog}. Without receivers, what was meant for the input is lost. */
export type AskDialogProps = Pick<AskProps, "ask" | "otherCount"> & Partial<Omit<AskProps, "ask" | "otherCount">>;

const ALONE: Omit<AskProps, "ask" | "otherCount"> = {
  place: FIRST_ASK,
  onTyped: () => undefined,
  onPasted: () => undefined,
  onInterrupt: () => false,
  onAnswered: () => undefined,
};

/** A permission request or a question of the agent. It covers the input. */
export function AskDialog(given: AskDialogProps) {
  const props = { ...ALONE, ...given };
  switch (props.ask.type) {
    case "permission":
      return <PermissionDialog {...props} ask={props.ask} />;
    case "question":
      return <QuestionDialog {...props} ask={props.ask} />;
  }
}
