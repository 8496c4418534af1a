import { describe, expect, test } from "bun:test";
import { type HintEvent, type HintState, IDLE_HINT, reduceHint } from "./hint-state.ts";

const isCommand = (name: string): boolean => ["ralph", "model", "m"].includes(name.toLowerCase());
const edit = (text: string): HintEvent => ({ type: "edit", text, isCommand });

const idle: HintState = IDLE_HINT;
const dismissed: HintState = { type: "idle", isDismissed: true };
const suggestions = (query: string): HintState => ({ type: "showing-suggestions", query });
const hint = (commandName: string): HintState => ({ type: "showing-hint", commandName });
const typingArgs = (commandName: string): HintState => ({ type: "typing-args", commandName });

interface Transition {
  readonly title: string;
  readonly from: HintState;
  readonly event: HintEvent;
  readonly to: HintState;
}

describe("the transitions of the design document", () => {
  test.each<Transition>([
    { title: "IDLE: `/` shows the suggestions", from: idle, event: edit("/"), to: suggestions("") },
    { title: "SUGGESTIONS: letters filter", from: suggestions("r"), event: edit("/ra"), to: suggestions("ra") },
    {
      title: "SUGGESTIONS: Tab completes and shows the hint",
      from: suggestions("ra"),
      event: { type: "complete", commandName: "ralph" },
      to: hint("ralph"),
    },
    { title: "SUGGESTIONS: Enter executes", from: suggestions("ra"), event: { type: "reset" }, to: idle },
    {
      title: "SUGGESTIONS: Space after a valid command shows the hint",
      from: suggestions("ralph"),
      event: edit("/ralph "),
      to: hint("ralph"),
    },
    {
      title: "HINT: a character starts the arguments",
      from: hint("ralph"),
      event: edit("/ralph x"),
      to: typingArgs("ralph"),
    },
    { title: "HINT: Enter executes", from: hint("ralph"), event: { type: "reset" }, to: idle },
    { title: "HINT: Escape closes", from: hint("ralph"), event: { type: "escape" }, to: dismissed },
    {
      title: "ARGS: deleting all of them shows the hint again",
      from: typingArgs("ralph"),
      event: edit("/ralph "),
      to: hint("ralph"),
    },
    { title: "ARGS: Enter executes with them", from: typingArgs("ralph"), event: { type: "reset" }, to: idle },
  ])("$title", ({ from, event, to }) => {
    expect(reduceHint(from, event)).toEqual(to);
  });
});

describe("every other event in every state", () => {
  test.each<Transition>([
    { title: "IDLE: other text stays idle", from: idle, event: edit("hello /"), to: idle },
    { title: "IDLE: Escape", from: idle, event: { type: "escape" }, to: dismissed },
    { title: "IDLE: Enter", from: idle, event: { type: "reset" }, to: idle },
    { title: "IDLE: a pasted command with arguments", from: idle, event: edit("/ralph fix"), to: typingArgs("ralph") },
    { title: "IDLE: a completed command", from: idle, event: { type: "complete", commandName: "m" }, to: hint("m") },
    { title: "dismissed: more letters stay quiet", from: dismissed, event: edit("/ra"), to: dismissed },
    { title: "dismissed: a new `/` shows suggestions", from: dismissed, event: edit("/"), to: suggestions("") },
    { title: "dismissed: an empty text forgets it", from: dismissed, event: edit(""), to: idle },
    { title: "SUGGESTIONS: deleting the `/`", from: suggestions(""), event: edit(""), to: idle },
    { title: "SUGGESTIONS: Escape closes", from: suggestions("r"), event: { type: "escape" }, to: dismissed },
    { title: "SUGGESTIONS: Space after an unknown command", from: suggestions("x"), event: edit("/x "), to: idle },
    { title: "SUGGESTIONS: an alias, in any case", from: suggestions("M"), event: edit("/M "), to: hint("M") },
    {
      title: "SUGGESTIONS: an exact name still suggests",
      from: suggestions("mode"),
      event: edit("/model"),
      to: suggestions("model"),
    },
    { title: "HINT: deleting the space keeps the hint", from: hint("ralph"), event: edit("/ralph"), to: hint("ralph") },
    { title: "HINT: deleting a letter suggests", from: hint("ralph"), event: edit("/ralp"), to: suggestions("ralp") },
    {
      title: "HINT: more white space is no argument",
      from: hint("ralph"),
      event: edit("/ralph  \n"),
      to: hint("ralph"),
    },
    { title: "ARGS: more arguments", from: typingArgs("ralph"), event: edit("/ralph x y"), to: typingArgs("ralph") },
    {
      title: "ARGS: Escape closes nothing",
      from: typingArgs("ralph"),
      event: { type: "escape" },
      to: typingArgs("ralph"),
    },
    { title: "ARGS: deleting everything", from: typingArgs("ralph"), event: edit(""), to: idle },
    { title: "ARGS: a name that is no command any more", from: typingArgs("ralph"), event: edit("/ralp x"), to: idle },
  ])("$title", ({ from, event, to }) => {
    expect(reduceHint(from, event)).toEqual(to);
  });
});
