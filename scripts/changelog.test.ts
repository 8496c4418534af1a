import { expect, test } from "bun:test";
import { nameRelease } from "./changelog.ts";

const CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- More.\n\n## [0.1.0] - 2026-01-01\n";

test("a release names what was unreleased, and a new part begins", () => {
  expect(nameRelease(CHANGELOG, { version: "0.2.0", date: "2026-02-02" })).toBe(
    "# Changelog\n\n## [Unreleased]\n\n### Added\n\n### Fixed\n\n## [0.2.0] - 2026-02-02\n\n### Added\n\n- More.\n\n## [0.1.0] - 2026-01-01\n",
  );
});

test("a release needs an unreleased part and a new version", () => {
  expect(() => nameRelease("# Changelog\n", { version: "0.2.0", date: "2026-02-02" })).toThrow(
    'CHANGELOG.md has no heading "## [Unreleased]". Add one.',
  );
  expect(() => nameRelease(CHANGELOG, { version: "0.1.0", date: "2026-02-02" })).toThrow(
    "CHANGELOG.md has a part for 0.1.0 already. Raise the version in package.json first.",
  );
});
