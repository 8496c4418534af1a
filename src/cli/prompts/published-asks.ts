import type { PublishedPermissions } from "./published-permissions.ts";
import type { PublishedQuestions } from "./published-questions.ts";

/** What an unattended run asks people in other processes: permissions, and the questions of its agents. */
export class PublishedAsks {
  constructor(
    readonly permissions: PublishedPermissions,
    readonly questions: PublishedQuestions,
  ) {}

  /** The run is executed here from now on. What an earlier process has published is void. */
  begin(sessionDirectory: string): void {
    this.permissions.begin(sessionDirectory);
    this.questions.begin(sessionDirectory);
  }

  /** Takes an answer. Returns false if it is for something else. @throws PermissionAnswerError, QuestionAnswerError */
  take(id: string, answer: unknown): boolean {
    return this.permissions.take(id, answer) || this.questions.take(id, answer);
  }
}
