import { type ReactNode, useCallback, useEffect, useLayoutEffect, useState } from "react";
import { messageOf } from "../../contracts/index.ts";
import { safeLine } from "../../view/index.ts";
import type { ChatEntry } from "../chat/chat-entry.ts";
import type { TodoItem } from "../commands/command.ts";
import { AskDialog } from "../dialogs/ask-dialog.tsx";
import { AskRow } from "../dialogs/ask-row.ts";
import { DialogView } from "../dialogs/dialog-view.tsx";
import { useStopAll } from "../dialogs/use-stop-all.ts";
import { draftOf } from "../input/input-history.ts";
import { pasteText } from "../input/paste-text.ts";
import { PromptInput, type PromptInputProps } from "../input/prompt-input.tsx";
import type { PromptStore } from "../input/prompt-store.ts";
import { usePromptStore } from "../input/use-prompt-store.ts";
import { InboxView } from "../runs/inbox-view.tsx";
import { RunView } from "../runs/run-view.tsx";
import { RunsView } from "../runs/runs-view.tsx";
import { InlineChat, type StyledLine } from "../terminal/inline-chat.tsx";
import { Conversation } from "../transcript/conversation.tsx";
import { type EntryLayout, entryToLines, hasGapBefore } from "../transcript/entry-to-lines.ts";
import { styleLine } from "../transcript/styled-lines.ts";
import type { TranscriptLine } from "../transcript/transcript-line.ts";
import { memoryOf } from "../transcript/transcript-memory.ts";
import { TranscriptView } from "../transcript/transcript-view.tsx";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { useChat, useScreen, useTheme, useUi } from "../ui/ui-context.ts";
import type { MainView } from "../ui/ui-store.ts";
import { FailedPart } from "./failed-part.tsx";
import { NoRoomLine, useRoom } from "./no-room-line.tsx";
import { StatusLine } from "./status-line.tsx";
import { TaskList, type TaskListProps, useShownTasks } from "./task-list.tsx";
import { TitleLine } from "./title-line.tsx";
import { useAppKeys } from "./use-app-keys.ts";

/** Properties of {@link App}. */
export interface AppProps extends Pick<PromptInputProps, "onSubmit">, Partial<TaskListProps> {
  /** @default "full" */
  readonly mode?: "full" | "inline";
}

const NO_TASKS: readonly TodoItem[] = [];

/** Everything that is shown. */
export function App({ mode = "full", board = NO_TASKS, onSubmit }: AppProps) {
  const { view } = useScreen();
  useAppKeys();
  const foot = <Foot board={board} onSubmit={onSubmit} />;
  return mode === "full" ? (
    <FullScreen view={view}>{foot}</FullScreen>
  ) : (
    <InlineScreen view={view} board={board}>
      {foot}
    </InlineScreen>
  );
}

interface ScreenProps {
  readonly view: MainView;
  readonly children: ReactNode;
}

function FullScreen({ view, children }: ScreenProps) {
  const { colors } = useTheme();
  const { box, hasRoom } = useRoom();
  const isChat = view.type === "chat";
  return (
    <box flexDirection="column" width="100%" height="100%" backgroundColor={colors.background}>
      <TitleLine />
      {isChat && !hasRoom ? <NoRoomLine /> : <box height={1} flexShrink={0} />}
      <Guarded resetKey={view.type === "run" ? view.runId : view.type}>
        {isChat ? (
          <box ref={box} flexDirection="column" flexGrow={1} flexShrink={1} minHeight={0}>
            <Conversation />
          </box>
        ) : (
          <View view={view} />
        )}
      </Guarded>
      {children}
    </box>
  );
}

/** The conversation goes to the terminal's own scrollback; other views cover it. */
function InlineScreen({ view, board, children }: ScreenProps & TaskListProps) {
  const theme = useTheme();
  const { glyphs, host, now } = useUi();
  const { workingDirectory } = host;
  const tasks = useShownTasks(board);
  const formatEntry = useCallback(
    (entry: ChatEntry, columns: number): readonly StyledLine[] =>
      linesOf(entry, { columns, glyphs, workingDirectory, now: now() }).map((line) => styleLine(line, theme)),
    [glyphs, workingDirectory, now, theme],
  );
  const covering = view.type === "chat" ? undefined : <FullScreen view={view}>{children}</FullScreen>;
  return (
    <InlineChat
      formatEntry={formatEntry}
      hasGapBefore={hasGapBefore}
      panelRows={tasks === undefined ? 0 : tasks.rows + 1}
      {...(covering === undefined ? {} : { fullScreen: covering })}
    >
      {children}
    </InlineChat>
  );
}

