import { describe, expect, test } from "bun:test";
import { evaluatePermission } from "../rules/evaluate-permission.ts";
import { findPrograms, RISKY_PROGRAMS } from "./find-program.ts";
import type { RiskyArguments } from "./risky-program.ts";

function effectOf(command: string, ...commands: readonly string[]): string {
  return evaluatePermission(
    { rules: [{ effect: "allow", commands }] },
    { id: "1", sessionId: "s", kind: "shell", toolName: "bash", title: "", paths: [], command },
    { workingDirectory: "/work" },
  ).effect;
}

/** Each option of the table, of subcommands, too, with the program in front of it. */
const OPTIONS = RISKY_PROGRAMS.flatMap((program) => {
  const optionsOf = (start: string, { options = {}, settings }: RiskyArguments) =>
    [...Object.keys(options), ...(settings?.options ?? [])].map((option) => ({ start, option }));
  const subcommands = Object.entries({
    ...program.subcommands,
    ...(program.otherSubcommands && { unlisted: program.otherSubcommands }),
  });
  return program.names.flatMap((name) => [
    ...optionsOf(name, program),
    ...subcommands.flatMap(([subcommand, rules]) => optionsOf(`${name} ${subcommand}`, rules)),
  ]);
});

const REASONS = RISKY_PROGRAMS.flatMap((program) => {
  const all: readonly RiskyArguments[] = [program, ...Object.values(program.subcommands ?? {})];
  return all.flatMap(({ options = {}, operands, commands, everything, settings }) => [
    ...Object.values(options),
    ...[operands, commands, everything, settings].flatMap((one) => (one === undefined ? [] : [one.reason])),
  ]);
});

test("the table has hundreds of entries, each with a reason", () => {
  expect(OPTIONS.length).toBeGreaterThan(800);
  expect(REASONS.filter((reason) => !/^[a-z][^.]{3,110}$/.test(reason))).toEqual([]);
});

describe("each option of the table requires approval", () => {
  test.each(OPTIONS.map(({ start, option }) => [`${start} ${option}`, start, option]))("%s", (_, start, option) => {
    const name = start.split(" ")[0] ?? "";
    const forms = [
      `${start} ${option} /x`,
      `${start} ${option}=x`,
      `${start} "${option}" /x`,
      `${start} \\${option} /x`,
      `/usr/bin/${start} ${option} /x`,
      `${start} -- ; ${start} ${option}`,
      ...(option.startsWith("--") && option.length > 6 ? [`${start} ${option}='x y'`] : []),
    ];
    const globs = [`${start} *`, `/usr/bin/${name} *`, `${name} *`];
    expect(forms.filter((form) => effectOf(form, ...globs) !== "ask")).toEqual([]);
  });
});

test.each<{ glob: string; allowed?: string; other?: string }>([
  { glob: "git rebase --exec *", allowed: 'git rebase --exec "npm test"' },
  { glob: "git rebase --exec=*", allowed: 'git rebase --exec="npm test" main' },
  { glob: "git rebase --exec *", allowed: "git rebase --exec x -i main" },
  { glob: "git -c alias.z=* z", other: "git -c alias.z=x z" },
  { glob: "git -c alias.z=x *", allowed: "git -c alias.z=x log", other: "git -c alias.z=x -c alias.y=z log" },
  { glob: "git config user.name *", other: "git config user.name Ann" },
  { glob: "git config user.name Ann", allowed: "git config user.name Ann" },
  { glob: "find . -exec *", allowed: "find . -exec rm {} \\;", other: "find . -exec rm {} -delete" },
  { glob: "find * -delete", allowed: "find . -name x -delete", other: "find . -delete -exec x" },
  { glob: "tar -I*", allowed: "tar -Izstd -cf a.tar b", other: "tar -cIzstd -f a.tar b" },
  { glob: "tar --use-compress-program=* -cf *", allowed: "tar --use-compress-program=zstd -cf a b" },
  { glob: "sudo apt update*", allowed: "sudo apt update -y", other: "sudo rm x" },
  { glob: "sudo *", other: "sudo ls" },
  { glob: "timeout 60 npm test*", allowed: "timeout 60 npm test -- x", other: "timeout 9 npm test" },
  { glob: "timeout 60 *", other: "timeout 60 npm test" },
  { glob: "xargs wc *", allowed: "xargs wc -l", other: "xargs wc; xargs rm" },
  { glob: "xargs git *", other: "xargs git log" },
  { glob: "xargs git log", allowed: "xargs git log" },
  { glob: "xargs git add *", other: "xargs git -c a=b add" },
  { glob: "env -i CI=1 npm test*", allowed: "env -i CI=1 npm test -- x", other: "env -i CI=1 PATH=. npm test" },
  { glob: "CI=1 npm test*", allowed: "CI=1 npm test -- x", other: "CI=1 PATH=. npm test" },
  { glob: "CI=* npm test*", other: "CI=1 npm test" },
  { glob: "python -m pytest*", allowed: "python -m pytest -q", other: "python -m http.server" },
  { glob: "make CC=gcc *", allowed: "make CC=gcc all", other: "make CC=gcc LD=x all" },
  { glob: "export CI=1", allowed: "export CI=1", other: "export CI=2" },
  { glob: "set -e", allowed: "set -e", other: "set -x" },
])("$glob allows $allowed, which it spells out, and not $other", ({ glob, allowed, other }) => {
  if (allowed !== undefined) expect(effectOf(allowed, glob)).toBe("allow");
  if (other !== undefined) expect(effectOf(other, glob)).toBe("ask");
});

test.each([
  "git -c color.ui=never log --oneline",
  "git commit -m 'use --exec and -c'",
  "git log --grep=--exec -- -c",
  "git diff -- --output",
  "git checkout $BRANCH",
  "git add *.ts",
  'git commit -m "$MESSAGE"',
  "git config --get-all --show-origin user.name",
  "git merge -m x --strategy-option=theirs main",
  "git rebase -i HEAD~3",
  "git grep -n -e foo",
  "ssh -o ConnectTimeout=5 -o StrictHostKeyChecking=no host uptime",
  "curl -sSfL -o /dev/null -w x http://localhost",
  "wget -qO- http://localhost",
  "tar -xzf a.tgz --strip-components=1 -C x",
  "tar czvf a.tgz x",
  "sort -t, -k2,2 -u x",
  "find . -name *.md -print",
  "node server.js -e production",
  "python manage.py -c x",
  "make -j4 -s test",
  "npm run x -- -c y --prefix z",
  "npm config get registry",
  "sed -n -e '1,5p' -e '/a[bc]d/d' x",
  "sed -E 's#a/b#c#g;s/x/y/2' x",
  "awk -F, -v n=3 '$1 == n {print $2}' x",
  "awk '{print}' \"src/$FILE\"",
  "awk -v x=\"$y\" '{print x}' f",
  "rbenv versions",
  "nc -zv localhost 80",
  "printf '%s %5s\\n' a \"$b\"",
  "printf '%d' 5",
  'test -n "$x"',
  "test $? -eq 0",
  '[ "$a" != b ]',
  "command -v node",
  "exit 1",
])("%j is harmless", (line) => {
  expect(effectOf(line, `${line.split(" ")[0]} *`)).toBe("allow");
});

test.each([
  ["python3.12", "python"],
  ["node-20", "node"],
  ["gawk-5.1", "gawk"],
])("%s is %s", (name, base) => {
  expect(findPrograms(name)).toEqual(findPrograms(base));
  expect(findPrograms(name).length).toBeGreaterThan(0);
});
