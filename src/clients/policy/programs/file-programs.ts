import { type RiskyProgram, risky } from "./risky-program.ts";

const RUNS = "it runs a program";
const WRITES = "it writes a file of any name";
const DELETES = "it deletes files";
const ELSEWHERE = "it reads instructions from elsewhere";
const LOADS = "it loads code";
const REMOTE = "it names the program that reaches the other side, or runs there";

/** Values of an option that names an output. */
const NOWHERE = /^(?:-|\/dev\/null)$/;
const SSH_SETTINGS =
  /^(?:addressfamily|batchmode|compression|connectionattempts|connecttimeout|identitiesonly|identityfile|loglevel|passwordauthentication|port|preferredauthentications|requesttty|serveraliveinterval|serveralivecountmax|stricthostkeychecking|tcpkeepalive|user|userknownhostsfile)$/i;
const SSH_REASON = "it sets an option of ssh that can run programs";

/** Statements that run programs. Those of sqlite's own commands that only print are excluded. */
const STATEMENTS = {
  pattern:
    /\\!|\\\||^\s*\.(?!(?:tables|schema|databases|indexes|indices|dbinfo|fullschema)(?: [\w%]+)?\s*$)|\n[ \t]*\.|\bcopy\b.*\bprogram\b|\bsystem\b|load_extension|edit\(/i,
  reason: RUNS,
};

/** Programs that search, copy, pack, show and download. */
export const FILE_PROGRAMS: readonly RiskyProgram[] = [
  {
    names: ["find", "gfind"],
    options: {
      ...risky(RUNS, "-exec -execdir -ok -okdir"),
      ...risky(WRITES, "-fprint -fprint0 -fprintf -fls"),
      ...risky(DELETES, "-delete"),
      ...risky(ELSEWHERE, "-files0-from"),
    },
    hasOnlyWords: true,
  },
  { names: ["fd", "fdfind"], options: risky(RUNS, "-x -X --exec --exec-batch"), valued: "deEtSc" },
  {
    names: ["rg"],
    options: { ...risky(RUNS, "--pre --hostname-bin"), ...risky("it runs unpackers", "-z --search-zip") },
    valued: "efgtTABCmjMrd",
  },
  { names: ["ag", "ack"], options: risky(RUNS, "--pager --ackrc --output") },
  {
    names: ["tar", "gtar", "bsdtar"],
    hasBareOptions: true,
    options: {
      ...risky(
        RUNS,
        "--to-command --checkpoint-action --use-compress-program -I --info-script --new-volume-script -F --rsh-command --rmt-command --set-mtime-command",
      ),
      ...risky(ELSEWHERE, "--use-compress --files-from -T --options"),
      ...risky(WRITES, "-g --listed-incremental --index-file --volno-file"),
    },
    valued: "fCbKLNVX",
  },
  {
    names: ["zip"],
    options: risky(RUNS, "-TT --unzip-command"),
    operands: { pattern: /^-[^-]*TT/, reason: RUNS, isWithinOptions: true },
  },
  { names: ["cpio", "pax"], options: risky(RUNS, "--rsh-command --to-stdout-command") },

  {
    names: ["sort", "gsort"],
    options: { ...risky(RUNS, "--compress-program"), ...risky(WRITES, "-o --output") },
    valued: "kStT",
  },
  { names: ["split", "gsplit", "csplit"], options: risky(RUNS, "--filter") },
  {
    names: ["rsync"],
    options: {
      ...risky(REMOTE, "-e --rsh --rsync-path"),
      ...risky(ELSEWHERE, "--config --daemon -M --remote-option --early-input"),
    },
    valued: "fTB",
  },
  {
    names: ["ssh", "autossh"],
    options: { ...risky(SSH_REASON, "-F"), ...risky(LOADS, "-I"), ...risky(WRITES, "-E") },
    valued: "BbcDeiJLlmOpQRSWw",
    settings: { options: ["-o"], harmless: SSH_SETTINGS, reason: SSH_REASON },
    operands: { pattern: /:\/\/-/, reason: SSH_REASON },
  },
  {
    names: ["scp", "sftp", "slogin"],
    options: { ...risky(REMOTE, "-S -D -s"), ...risky(SSH_REASON, "-F"), ...risky(ELSEWHERE, "-b") },
    valued: "cilJPX",
    settings: { options: ["-o"], harmless: SSH_SETTINGS, reason: SSH_REASON },
  },
  {
    names: ["ssh-keygen", "ssh-add", "ssh-copy-id"],
    options: { ...risky(LOADS, "-D -s -P -w"), ...risky(SSH_REASON, "-o -F") },
  },
  {
    names: ["ssh-agent"],
    everything: { reason: "it runs the command that follows", exempt: /^-[sck]$/ },
  },
  {
    names: ["curl"],
    options: {
      ...risky(ELSEWHERE, "-K --config"),
      ...risky(
        WRITES,
        "-O -J --remote-name --remote-name-all --output-dir --dump-header -D --cookie-jar -c --trace --trace-ascii --stderr --libcurl --etag-save --hsts --alt-svc",
      ),
      ...risky(LOADS, "--engine"),
    },
    valued: "AbdeFHmPQTuUwXxyYzErtC",
    harmless: ["--data", "--compressed", "--cookie"],
    settings: { options: ["-o", "--output"], harmless: NOWHERE, reason: WRITES, isValue: true },
  },
  {
    names: ["wget", "wget2"],
    options: {
      ...risky(RUNS, "--use-askpass --input-file -i"),
      ...risky(ELSEWHERE, "--config -e --execute"),
      ...risky(WRITES, "-o --output-file -a --append-output -P --directory-prefix --save-cookies --warc-file"),
    },
    valued: "tTwQURDAIXlB",
    settings: { options: ["-O", "--output-document"], harmless: NOWHERE, reason: WRITES, isValue: true },
  },
  {
    names: ["aria2c", "axel"],
    options: risky(
      RUNS,
      "--on-download-complete --on-download-start --on-download-error --on-download-stop --on-download-pause --on-bt-download-complete --conf-path",
    ),
  },
  {
    names: ["vi", "vim", "nvim", "view", "vimdiff", "ex", "gvim", "rvim"],
    options: risky(RUNS, "-c -S -u -U -s -W -w -q -i -l --cmd --startuptime --listen"),
    operands: { pattern: /^\+/, reason: RUNS },
  },
  {
    names: ["emacs", "emacsclient", "nano", "ed", "joe", "micro", "kak", "hx"],
    options: risky(
      RUNS,
      "-l -e -f -s -x --load --eval --execute --funcall --batch --script --insert --speller --rcfile",
    ),
    operands: { pattern: /^[+!]/, reason: RUNS },
  },
  {
    names: ["less", "more", "most", "lesspipe"],
    options: {
      ...risky(RUNS, "-p -k --lesskey-file --lesskey-src --lesskey-content -t -T"),
      ...risky(WRITES, "-o -O --log-file --LOG-FILE"),
    },
    operands: { pattern: /^\+/, reason: RUNS },
  },
  {
    names: ["man", "apropos"],
    options: {
      ...risky(RUNS, "-P -H -p -X -T -C --pager --html --preprocessor --gxditview --troff-device --config-file"),
      ...risky(ELSEWHERE, "-M -l --manpath --local-file"),
    },
  },
  {
    names: ["tee", "dd", "install", "truncate", "shred", "mkfifo"],
    options: { ...risky(RUNS, "--strip-program") },
    operands: { pattern: /^(?:of=.*|.*(?:^|\/)\.(?:bash|zsh|profile|git|ssh|config|npmrc|env)\S*)$/, reason: WRITES },
  },
  { names: ["diff", "sdiff", "diff3", "colordiff"], options: risky(RUNS, "--diff-program") },
  { names: ["bat", "batcat", "delta"], options: risky(RUNS, "--pager --diff-command") },
  // jq code runs no program and writes no file.
  { names: ["yq"], options: risky(LOADS, "-L -f --from-file --library-path") },
  {
    names: ["psql", "mysql", "mariadb", "mongo", "mongosh", "redis-cli"],
    options: risky(
      ELSEWHERE,
      "-f --file --init-command --pager --eval -S --ps1 --plugin-dir --defaults-file --defaults-extra-file",
    ),
    valued: "cdhpUvDPn",
    operands: STATEMENTS,
  },
  { names: ["sqlite3"], options: risky(ELSEWHERE, "-cmd -init"), hasOnlyWords: true, operands: STATEMENTS },
  {
    names: ["gdb", "lldb", "rust-gdb"],
    options: risky(
      RUNS,
      "-ex -eval-command -x -command -iex -ix -init-command -init-eval-command -early-init-command -early-init-eval-command -o -O -s -S --eval-command --command --init-command --init-eval-command --early-init-command --early-init-eval-command --one-line --source --batch -p --args",
    ),
    hasOnlyWords: true,
    hasAbbreviatedWords: true,
  },
  { names: ["crontab", "visudo", "vipw", "chsh"], everything: { reason: RUNS, exempt: /^-l$/ } },
  {
    names: ["ffmpeg", "convert", "magick", "gs", "pdftex", "latex", "pdflatex", "xelatex", "lualatex"],
    options: { ...risky(RUNS, "-shell-escape -enable-write18 -dNOSAFER -filter_script") },
    hasOnlyWords: true,
    operands: { pattern: /^(?:msl|ephemeral|pipe|text|\|)|%pipe%|^\\/, reason: RUNS },
  },
];
