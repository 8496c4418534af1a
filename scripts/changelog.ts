const UNRELEASED = "## [Unreleased]\n";

/** A release, for its heading. */
export interface Release {
  readonly version: string;
  /** `2026-11-28`. */
  readonly date: string;
}

/**
 * Names the unreleased part of a changelog after a release, and starts a new one above it.
 * @throws Error if there is no unreleased part, or the version has one already
 */
export function nameRelease(changelog: string, { version, date }: Release): string {
  if (!changelog.includes(UNRELEASED)) throw new Error(`CHANGELOG.md has no heading "${UNRELEASED.trim()}". Add one.`);
  if (changelog.includes(`\n## [${version}]`))
    throw new Error(`CHANGELOG.md has a part for ${version} already. Raise the version in package.json first.`);
  const headings = `${UNRELEASED}\n### Added\n\n### Fixed\n\n## [${version}] - ${date}\n`;
  return changelog.replace(UNRELEASED, headings);
}
