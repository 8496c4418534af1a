import { describe, expect, test } from "bun:test";
import type { ProviderType } from "./entity.ts";
import { expandPrompt } from "./expand-prompt.ts";

interface Expansion {
  readonly text: string;
  readonly provider?: ProviderType;
  readonly args?: string;
  readonly folder?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

async function expand({
  text,
  provider = "atomic",
  args = "",
  folder = "/work",
  fields = {},
}: Expansion): Promise<string> {
  return await expandPrompt(
    { name: "go", prompt: text, fields, source: { provider, location: "project" } },
    {
      args,
      runCommand: async (command) => `<${command}>`,
      locateFile: async (path) => (path === "src/a.ts" ? "/work/src/a.ts" : undefined),
      readFile: async ({ realPath }) => (realPath === "/work/src/a.ts" ? "let a;" : undefined),
      variables: { CLAUDE_PROJECT_DIR: folder, ...(provider === "copilot" ? { workspaceFolder: folder } : {}) },
    },
  );
}

describe("arguments", () => {
  test.each<Expansion & { readonly expected: string }>([
    { text: "Do $ARGUMENTS!", args: " one  two ", expected: "Do one  two!" },
    { text: "Do $1, $2, $3.", args: `one "two three"`, expected: "Do one, two three, ." },
    { text: "Do it.", args: "now", expected: "Do it.\n\nARGUMENTS: now" },
    { text: "Do it.", args: "", expected: "Do it." },
    { text: "Do $ARGUMENTS.", args: "", expected: "Do ." },
    { text: "It costs $10 and $1x.", args: "a", expected: "It costs $10 and $1x.\n\nARGUMENTS: a" },
    { text: "$ARGUMENTS", args: "$1 $ARGUMENTS $&", expected: "$1 $ARGUMENTS $&" },
    { text: "$1 and $2", provider: "claude", args: "a b", expected: "a and b" },
    { text: "$0 and $1", provider: "claude", args: "a b", expected: "a and b" },
    { text: "$ARGUMENTS[1] $0 $5", provider: "claude", args: "a b", expected: "b a $5" },
    { text: "\\$1 is $1", provider: "claude", args: "a", expected: "$1 is a" },
    {
      text: "$who at $where",
      provider: "claude",
      args: "me home",
      fields: { arguments: "who where" },
      expected: "me at home",
    },
    { text: "$PATH stays", provider: "claude", args: "a", expected: "$PATH stays\n\nARGUMENTS: a" },
    { text: "In ${CLAUDE_PROJECT_DIR} ${OTHER}", provider: "claude", expected: "In /work ${OTHER}" },
    { text: "$1: $2", provider: "opencode", args: "a b c d", expected: "a: b c d" },
    { text: "Do it.", provider: "opencode", args: "now", expected: "Do it.\n\nnow" },
    { text: "Plan ${input:goal:what to do}.", provider: "copilot", args: "a b", expected: "Plan a b." },
    { text: "${input:a} to ${input:b} to ${input:a}", provider: "copilot", args: "x y", expected: "x to y to x" },
    { text: "${input:a} to ${input:b}", provider: "copilot", args: `b="y z" x w`, expected: "x w to y z" },
    { text: "${input:a} to ${input:b}", provider: "copilot", args: "x y z=1", expected: "x to y z=1" },
    { text: "${input:a:hint}", provider: "copilot", args: "a=", expected: "" },
    { text: "${input:a}", provider: "copilot", args: "a=1 now", expected: "1\n\nARGUMENTS: now" },
    {
      text: "In ${workspaceFolder}: ${file}",
      provider: "copilot",
      args: "file=a.ts x",
      expected: "In /work: a.ts\n\nARGUMENTS: x",
    },
    { text: "```\n${file}\n```", provider: "copilot", expected: "```\n${file}\n```" },
    {
      text: "${input:a} ${file} ${workspaceFolder}",
      provider: "claude",
      expected: "${input:a} ${file} ${workspaceFolder}",
    },
  ])("$provider: $text with $args", async ({ expected, ...expansion }) => {
    expect(await expand(expansion)).toBe(expected);
  });
});

test("a place without a value is an error", async () => {
  const text = "${input:goal:what to do} ${input:how} ${input:goal} ${selection} ${file}";
  const prompt = {
    name: "plan",
    prompt: text,
    fields: {},
    source: { provider: "copilot", location: "project" },
  } as const;
  const expansion = expandPrompt(prompt, {
    args: "file=a.ts fast",
    runCommand: async () => "",
    locateFile: async () => undefined,
    readFile: async () => undefined,
  });
  await expect(expansion).rejects.toMatchObject({
    code: "PROMPT_INPUT_MISSING",
    isRetryable: false,
    message:
      'The prompt "plan" has no value for ${input:how}, ${selection} (only an editor has it). Add to its arguments: how=… selection=…',
  });
});

test("commands run, and what they print is not expanded again", async () => {
  const text = "Status: !`git status --short`\nLog: !`echo $ARGUMENTS @src/a.ts`";
  expect(await expand({ text, args: "x" })).toBe("Status: <git status --short>\nLog: <echo 'x' @src/a.ts>");
});

test("Claude Code's blocks of code run as one command each, and its commands only as words of their own", async () => {
  const text = 'multi\n```!\necho hi\ngrep "$1" a\n```\nend x!`echo no` !`echo yes`\n```! \n```';
  expect(await expand({ text, provider: "claude", args: "it's" })).toBe(
    `multi\n<echo hi\ngrep ""'it'\\''s'"" a>\nend x!\`echo no\` <echo yes>\n\`\`\`! \n\`\`\``,
  );
  expect(await expand({ text: "```!\nls\n```", provider: "opencode" })).toBe("```!\nls\n```");
});

test.each(["ls\neval $1", "ls\nawk $1 a", "ev\\\nal $1", "eval\\\n $1", "echo $1 | sh\nls"])(
  "an argument in a block with %j is rejected, because it would run as code",
  async (command) => {
    const text = `\`\`\`!\n${command}\n\`\`\``;
    await expect(expand({ text, provider: "claude", args: "x" })).rejects.toMatchObject({
      code: "PROMPT_ARGUMENT_PLACE",
    });
  },
);

test("arguments reach a shell as quoted words", async () => {
  const text = "!`grep $1 file` !`ls $ARGUMENTS`";
  expect(await expand({ text, args: `"a; rm -rf ~" it's` })).toBe(
    "<grep 'a; rm -rf ~' file> <ls 'a; rm -rf ~' 'it'\\''s'>",
  );
});

test.each<{ command: string; args: string; provider?: ProviderType; seen: string }>([
  { command: "log --grep '$1'", args: `"'; touch x; '"`, seen: "<--grep><'; touch x; '>" },
  { command: 'log --grep "$1"', args: "'$(touch x)'", seen: "<--grep><$(touch x)>" },
  { command: 'log "a \\" $1"', args: `'"; touch x #'`, seen: '<a " "; touch x #>' },
  { command: "log 'it'\\''s' $1", args: `"; touch x"`, seen: "<it's><; touch x>" },
  { command: 'log "all: $ARGUMENTS"', args: "a `touch x` $(touch x)", seen: "<all: a `touch x` $(touch x)>" },
  { command: "log ${HOME_OF_NOBODY} $1", args: `"'; touch x"`, seen: "<'; touch x>" },
  { command: "log ${CLAUDE_PROJECT_DIR}/$1", args: "'$1 # ; touch x'", seen: "</work/$1 # ; touch x>" },
  { command: "log $ARGUMENTS", args: `a "b c" ;touch`, seen: "<a><b c><;touch>" },
])("a shell takes the argument of $command as it is", async ({ command, args, provider = "atomic", seen }) => {
  const text = await expand({ text: `!\`${command}\``, provider, args });
  const line = text.slice(1, -1).replace(/^log/, "printf '<%s>'");
  const { stdout, stderr } = Bun.spawnSync(["sh", "-c", line], { cwd: "/" });
  expect([stdout.toString(), stderr.toString()]).toEqual([seen, ""]);
});

test.each(["git log \\$1", "echo $(id $1)", "cat <<E $1", "ls # $1", "ls >#$1", "echo $$1", "echo ${A:-'} $1"])(
  "an argument in %p is rejected, because nothing makes it safe there",
  async (command) => {
    await expect(expand({ text: `!\`${command}\``, args: "x" })).rejects.toMatchObject({
      code: "PROMPT_ARGUMENT_PLACE",
      message: `The command "${command}" in the prompt has an argument after a backslash, a comment, a substitution or a here-document. Write the argument before it, or in plain quotes.`,
    });
  },
);

test.each([
  'sh -c "echo $1"',
  "sh -c $1",
  '/bin/bash -lc"echo $1"',
  'A=1 zsh -o errexit -c "echo $1"',
  "'dash' 2>&1 -c \"$1\"",
  "cd /tmp && ksh -c 'echo $1'",
  "eval echo $1",
  "if eval $1; then ls; fi",
  "ssh host ls $1",
  "ls | xargs -n 1 sh -c 'echo $1'",
  "xargs ssh $1",
  "su nobody -c 'ls $1'",
  "env -i A=1 sh -c 'ls $1'",
  "find . -exec sh -c 'ls $1' ;",
  "echo $1 | sh",
  "echo $1 | sudo /bin/bash -s; ls",
  "echo ls $1 |& zsh -",
  "echo $1 | bash --norc",
  "echo $1 | sh -s a",
  "echo $1 | LC_ALL=C sh",
  "echo $1 | sh /dev/stdin",
  "echo $1 | timeout 5 nice -n 3 sh",
  "echo $1 | (sh)",
  'echo $1 | "sh"',
  "echo $1 | node --no-warnings",
  "echo $1 | awk -f - /etc/hosts",
  "echo $1 | ed -s",
  "echo $1 | . /dev/stdin",
  "echo $1 | xargs -I{} sh -c 'echo {}'",
  'sed -n -e 1p -e "s/a/$1/p" b',
  'perl -0pe "s/a/$1/" b',
  'nodejs -e "$1"',
  "rbash -c $1",
  "$SHELL -c $1",
  "(cat a; echo $1) | python3 2>&1",
  "python3 -c \"print('$1')\"",
  'node -pe "$1"',
  'perl -ne "print if /$1/" a',
  "bun --eval=$1",
  'deno eval "$1"',
  'awk "/$1/" a',
  "awk -v a=b $1 c",
  'sed -n "s/a/$1/" b',
])("an argument in %p is rejected, because another shell or an interpreter would run it", async (command) => {
  await expect(expand({ text: `!\`${command}\``, args: "x" })).rejects.toMatchObject({
    code: "PROMPT_ARGUMENT_PLACE",
    message: `The command "${command}" in the prompt has an argument for a shell or an interpreter within it (sh -c, eval, ssh, | sh, python -c, awk), which would run the argument as code. Move that code into a script, and pass the argument to the script.`,
  });
});

test.each([
  { command: "sh check.sh $1", expected: "<sh check.sh 'x'>" },
  { command: "git log --grep ssh $1", expected: "<git log --grep ssh 'x'>" },
  { command: "sh -c 'ls' ; echo $1", expected: "<sh -c 'ls' ; echo 'x'>" },
  { command: "echo $1 | sh check.sh", expected: "<echo 'x' | sh check.sh>" },
  { command: "echo $1 | python3 tools/count.py", expected: "<echo 'x' | python3 tools/count.py>" },
  { command: "git log $1 | sed -n 5p | head -$2", expected: "<git log 'x' | sed -n 5p | head -''>" },
  { command: "echo $1 | shasum", expected: "<echo 'x' | shasum>" },
  { command: "awk -v name=$1 '{ print name }' $1", expected: "<awk -v name='x' '{ print name }' 'x'>" },
  { command: "sed -n 5p $1", expected: "<sed -n 5p 'x'>" },
  { command: "echo $1 | grep -c eval", expected: "<echo 'x' | grep -c eval>" },
  { command: 'eval ls; cat "$1"', expected: `<eval ls; cat ""'x'"">` },
])("an argument in $command is no code", async ({ command, expected }) => {
  expect(await expand({ text: `!\`${command}\``, args: "x" })).toBe(expected);
});

test("a path of Atomic's own is put in for another shell if it is plain, and an argument is not", async () => {
  const text = '!`bash -c "ls ${CLAUDE_PROJECT_DIR}"`';
  expect(await expand({ text })).toBe(`<bash -c "ls "'/work'"">`);
  await expect(expand({ text, folder: "/a;b" })).rejects.toMatchObject({ code: "PROMPT_ARGUMENT_PLACE" });
});

test("a prompt of Copilot runs nothing", async () => {
  const text = "Status: !`git status ${input:what} $(id)`";
  expect(await expand({ text, provider: "copilot", args: "it's" })).toBe("Status: !`git status it's $(id)`");
});

test("a value is not searched for places", async () => {
  const text = "${file} $ARGUMENTS";
  expect(await expand({ text, provider: "copilot", args: "'file=$1'" })).toBe("$1 'file=$1'");
});

test("a prompt full of beginnings of places is expanded at once", async () => {
  const text = "${input:a".repeat(100_000);
  expect(await expand({ text, provider: "copilot" })).toBe(text);
});

test.each([
  { title: "the command", text: `!\`echo ${"a#".repeat(50_000)} $1\`` },
  { title: "many places", text: `!\`echo${" $1".repeat(30_000)}\`` },
  { title: "a long argument", text: "!`echo $1 $1`", args: "x".repeat(40_000) },
])("a command is too long for a system because of $title", async ({ text, args = "x" }) => {
  await expect(expand({ text, args })).rejects.toMatchObject({
    code: "PROMPT_COMMAND_TOO_LONG",
    isRetryable: false,
    message: expect.stringMatching(
      /^The command "echo .{1,500}" in the prompt is longer than 65536 bytes with its arguments\. Move it into a script, or pass shorter arguments\.$/,
    ),
  });
});

test("the time for a command grows with its length alone", async () => {
  const [text, filled] = ["$1,a# ".repeat(6_000), "'x',a# ".repeat(6_000)];
  const startedAt = performance.now();
  expect(await expand({ text: `!\`echo ${text}\``, args: "x" })).toBe(`<echo ${filled}>`);
  // From the start of the command for each place, this took several seconds.
  expect(performance.now() - startedAt).toBeLessThan(1000);
});

test("an error names ten of many inputs that are missing, and is there at once", async () => {
  const text = Array.from({ length: 60_000 }, (_, index) => `\${input:n${index}}`).join("");
  const startedAt = performance.now();
  const numbers = Array.from({ length: 10 }, (_, index) => index + 1);
  await expect(expand({ text, provider: "copilot", args: "x" })).rejects.toMatchObject({
    code: "PROMPT_INPUT_MISSING",
    message: `The prompt "go" has no value for ${numbers.map((number) => `\${input:n${number}}`).join(", ")}, and 59989 more. Add to its arguments: ${numbers.map((number) => `n${number}=…`).join(" ")} …`,
  });
  expect(performance.now() - startedAt).toBeLessThan(5000);
});

test("files that exist follow the text, once", async () => {
  const text = "Look at @src/a.ts, @src/a.ts and @src/b.ts; mail me@src/a.ts.\n```\n@src/a.ts\n```";
  expect(await expand({ text })).toBe(`${text}\n\n<file path="src/a.ts">\nlet a;\n</file>`);
  expect(await expand({ text: "mail me@src/a.ts" })).toBe("mail me@src/a.ts");
});

test.each([
  { provider: "claude", text: '@"src/a.ts".', expected: '@"src/a.ts".\n\n<file path="src/a.ts">\nlet a;\n</file>' },
  { provider: "opencode", text: '@"src/a.ts".', expected: '@"src/a.ts".' },
] as const)("a path in quotes is one to $provider: $expected", async ({ expected, ...about }) => {
  expect(await expand(about)).toBe(expected);
});
