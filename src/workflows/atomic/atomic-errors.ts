import { AtomicError } from "../../contracts/index.ts";

/** The folder for research and specification is a link out of the project. */
export class FolderOutsideError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly path: string,
    readonly realPath: string,
  ) {
    super(
      "ATOMIC_FOLDER_OUTSIDE",
      `${path} is outside of the project, because of a link: ${realPath}. Put a folder in the place of the link.`,
    );
  }
}
