import { expect, test } from "bun:test";
import { wrapOutput } from "./wrap-output.ts";

test.each([
  { title: "a short line", text: "one two", columns: 20, expected: "one two" },
  {
    title: "a sentence",
    text: "Telemetry is recorded here, and not sent.\nThe end.\n",
    columns: 20,
    expected: "Telemetry is\n  recorded here, and\n  not sent.\nThe end.\n",
  },
  {
    title: "an indented sentence",
    text: "  one two three four five six",
    columns: 20,
    expected: "  one two three four\n    five six",
  },
  {
    title: "columns",
    text: "Status   suspended until somebody answers the question",
    columns: 30,
    expected: "Status   suspended until\n         somebody answers the\n         question",
  },
  {
    title: "a command with its description",
    text: "  atomic demo    watch a run that needs no account",
    columns: 40,
    expected: "  atomic demo    watch a run that needs\n                 no account",
  },
  {
    title: "columns without room for the longest word",
    text: "ok  apart  /project/.atomic/workflows/apart.ts is fine",
    columns: 40,
    expected: "ok  apart\n    /project/.atomic/workflows/apart.ts\n    is fine",
  },
  {
    title: "a word that is too long",
    text: "See /a/very/long/path/to/it",
    columns: 12,
    expected: "See\n  /a/very/long/path/to/it",
  },
  {
    title: "a command at the end",
    text: "Try again from there: atomic runs resume 43bwq0w1154f",
    columns: 40,
    expected: "Try again from there:\n  atomic runs resume 43bwq0w1154f",
  },
  {
    title: "a command",
    text: "  atomic runs answer 0w5ds0w1150w yes",
    columns: 20,
    expected: "  atomic runs answer 0w5ds0w1150w yes",
  },
  {
    title: "JSON",
    text: '{ "a": "one two three four five" }',
    columns: 10,
    expected: '{ "a": "one two three four five" }',
  },
  { title: "a moved cursor", text: "\u001b[2K one two three", columns: 5, expected: "\u001b[2K one two three" },
  {
    title: "colours",
    text: "\u001b[33mone two three four\u001b[39m",
    columns: 10,
    expected: "\u001b[33mone two\n  three\n  four\u001b[39m",
  },
  { title: "wide characters", text: "漢字 漢字 漢字", columns: 9, expected: "漢字 漢字\n  漢字" },
])("$title: $columns columns", ({ text, columns, expected }) => {
  expect(wrapOutput(text, columns)).toBe(expected);
  expect(wrapOutput(text, Number.POSITIVE_INFINITY)).toBe(text);
});
