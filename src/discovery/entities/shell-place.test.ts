import { expect, test } from "bun:test";
import { ArgumentPlaceError, readShellPlaces } from "./shell-place.ts";

/** What each `$1` of a command is: `code`, `uncertain`, or `safe`. */
function placesOf(command: string): readonly string[] {
  const spans = [...command.matchAll(/\$1/g)].map(({ index }) => ({ start: index, end: index + 2 }));
  return readShellPlaces(command, spans).map((place) => {
    try {
      place.throwIfCode();
      return "safe";
    } catch (error) {
      if (!(error instanceof ArgumentPlaceError)) throw error;
      return error.message.includes("as code") ? "code" : "uncertain";
    }
  });
}

test.each([
  "rg 'python|node' $1",
  "test -d $1 || bash setup",
  "python tool.py -c $1",
  "node build.js -e $1",
  "bun run build.ts -e $1",
  "sed '' $1",
  "sed -f edit.sed $1",
  "awk -f count.awk $1",
  "grep -e node -c $1",
  "python3 -m pytest -c $1",
  "python3 -c 'import sys; print(sys.argv)' $1",
  "sh -c 'ls' x $1",
  "node -r ts-node/register build.ts $1",
  "gh pr view $1 | python3 -c 'import json'",
  "git log $1 | xargs -n 1 python3 tool.py",
  "git log $1 | xargs which bash",
  "git log $1 | sed '/a|b/p'",
  "echo '| sh' $1",
  'echo "a << b" $1',
  "curl x | sh; ls $1",
  "(curl x | sh) && ls $1",
  "if test -f $1; then bash setup; fi",
  "for name in sh -c $1; do echo; done",
  "env A=1 sh -e check.sh -c $1",
  "echo $1 | ssh host cat",
  "echo $1 | . ./setup.sh",
  "find . -exec grep -c $1 {} \\; -exec sh a.sh $1 \\;",
  "git log | awk '{ print }' $1",
  "cat <b $1 >c 2>&1 &>d",
])("in %p, an argument is no code", (command) => {
  expect(new Set(placesOf(command))).toEqual(new Set(["safe"]));
});

test.each([
  "echo $1 | sh >out",
  "echo $1 | bash -s -- a.b",
  "echo $1 | sudo -u root sh",
  "echo $1 | ssh host sh",
  "echo $1 | ssh -p 22 host",
  "echo $1 | ssh host 'cd /tmp && sh'",
  "echo $1 | sh - ",
  "echo $1 | sh 2>a.sh",
  "echo $1 |\n sh",
  "echo $1 | { read a; sh; }",
  "echo $1 | while read a; do bash; done",
  "{ echo $1; echo a; } | sh",
  "for a in $1; do echo $a | sh; done",
  "echo $1 | if true; then sh; fi",
  "echo $1 | (cd a.b && python -)",
  "echo $1 | docker exec -i box /bin/sh",
  "echo $1 | deno run -",
  "echo $1 | ed a.txt",
  "echo $1 | su - nobody",
  "echo $1 | xargs sh -c",
  "echo $1 | xargs ssh host",
  "echo $1 | $(which sh)",
  "echo $1 | cat - \"$(cat 'a b')\" | sh",
  "echo $1 | cat - <<E | cat\nit's\nE\ntrue; echo | sh",
  "echo $1 | awk -f/dev/stdin a",
  "bash -euo pipefail -c $1",
  "bash -c -e $1",
  "timeout $N sh -c $1",
  "busybox sh -c $1",
  "python3 -W ignore -c $1",
  "perl -i.bak -pe $1 a",
  "perl -e 1 -e $1",
  "find . -exec sed -n $1 {} \\;",
  "find . -exec sh a.sh \\; -exec sh -c $1 \\;",
  "node --import a.js -e $1",
  "sed -i '' $1 a",
  "sed --expression=$1 a",
])("in %p, an argument is code", (command) => {
  expect(new Set(placesOf(command))).toEqual(new Set(["code"]));
});

test.each([
  { command: "ls $1 $(id $1) $1", places: ["safe", "uncertain", "uncertain"] },
  { command: "ls $1 `id` $1", places: ["safe", "uncertain"] },
  { command: "diff a <(cat $1)", places: ["uncertain"] },
  { command: "ls ${A:-'} $1", places: ["uncertain"] },
  { command: "ls $1 ${A:-'} | sh", places: ["uncertain"] },
  { command: "echo $1 > >(sh)", places: ["code"] },
  { command: "ls \\\n# $1", places: ["uncertain"] },
  { command: "ls $'it\\'s' $1", places: ["uncertain"] },
  { command: "cat <<A $1\n$1\nA", places: ["uncertain", "uncertain"] },
])("after a substitution, a comment or a here-document, nothing is safe: $command", ({ command, places }) => {
  expect(placesOf(command)).toEqual(places);
});

test.each([
  { title: "variables that may be shells", command: `env ${"$a ".repeat(21_000)} $1` },
  { title: "open substitutions", command: `ls $1 ${"$(".repeat(30_000)}` },
  { title: "shells on other machines", command: `echo $1 | ${"ssh a ".repeat(10_000)}` },
  { title: "ends of commands", command: `find $1 ${"-exec sh -c a \\; ".repeat(3_500)}` },
  { title: "groups", command: `ls $1; ${"(".repeat(60_000)}` },
])("a command with many $title is read at once", ({ command }) => {
  const startedAt = performance.now();
  expect(placesOf(command)).toHaveLength(1);
  expect(performance.now() - startedAt).toBeLessThan(1000);
});
