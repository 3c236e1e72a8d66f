import type { Api } from '../../api/api.ts';
import type { Answer, Source } from '../../chat/message.ts';
import type { HostPage } from '../../host-page.ts';
import { FailureNote } from '../failure-note.tsx';

export interface AnswerProps {
  readonly answer: Answer;
  readonly name: string;
  /** `false` if answers are not stored and therefore cannot be rated. */
  readonly canRate: boolean;
  /** `true` while the newest answer is loaded again after its connection was lost, and if this has failed. */
  readonly isReloading: boolean;
  /** `null` while an answer is streaming or the team answers, and for all answers except the last. */
  readonly onRegenerate: ((answer: Answer) => void) | null;
  readonly api: Api;
  /** The embedding page, which runs its tools. */
  readonly host: HostPage;
  readonly onOpen: (source: Source) => void;
  readonly onStop: () => void;
  /** Asks a suggested question. */
  readonly onAsk: (text: string) => void;
  /** Moves the focus to the text field. */
  readonly focus: () => void;
}

/** Matches citations, also incomplete. A simpler form of the pattern of `splitCitations`, which is loaded later. */
const CITATIONS = /\s*[[【［](?:[1-9][^\]】］]{0,40})?(?:[\]】］]|$)/g;

/** An answer as plain text without citations, shown until the Markdown components are loaded. */
export function PlainAnswer({ answer, name }: AnswerProps) {
  const { text, state, failure } = answer.view.value;
  const isStreaming = state === 'streaming';
  return (
    <article class="answer" aria-label={name} aria-busy={isStreaming}>
      {text !== '' && (
        <p class="plain" dir="auto">
          {text.replace(CITATIONS, '')}
        </p>
      )}
      {isStreaming && text === '' && <span class="dots" aria-hidden="true" />}
      {failure !== null && <FailureNote failure={failure} />}
    </article>
  );
}
