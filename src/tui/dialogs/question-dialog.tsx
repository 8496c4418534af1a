import { visibleLabel } from "../../view/index.ts";
import type { OpenAsk } from "../chat/chat-state.ts";
import { useChat, useUi } from "../ui/ui-context.ts";
import { DialogFrame } from "./dialog-frame.tsx";
import { QuestionForm, questionKeys } from "./question-form.tsx";

/** Properties of {@link QuestionDialog}. */
export interface QuestionDialogProps {
  readonly ask: Extract<OpenAsk, { readonly type: "question" }>;
  readonly otherCount: number;
  /** Receives text that was meant for the input. */
  readonly onTyped: (text: string) => void;
}

/** A question of the agent. Escape declines it. */
export function QuestionDialog({ ask: { question, answer }, otherCount, onTyped }: QuestionDialogProps) {
  const { keymap } = useUi();
  const { agentType } = useChat();
  const { header, options, isMultiple } = question;
  const shape = { options, isMultiple, acceptsText: true };
  const waiting = otherCount === 0 ? [] : [`${otherCount} more ${otherCount === 1 ? "waits" : "wait"}`];
  const footer = [...waiting, ...questionKeys(shape), `${keymap.labelOf("stop")} decline`];
  const title = header === undefined ? `${agentType} asks` : `${agentType} asks: ${visibleLabel(header)}`;
  return (
    <DialogFrame title={title} footer={footer} tone="warning">
      <QuestionForm
        {...shape}
        question={question.question}
        onTyped={onTyped}
        onAnswer={(values) => answer({ type: "answer", values })}
        onCancel={() => answer({ type: "decline", reason: "The user declined to answer." })}
      />
    </DialogFrame>
  );
}
