import { expect, test } from "bun:test";
import { EMPTY_CHAT } from "../chat/chat-model.ts";
import { exportNameOf } from "./export-name.ts";
import { notice, user } from "./fixtures/entries.ts";

const NOW = Date.UTC(2026, 10, 25, 13, 0);

test.each([
  { title: "Repair: the cart!", said: "Find out why", name: "2026-11-25-repair-the-cart.md" },
  { title: undefined, said: "Find out why\nand how", name: "2026-11-25-find-out-why.md" },
  { title: "../..", said: "/etc/passwd", name: "2026-11-25-etc-passwd.md" },
  { title: "日本語 ✨", said: "", name: "2026-11-25-日本語.md" },
  { title: undefined, said: "…", name: "2026-11-25-conversation.md" },
  { title: `a ${"word ".repeat(20)}`, said: "", name: "2026-11-25-a-word-word-word-word-word-word-word.md" },
  { title: "x".repeat(100), said: "", name: `2026-11-25-${"x".repeat(40)}.md` },
])("$title and $said make $name", ({ title, said, name }) => {
  const model = { ...EMPTY_CHAT, entries: [notice("Hello"), user(said), user("later")] };
  expect(exportNameOf({ title, model }, NOW)).toBe(name);
});