/** An entry that cannot be drawn must not end the chat. */
function linesOf(entry: ChatEntry, layout: EntryLayout): readonly TranscriptLine[] {
  try {
    return entryToLines(entry, layout);
  } catch (error) {
    return [{ text: safeLine(`This cannot be shown: ${messageOf(error)}`, layout.columns), tone: "error" }];
  }
}

/** The tasks, dialogs, the input, and the status. */
function Foot({ board, onSubmit }: Pick<PromptInputProps, "onSubmit"> & TaskListProps) {
  const { asks, unsent } = useChat();
  const { view, dialog } = useScreen();
  const [ask] = asks;
  const isCovered = ask !== undefined || dialog !== undefined;
  // Here, because it outlives the input.
  const prompt = usePromptStore();
  const { takeEarlyInput, chat } = useUi();
  // Before the first frame: afterwards the input receives the keys itself.
  useLayoutEffect(() => {
    const early = takeEarlyInput?.() ?? "";
    if (early !== "") prompt.setDraft(draftOf(early));
  }, [prompt, takeEarlyInput]);
  useEffect(() => {
    if (unsent.length > 0) prompt.putBack(chat.takeUnsent());
  }, [prompt, chat, unsent]);
  return (
    <>
      <TaskList board={board} />
      {dialog === undefined || ask !== undefined ? undefined : (
        <Guarded resetKey={dialog.type}>
          <DialogView
            dialog={dialog}
            onDraft={(text) => prompt.setDraft(draftOf(text))}
            // Other views have no input.
            onTyped={view.type === "chat" ? (text) => prompt.insert(text) : undefined}
          />
        </Guarded>
      )}
      <Ask prompt={prompt} />
      {view.type === "chat" ? (
        // It is not removed: its field remembers what can be undone.
        <box flexShrink={0} visible={!isCovered}>
          <PromptInput isFocused={!isCovered} store={prompt} onSubmit={onSubmit} />
        </box>
      ) : undefined}
      <StatusLine />
    </>
  );
}

/** The oldest request or question that waits for the person. */
function Ask({ prompt }: { readonly prompt: PromptStore }) {
  const { asks } = useChat();
  const { now, chat } = useUi();
  const [ask] = asks;
  const [row] = useState(() => new AskRow(now));
  const place = row.show(ask?.id);
  const stopAll = useStopAll(place);
  if (ask === undefined) return;
  const insert = (text: string, intoDraft: (text: string) => void): void => {
    // A comment that is being written in the transcript continues.
    const field = memoryOf(chat).openField;
    if (field === undefined) intoDraft(text);
    else field.insert(text);
  };
  return (
    <Guarded resetKey={ask.id}>
      <AskDialog
        key={ask.id}
        {...{ ask, place }}
        otherCount={asks.length - 1}
        onTyped={(text) => insert(text, (typed) => prompt.insert(typed))}
        onPasted={(text) => insert(text, (pasted) => pasteText(pasted, prompt))}
        onInterrupt={() => {
          const isStopped = stopAll();
          if (isStopped) row.noteAnswer(ask.id);
          return isStopped;
        }}
        onAnswered={() => row.noteAnswer(ask.id)}
      />
    </Guarded>
  );
}

/** A part that cannot be drawn must not take the rest, and the keys, with it. */
function Guarded({ resetKey, children }: { readonly resetKey: string; readonly children: ReactNode }) {
  return (
    <ErrorBoundary resetKey={resetKey} renderError={(error) => <FailedPart error={error} />}>
      {children}
    </ErrorBoundary>
  );
}

function View({ view }: { readonly view: Exclude<MainView, { readonly type: "chat" }> }) {
  switch (view.type) {
    case "transcript":
      return <TranscriptView />;
    case "runs":
      return <RunsView />;
    case "run":
      return <RunView runId={view.runId} />;
    case "inbox":
      return <InboxView question={view.question} back={view.back} />;
  }
}
