/** The strings of one language. `interpolate` replaces `{name}`. */
export interface Strings {
  readonly assistant: string;
  readonly opening: string;
  readonly expired: string;
  readonly expiredWhy: string;
  readonly revoked: string;
  readonly revokedWhy: string;
  readonly unknown: string;
  readonly unknownWhy: string;
  readonly signInToContinue: string;
  readonly askForNewLink: string;
  readonly signIn: string;
  readonly noConnection: string;
  readonly noConnectionWhy: string;
  readonly busy: string;
  readonly busyWhy: string;
  readonly retryNow: string;
  readonly offline: string;
  readonly placeholder: string;
  readonly question: string;
  readonly send: string;
  readonly stop: string;
  readonly conversation: string;
  readonly suggestions: string;
  readonly welcomeBack: string;
  readonly you: string;
  readonly thinking: string;
  readonly stillWorking: string;
  readonly stopped: string;
  readonly hidden: string;
  readonly tooLong: string;
  readonly notSaved: string;
  readonly answerReady: string;
  readonly sources: string;
  readonly openSource: string;
  readonly copy: string;
  readonly copied: string;
  readonly regenerate: string;
  readonly tryAgain: string;
  readonly helpful: string;
  readonly notHelpful: string;
  readonly thanks: string;
  readonly comment: string;
  readonly sendComment: string;
  readonly code: string;
  readonly copyCode: string;
  readonly image: string;
  readonly table: string;
  readonly close: string;
  readonly newConversation: string;
  readonly conversations: string;
  readonly noConversations: string;
  readonly more: string;
  readonly deleteConversation: string;
  readonly confirmDelete: string;
  readonly delete: string;
  readonly cancel: string;
  readonly untitled: string;
  readonly passageGone: string;
  readonly loading: string;
  readonly toNewest: string;
  readonly failures: Readonly<Record<FailureName, string>>;
}

/** The error codes `chat.<name>` of the service, and `offline` and `other`. */
export type FailureName =
  | 'answer-unreachable'
  | 'answer-broken'
  | 'answer-stalled'
  | 'answer-refused'
  | 'answer-overloaded'
  | 'answer-failed'
  | 'answer-garbage'
  | 'answer-too-long'
  | 'answer-withheld'
  | 'restarting'
  | 'not-kept'
  | 'too-many-turns'
  | 'turn-running'
  | 'newer-question'
  | 'offline'
  | 'other';

/** Replaces each `{name}` in a string with its value. */
export function interpolate(
  text: string,
  values: Readonly<Record<string, string | number>>,
): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    String(values[name] ?? placeholder),
  );
}
