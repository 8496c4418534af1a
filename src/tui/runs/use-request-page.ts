import { isDeepStrictEqual } from "node:util";
import { useMemo, useRef } from "react";
import type { PermissionRequest } from "../../contracts/index.ts";
import { pageOf, type ReadState, type RequestPage, readPage, scrollPage } from "../dialogs/request-page.ts";
import { useIsWhole } from "../dialogs/use-is-whole.ts";
import type { InboxItem } from "../host/runs-port.ts";
import { useLatestState } from "../ui/use-latest-state.ts";
import type { InboxLayout } from "./inbox-layout.ts";
import { inboxKey, permissionLines } from "./inbox-lines.ts";
import type { Line } from "./line.ts";

/** A permission request as it was first shown. */
interface ShownRequest {
  readonly key: string;
  readonly request: PermissionRequest | undefined;
}

interface InboxReadState extends ReadState {
  readonly subject: ShownRequest;
}

/**
 * What is visible of the selected permission request. Each request starts at its top, and so does one whose content changed:
 * `subject` is another object then. `box` is that of the request and its answers.
 */
export function useRequestPage(item: InboxItem | undefined, { columns, pageRows, canShow }: InboxLayout) {
  const subject = useSubject(item);
  const { request } = subject;
  // Once for a request and a width: a command may have a megabyte.
  const lines = useMemo<readonly Line[]>(
    () => (request === undefined ? [] : permissionLines(request, columns)),
    [request, columns],
  );
  const start: InboxReadState = { offset: 0, lines, seen: 0, isRead: false, subject };
  const { shown, current, set } = useLatestState<InboxReadState>(start);
  const ofSubject = (state: InboxReadState): InboxReadState => (state.subject === subject ? state : start);
  const { box, isWhole } = useIsWhole((isWholeNow) => {
    if (!isWholeNow) return;
    const before = ofSubject(current());
    const read = readPage(before, { ...page, canShow });
    if (read !== before) set({ ...read, subject });
  });
  const page: RequestPage = pageOf(ofSubject(shown), { lines, room: pageRows, canShow: canShow && isWhole });
  const turn = (by: -1 | 1): void => set({ ...scrollPage(page, ofSubject(current()), by * pageRows), subject });
  return { subject, box, page, visible: lines.slice(page.offset, page.offset + pageRows), turn };
}

/** The inbox is read again and again: the same request keeps its object. */
function useSubject(item: InboxItem | undefined): ShownRequest {
  const shown = useRef<ShownRequest>({ key: "", request: undefined });
  const key = item === undefined ? "" : inboxKey(item);
  const request = item?.type === "permission" ? item.request : undefined;
  const isSame = shown.current.key === key && isDeepStrictEqual(shown.current.request, request);
  if (!isSame) shown.current = { key, request };
  return shown.current;
}
