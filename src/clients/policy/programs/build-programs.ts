import { namesIn, type RiskyProgram, risky } from "./risky-program.ts";

const RUNS = "it runs a program";
const ELSEWHERE = "it reads instructions from elsewhere";
const LOADS = "it loads code";
const OF_A_FOLDER = "it runs what the instructions in that folder say";

const MAKE_REASON = "it decides what make runs";
/** A variable that only sets the verbosity. */
const MAKE_VARIABLE = /^(?!(?:V|VERBOSE|Q|DEBUG|NDEBUG|CI)=[01]$)[\s\S]*=/;
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
    valued: "o",
    operands: { pattern: MAKE_VARIABLE, reason: MAKE_REASON },
  },
  { names: ["dc", "m4", "gnuplot"], options: risky(RUNS, "-e -f -P -c --expression --file") },
  {
    names: ["cargo"],
    options: {
      ...risky(
        "it sets configuration that can run programs",
        "--config -Z -C --manifest-path --target-dir --lockfile-path --artifact-dir",
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
    hasOnlyWords: true,
    settings: {
      options: ["-o"],
      harmless: /^(?:\.\/)?[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/,
      isValue: true,
      reason: "it writes a file of any name",
    },
    commands: {
      pattern: /^(?:generate|tool|env)$/,
      exempt:
        /^(?:env(?: -json)?(?: [A-Z0-9_]+)*|tool (?:cover|nm|pprof -top|test2json|dist list)(?: -(?:func|mode)=[\w./-]+)*)$/,
      reason: RUNS,
    },
  },
  {
    names: ["gcc", "g++", "cc", "c++", "clang", "clang++", "ld", "cpp"],
    options: risky(LOADS, "-wrapper -fplugin -B -specs -Xclang -fuse-ld -load -plugin --plugin -dlopen"),
    hasOnlyWords: true,
    operands: {
      pattern: /^(?:@|-fplugin|-B.|-specs|-wrapper|-iplugindir|--?pl|-Wl,(?:[\s\S]*,)?--?pl|-W[apl],(?:[\s\S]*,)?@)/,
      reason: LOADS,
      isWithinOptions: true,
    },
  },
  {
    names: ["cmake"],
    options: risky(RUNS, "-P -C -E -H --script --toolchain --preset --workflow --open"),
    valued: "SBAT",
    settings: {
      options: ["-D"],
      harmless:
        /^(?:CMAKE_(?:BUILD_TYPE|EXPORT_COMPILE_COMMANDS|C_STANDARD|CXX_STANDARD|VERBOSE_MAKEFILE)|(?:[A-Z]+_)?(?:BUILD|ENABLE|WITH|USE)_[A-Z0-9_]+)(?::[A-Z]+)?$/,
      reason: "it sets a variable that can run programs",
    },
    // Options of make or ninja follow `--`.
    outputs: {
      after: 0,
      valued: namesIn("-S -B -D -G -A -T -j -t --build --target --config --parallel --install --prefix --component"),
      exempt: /^\.{1,2}$/,
      reason: OF_A_FOLDER,
    },
  },
  {
    names: ["cmake"],
    valued: "BDGAT",
    settings: {
      options: ["-S", "--build", "--install"],
      harmless: /^(?:\.{1,2}|(?:\.\/)?(?:build|out|_build|cmake-build)[\w-]*(?:\/[\w-]+)*)\/?$/,
      isValue: true,
      reason: OF_A_FOLDER,
    },
  },
  {
    names: ["ctest", "cpack", "meson", "ninja", "bazel", "bazelisk", "buck", "scons", "waf"],
    options: risky(
      RUNS,
      "-P -C -f -D -S -E --script --build-run-dir --build-and-test --run_under --config --bazelrc --toolchain --native-file --cross-file",
    ),
  },
  {
    names: ["gradle", "gradlew"],
    options: risky(
      ELSEWHERE,
      "-I -b -c -D -P -p -g -F --init-script --build-file --settings-file --project-dir --include-build --project-cache-dir --gradle-user-home --system-prop --project-prop",
    ),
    operands: { pattern: /^exec:/, reason: RUNS },
  },
  {
    names: ["ant", "sbt"],
    options: risky(
      ELSEWHERE,
      "-D -f -file -s -find -buildfile -lib -logger -listener -inputhandler -propertyfile -main -J -C",
    ),
    hasOnlyWords: true,
    operands: { pattern: /^-D/, reason: RUNS },
  },
  {
    names: ["mvn", "mvnw"],
    options: risky(
      ELSEWHERE,
      "-b -D -f -s -gs -t -gt -is -ps --define --file --settings --global-settings --install-settings --project-settings --builder --toolchains --global-toolchains",
    ),
    valued: "PTl",
    harmless: [
      ...namesIn("-pl -am -amd -nsu -ntp -npr -npu -cpu -up -rf"),
      "-DskipTests",
      "-DskipITs",
      "-DfailIfNoTests",
      "-Dtest",
      "-Dit.test",
      "-ff",
      "-fn",
      "-fae",
    ],
    operands: { pattern: /(?:^|:)(?:exec|antrun|exec-maven-plugin|maven-antrun-plugin):/, reason: RUNS },
  },
  {
    names: ["docker", "podman", "nerdctl", "kubectl", "oc", "helm"],
    options: risky(
      "it reaches the machine itself, or runs a program",
      "--privileged -v --volume --mount --config --kubeconfig --post-renderer --context -H --host --device --pid --security-opt --cap-add",
    ),
    groups: /^(?:container|compose|pod|image|machine|buildx|builder|context|service|stack)$/,
    commands: { pattern: /^(?:run|exec|cp|debug|edit|plugin|attach|bake)$/, reason: "it runs programs" },
  },
  {
    names: ["pip", "pipx", "uv", "uvx", "poetry", "pipenv", "conda", "hatch", "pdm", "tox", "nox"],
    options: risky(
      ELSEWHERE,
      "--config-settings --global-option --build-option --install-option --python --editor -C --directory --project --config-file -f --noxfile -x --override",
    ),
    commands: {
      pattern: /^(?:run|shell|exec|runpip|x|tool|config|plugin|self|env)$/,
      exempt: /^(?:config (?:list|get [\w.-]+)|tool (?:list|dir)|env (?:list|info)|self version)$/,
      reason: "it runs another program, or changes the settings",
    },
  },
  { names: ["tox", "nox"], options: risky(ELSEWHERE, "-c --conf --workdir --root") },
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
    // Abbreviations are accepted.
    commands: { pattern: /^(?:e|ex|exec?|r|ru|run.*|con.*|g|gl.*|ti.*)$/, reason: RUNS },
  },
  {
    names: ["gh", "glab", "hub"],
    options: risky(RUNS, "--pager --editor --browser"),
    // Options of git follow `--`.
    operands: { pattern: /^-(?:[cu]|-(?:u|conf|templ|exec|sep))/, reason: RUNS },
    commands: {
      pattern: /^(?:alias|extension|ext|config|codespace|cs|!.*)$/,
      reason: "it defines or runs other programs",
    },
  },
  {
    names: ["hg", "svn", "bzr", "fossil", "jj"],
    options: risky(
      "it sets configuration that can run programs",
      "--config --config-dir --config-file --config-option --config-toml --ssh --remotecmd --diff-cmd --diff3-cmd --editor-cmd --merge-cmd --debugger -R --repository --cwd -r --at-operation -e",
    ),
    commands: { pattern: /^util$/, reason: RUNS },
  },
  {
    names: ["mocha", "jest", "vitest", "ava", "tap", "jasmine", "nyc", "c8", "playwright", "cypress"],
    options: risky(
      LOADS,
      "-r --require --import --loader --globalsetup --globalSetup --globalTeardown --setupFiles --setupFilesAfterEnv --testRunner --testEnvironment --runner --resolver --transform --node-option --node-arguments --execArgv --config -c --rootDir --preload --projects --filter-script",
    ),
    harmless: ["--run", "--project"],
    settings: {
      options: ["--reporter", "--reporters", "-R"],
      harmless:
        /^(?:default|basic|verbose|dot|json|junit|tap|tap-flat|spec|min|list|line|html|github|github-actions|blob|summary)$/,
      isValue: true,
      reason: LOADS,
    },
  },
  {
    names: ["eslint", "stylelint", "rollup", "webpack", "vite", "esbuild", "babel", "tslint"],
    options: risky(
      LOADS,
      "--rulesdir --resolve-plugins-relative-to --parser --plugin --plugins --presets --preset --config -c --config-file --config-lookup --custom-formatter --custom-syntax --processor --require -r --extends",
    ),
    harmless: ["--ext"],
    settings: {
      options: ["-f", "--format", "--formatter"],
      harmless:
        /^(?:stylish|json|json-with-metadata|html|compact|unix|junit|checkstyle|tap|string|verbose|esm?|cjs|iife|umd)$/,
      isValue: true,
      reason: LOADS,
    },
  },
  { names: ["rollup"], options: risky(LOADS, "-p") },
  {
    names: ["prettier"],
    options: risky(LOADS, "--plugin --plugin-search-dir --config --find-config-path"),
    settings: {
      options: ["--parser"],
      harmless:
        /^(?:typescript|babel|babel-ts|babel-flow|flow|acorn|espree|css|less|scss|json5?|jsonc|graphql|markdown|mdx|html|vue|angular|yaml)$/,
      isValue: true,
      reason: LOADS,
    },
  },
  {
    names: ["pytest", "py.test", "mypy", "pylint", "flake8", "black", "ruff"],
    options: risky(
      LOADS,
      "-c --rootdir --confcutdir --pyargs --pdbcls --override-ini -o --config-file --load-plugins --init-hook --config --rcfile --python-executable",
    ),
    valued: "kmnW",
    harmless: ["--co"],
    settings: { options: ["-p"], harmless: /^no:[\w.-]+$/, isValue: true, reason: LOADS },
  },
  {
    names: ["ansible", "ansible-playbook", "vagrant", "packer", "pulumi"],
    options: risky(RUNS, "-m -a -e --extra-vars --module-name --args -M --module-path -c --command --plugin-dir"),
    commands: { pattern: /^(?:console|ssh|powershell|provision)$/, reason: RUNS },
  },
  {
    names: ["terraform"],
    options: risky(RUNS, "-chdir -plugin-dir -from-module -var-file -backend-config"),
    hasOnlyWords: true,
    commands: { pattern: /^console$/, reason: RUNS },
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
    names: ["openssl"],
    options: risky(LOADS, "-engine -engine_impl -provider -provider-path -provider_path -config -pre -post -writer"),
    hasOnlyWords: true,
    commands: { pattern: /^(?:engine|speed)$/, exempt: /^engine(?: -[tcv]+)*$|^speed/, reason: LOADS },
  },
  {
    names: ["gpg", "gpg2", "gpgsm"],
    options: risky(
      LOADS,
      "--exec-path --photo-viewer --agent-program --dirmngr-program --gpg-agent-program --keyserver-options --options --homedir --pinentry-program",
    ),
  },
  { names: ["tcpdump", "dumpcap", "tshark"], options: risky(RUNS, "-z -X -b"), valued: "cirsfyYEBCGWTwF" },
  { names: ["nmap"], options: risky(RUNS, "-script -b --script"), hasOnlyWords: true, hasAbbreviatedWords: true },
  {
    names: ["iptables", "ip"],
    options: risky(RUNS, "-b -batch"),
    hasOnlyWords: true,
    hasAbbreviatedWords: true,
    operands: { pattern: /^(?:net|netn|netns|vr|vrf|exec?)$/, reason: RUNS },
  },
];
