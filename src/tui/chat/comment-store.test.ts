import { expect, test } from "bun:test";
import type { ChangedLine } from "../../view/index.ts";
import { CommentStore } from "./comment-store.ts";
import { parseComments, toStoredComments } from "./stored-comments.ts";
import { formatEntries } from "./stored-entries.ts";

const LINE: ChangedLine = { path: "a.ts", text: "}", isRemoved: false, place: "e4:1", occurrence: 1 };
const OTHER: ChangedLine = { path: "a.ts", number: 3, text: "x();", isRemoved: true, neighbours: { above: "{" } };

test("sent comments stay, and the next comment on their line is another one", () => {
  const store = new CommentStore();
  store.write(LINE, "Why?");
  store.markSent(store.startSending());
  store.write(LINE, "And now?");
  store.markSent(store.startSending([{ id: "c1", line: OTHER, text: "Keep it." }]));
  expect(store.snapshot()).toEqual({
    comments: [{ id: "c2", line: LINE, text: "And now?" }],
    sending: [],
    sent: [
      { id: "c1", line: LINE, text: "Why?" },
      { id: "c3", line: OTHER, text: "Keep it." },
    ],
    writtenCount: 3,
  });
});

test("each change is stored: also the comments on an open request, and those in a message, as not sent until the agent has it", () => {
  const stored: unknown[] = [];
  const store = new CommentStore(() => stored.push(store.kept()));
  store.write(LINE, "Why?");
  store.hold("p1", [{ id: "c1", line: OTHER, text: "Keep it." }]);
  store.hold("p1", []);
  store.hold("p1", []);
  const sending = store.startSending();
  store.returnUnsent(sending);
  store.markSent(store.startSending());
  // They were sent: that stays so.
  store.returnUnsent(sending);
  const [why, keep] = [
    { line: LINE, text: "Why?" },
    { line: OTHER, text: "Keep it." },
  ];
  expect(stored).toEqual([
    { unsent: [why], sent: [] },
    { unsent: [why, keep], sent: [] },
    // Held no more, in a message, back, in another message.
    ...Array(4).fill({ unsent: [why], sent: [] }),
    { unsent: [], sent: [why] },
  ]);
});

test("comments are the same after they were stored among the messages; damaged ones are left out", () => {
  const kept = { unsent: [{ line: LINE, text: "Why?" }], sent: [{ line: OTHER, text: "Keep it." }] };
  const json = formatEntries([], toStoredComments(kept));
  expect(parseComments(json)).toEqual(kept);
  const [sent, unsent] = JSON.parse(json);
  const damaged = [{ ...sent, text: 1 }, { ...sent, line: {} }, { ...sent, isSent: "no" }, { ...sent, type: "x" }, 7];
  expect(parseComments(JSON.stringify([...damaged, unsent]))).toEqual({ ...kept, sent: [] });
  expect(["", "{}", "null"].map(parseComments)).toEqual(Array(3).fill({ unsent: [], sent: [] }));
});
