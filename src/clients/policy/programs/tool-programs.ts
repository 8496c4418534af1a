import { HARMLESS, type RiskyProgram, risky } from "./risky-program.ts";

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
        "--to-command --checkpoint-action --use-compress-program -I --info-script --new-volume-script -F --rsh-command --rmt-command",
      ),
      ...risky(ELSEWHERE, "--use-compress --files-from -T --options"),
    },
    valued: "fCbgKLNVX",
  },
  { names: ["zip"], options: risky(RUNS, "-TT --unzip-command") },
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
    options: { ...risky(REMOTE, "-S -D -s"), ...risky(SSH_REASON, "-F") },
    valued: "cilJPX",
    settings: { options: ["-o"], harmless: SSH_SETTINGS, reason: SSH_REASON },
  },
  {
    names: ["ssh-keygen", "ssh-add", "ssh-agent", "ssh-copy-id"],
    options: { ...risky(LOADS, "-D -s -P -w"), ...risky(SSH_REASON, "-o -F") },
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
    harmless: ["--data", "--compressed"],
    settings: { options: ["-o", "--output"], harmless: NOWHERE, reason: WRITES },
  },
  {
    names: ["wget", "wget2"],
    options: {
      ...risky(RUNS, "--use-askpass --input-file -i"),
      ...risky(ELSEWHERE, "--config -e --execute"),
      ...risky(WRITES, "-o --output-file -a --append-output -P --directory-prefix --save-cookies --warc-file"),
    },
    valued: "tTwQURDAIXlB",
    settings: { options: ["-O", "--output-document"], harmless: NOWHERE, reason: WRITES },
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
    options: risky(RUNS, "-c -S -u -U -s -W -w -q -i --cmd --startuptime --listen"),
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
  { names: ["jq", "yq", "gojq"], options: risky(LOADS, "-L -f --from-file --library-path") },
  {
    names: ["sqlite3", "psql", "mysql", "mariadb", "mongo", "mongosh", "redis-cli"],
    options: risky(ELSEWHERE, "-cmd -init -f --file --init-command --pager --eval -S --ps1"),
    operands: { pattern: /\\!|\\\||^\s*\.|\bcopy\b.*\bprogram\b|\bsystem\b|load_extension|edit\(/i, reason: RUNS },
  },
  {
    names: ["gdb", "lldb", "rust-gdb"],
    options: risky(
      RUNS,
      "-ex -eval-command -x -command -iex -ix -o -O -s -S --eval-command --command --init-command --init-eval-command --one-line --source --batch -p --args",
    ),
  },
  { names: ["crontab", "visudo", "vipw", "chsh"], everything: { reason: RUNS, exempt: /^-l$/ } },
  {
    names: ["ffmpeg", "convert", "magick", "gs", "pdftex", "latex", "pdflatex", "xelatex", "lualatex"],
    options: { ...risky(RUNS, "-shell-escape -enable-write18 -dNOSAFER -filter_script") },
    operands: { pattern: /^(?:msl|ephemeral|pipe|text|\|)|%pipe%|^\\/, reason: RUNS },
  },
];

const MAKE_REASON = "it decides what make runs";
const PACKAGE_OPTIONS = risky(
  "it decides which programs or settings the package manager uses",
  "--script-shell --shell --prefix --node-options --globalconfig --userconfig --git --editor --viewer --browser --init-module --location --registry --node-gyp --global-dir --cwd --dir --shell-emulator --use-node-version --npmrc-auth-file -C",
);
const INITIALIZES = { everything: { reason: "it runs an initializer", exempt: /^(?:|-y|--yes)$/ } };
/** npm completes abbreviations of its commands. */
const PACKAGE_COMMANDS = {
  pattern:
    /^(?:x|c|ex(?!pla).*|ed.*|in|ini|inn.*|cr|cre|crea|creat|co|con|conf|confi|pk|se|set|dlx|patch|env|node|shell|fund|docs|bugs|repo|home|plugin)$/,
  reason: "it runs another program, or changes the settings",
};
/** Names of scripts that nearly every package has; others may be programs. */
const SCRIPT_NAMES = "build|check|clean|dev|format|lint|preview|serve|start|test|typecheck|types";
const PNPM_COMMANDS = {
  pattern: new RegExp(
    `^(?!(?:${SCRIPT_NAMES}|t|tst|add|audit|bin|dedupe|fetch|i|import|install|la|licenses|link|list|ll|ls|outdated|pack|prune|publish|rb|rebuild|remove|rm|root|run|store|un|uninstall|unlink|up|update|upgrade|why|config|init|create|pkg|(?:build|check|lint|test|format)[:-][a-z:-]+)$)`,
  ),
  reason: "what is no command of pnpm may be any program",
};
const BUN_SCRIPTS = {
  pattern: new RegExp(
    `^(?!(?:${SCRIPT_NAMES}|(?:build|check|lint|test|format)[:-][a-z:-]+|[A-Za-z0-9_@./-]+\\.[cm]?[jt]sx?)$)`,
  ),
  reason: "what is no script may be any program",
};

/** Programs that build, test, install and deploy. */
export const BUILD_PROGRAMS: readonly RiskyProgram[] = [
  {
    names: ["make", "gmake", "bmake", "remake"],
    options: {
      ...risky(
        MAKE_REASON,
        "-f -C -E -I -e --file --makefile --directory --eval --include-dir --environment-overrides",
      ),
      "-W": MAKE_REASON,
    },
    valued: "jlo",
    operands: { pattern: /=/, reason: MAKE_REASON },
  },
  {
    names: ["npm", "yarn"],
    options: { ...PACKAGE_OPTIONS, ...risky(RUNS, "-c --call") },
    subcommands: {
      run: { ...HARMLESS, options: PACKAGE_OPTIONS },
      init: INITIALIZES,
      create: INITIALIZES,
      config: { everything: { reason: "it changes the settings", exempt: /^(?:get(?: [\w.@/:-]+)*|ls|list)$/ } },
      pkg: { commands: { pattern: /^(?:set|fix|delete)$/, reason: "it changes scripts" } },
    },
    commands: PACKAGE_COMMANDS,
    valuedBefore: ["-w", "--workspace", "--loglevel", "--filter", "-F"],
    harmless: ["--global", "--loglevel"],
  },
  {
    names: ["pnpm"],
    options: { ...PACKAGE_OPTIONS, ...risky(RUNS, "-c --call --shell-mode") },
    subcommands: {
      init: INITIALIZES,
      create: INITIALIZES,
      config: { everything: { reason: "it changes the settings", exempt: /^(?:get(?: [\w.@/:-]+)*|ls|list)$/ } },
      run: { options: PACKAGE_OPTIONS },
    },
    commands: PNPM_COMMANDS,
    valuedBefore: ["-w", "--loglevel", "--filter", "-F"],
    harmless: ["--global", "--loglevel"],
  },
  { names: ["bun"], subcommands: { run: { commands: BUN_SCRIPTS } }, otherSubcommands: {} },
  { names: ["dc", "m4", "gnuplot"], options: risky(RUNS, "-e -f -P -c --expression --file") },
  {
    names: ["npx", "bunx", "pnpx"],
    options: { ...PACKAGE_OPTIONS, ...risky(RUNS, "-c --call -n --node-arg") },
    harmless: ["--no"],
  },
  {
    names: ["cargo"],
    options: {
      ...risky(
        "it sets configuration that can run programs",
        "--config -Z -C --manifest-path --target-dir --lockfile-path",
      ),
    },
    commands: { pattern: /^(?:\+.*|rustc|rustdoc)$/, reason: "it chooses the compiler or its options" },
  },
  {
    names: ["rustc", "rustdoc", "clippy-driver"],
    options: risky(RUNS, "-C -Z --codegen --runtool --test-runtool --test-builder --sysroot"),
  },
  {
    names: ["go"],
    options: {
      ...risky(RUNS, "-exec -toolexec -vettool"),
      ...risky(
        "it decides what the compiler runs",
        "-ldflags -gcflags -asmflags -gccgoflags -compiler -overlay -modfile -C",
      ),
    },
    commands: { pattern: /^(?:generate|tool|env)$/, reason: RUNS },
  },
  {
    names: ["gcc", "g++", "cc", "c++", "clang", "clang++", "ld", "cpp"],
    options: risky(LOADS, "-wrapper -fplugin -B -specs -Xclang -fuse-ld -load -plugin --plugin -dlopen"),
    operands: { pattern: /^(?:@|-fplugin|-B.|-Wl,.*plugin)/, reason: LOADS },
  },
  {
    names: ["cmake", "ctest", "cpack", "meson", "ninja", "bazel", "bazelisk", "buck", "scons", "waf"],
    options: risky(
      RUNS,
      "-P -C -f -D -S -E --script --build-run-dir --run_under --config --bazelrc --toolchain --native-file --cross-file",
    ),
  },
  {
    names: ["gradle", "gradlew", "mvn", "mvnw", "ant", "sbt"],
    options: risky(
      ELSEWHERE,
      "-I -b -c -D -P -p -f -g -s -gs -buildfile -lib -logger -listener -init-script -settings --init-script --build-file --file --project-dir --include-build --settings --global-settings --builder --toolchains",
    ),
    operands: { pattern: /^(?:exec|antrun):|^-D/, reason: RUNS },
  },
  {
    names: ["docker", "podman", "nerdctl", "kubectl", "oc", "helm"],
    options: risky(
      "it reaches the machine itself, or runs a program",
      "--privileged -v --volume --mount --config --kubeconfig --post-renderer --context -H --host --device --pid --security-opt --cap-add",
    ),
    commands: { pattern: /^(?:run|exec|cp|debug|edit|plugin)$/, reason: "it runs programs" },
  },
  {
    names: ["pip", "pipx", "uv", "uvx", "poetry", "pipenv", "conda", "hatch", "pdm", "tox", "nox"],
    options: risky(
      ELSEWHERE,
      "--config-settings --global-option --build-option --install-option --python --editor -C --directory --project --config-file -f --noxfile -x --override",
    ),
    commands: {
      pattern: /^(?:run|shell|exec|runpip|x|tool|config|plugin|self|env)$/,
      reason: "it runs another program, or changes the settings",
    },
  },
  {
    names: ["gem", "bundle", "bundler", "rake", "rails"],
    options: risky(
      LOADS,
      "-e -r -f -R -E -I -p --execute --execute-print --execute-continue --require --rakefile --rakelibdir --system --libdir --config-file --gemfile",
    ),
    commands: { pattern: /^(?:exec|runner|r|console|open|config|console|dbconsole|plugin)$/, reason: RUNS },
  },
  {
    names: ["composer", "phpunit", "artisan"],
    options: risky(LOADS, "-d --working-dir --bootstrap --include-path --configuration -c --extension"),
    commands: { pattern: /^(?:exec|run-script|config|global|tinker)$/, reason: RUNS },
  },
  {
    names: ["gh", "glab", "hub"],
    options: risky(RUNS, "--pager --editor --browser"),
    commands: {
      pattern: /^(?:alias|extension|ext|config|codespace|cs|!.*)$/,
      reason: "it defines or runs other programs",
    },
  },
  {
    names: ["hg", "svn", "bzr", "fossil", "jj"],
    options: risky(
      "it sets configuration that can run programs",
      "--config --config-dir --config-file --config-option --config-toml --ssh --remotecmd --diff-cmd --diff3-cmd --editor-cmd --merge-cmd --debugger -R --repository --cwd -r --at-operation",
    ),
  },
  {
    names: ["mocha", "jest", "vitest", "ava", "tap", "jasmine", "nyc", "c8", "playwright", "cypress"],
    options: risky(
      LOADS,
      "-r --require --import --loader --globalsetup --globalSetup --globalTeardown --setupFiles --setupFilesAfterEnv --testRunner --testEnvironment --runner --reporter --reporters --resolver --transform --node-option --node-arguments --execArgv --config -c --rootDir --preload --projects --filter-script",
    ),
    harmless: ["--run", "--project"],
  },
  {
    names: ["eslint", "prettier", "stylelint", "rollup", "webpack", "vite", "esbuild", "babel", "tslint"],
    options: risky(
      LOADS,
      "--rulesdir --resolve-plugins-relative-to --parser --plugin --config -c --config-lookup --format -f --custom-formatter --processor --require -r --extends",
    ),
    harmless: ["--ext"],
  },
  {
    names: ["pytest", "py.test", "mypy", "pylint", "flake8", "black", "ruff"],
    options: risky(
      LOADS,
      "-p -c --rootdir --confcutdir --pyargs --pdbcls --override-ini -o --config-file --load-plugins --init-hook --config --rcfile --python-executable",
    ),
    valued: "kmnW",
  },
  {
    names: ["ansible", "ansible-playbook", "terraform", "vagrant", "packer", "pulumi"],
    options: risky(
      RUNS,
      "-m -a -e --extra-vars --module-name --args -M --module-path -c --command --plugin-dir -chdir",
    ),
    commands: { pattern: /^(?:console|ssh|powershell|provision)$/, reason: RUNS },
  },
  {
    names: ["dpkg", "apt", "apt-get", "yum", "dnf", "rpm", "brew", "snap", "apk", "pacman"],
    options: risky(
      RUNS,
      "-o -c --option --config-file --admindir --root --pre-invoke --eval -E --define -D --hookdir --config --setopt",
    ),
    commands: { pattern: /^(?:edit|sh|exec|run|extract-source)$/, reason: RUNS },
  },
  {
    names: ["openssl", "gpg", "gpg2", "gpgsm"],
    options: risky(
      LOADS,
      "-engine -provider -provider-path --exec-path --photo-viewer --agent-program --dirmngr-program --gpg-agent-program --keyserver-options --options --homedir --pinentry-program",
    ),
  },
  {
    names: ["tcpdump", "dumpcap", "tshark", "nmap", "iptables", "ip"],
    options: risky(RUNS, "-z -X --script -b -batch"),
    operands: { pattern: /^netns$/, reason: RUNS },
  },
];
