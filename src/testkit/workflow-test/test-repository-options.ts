/** Texts by path, with slashes, inside the repository. */
export type TestFiles = Readonly<Record<string, string>>;

/** Settings of `createTestRepository`. */
export interface TestRepositoryOptions {
  /** The files of the first commit. @default none */
  readonly files?: TestFiles;
  /** Further commits, in order. */
  readonly commits?: readonly { readonly message: string; readonly files: TestFiles }[];
}
