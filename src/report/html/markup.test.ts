import { expect, test } from "bun:test";
import { html, trusted } from "./markup.ts";

test.each([
  { title: "tags", text: "<script>alert('x')</script>", expected: "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;" },
  { title: "quotes of an attribute", text: '" onclick="x', expected: "&quot; onclick=&quot;x" },
  { title: "entities", text: "&lt;", expected: "&amp;lt;" },
  { title: "control sequences and characters", text: "a\u001b[31mb\u0000c\u202ed", expected: "abcd" },
])("$title are harmless in a page", ({ text, expected }) => {
  expect(html`<b title="${text}">${text}</b>`.markup).toBe(`<b title="${expected}">${expected}</b>`);
});

test("finished HTML stays, lists are joined, and nothing is nothing", () => {
  const items = ["<", ">"].map((text) => html`<li>${text}</li>`);
  expect(html`<ul>${items}</ul>${undefined}${3}${trusted("<hr>")}`.markup).toBe(
    "<ul><li>&lt;</li><li>&gt;</li></ul>3<hr>",
  );
});
