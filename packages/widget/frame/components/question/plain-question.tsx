import type { Question } from '../../chat/message.ts';
import { useStrings } from '../strings-context.ts';

export interface QuestionProps {
  readonly question: Question;
  /** Asks the question again with another text. `null`: the question cannot be edited now. */
  readonly onEdit: ((question: Question, text: string) => void) | null;
}

/** A question without actions, shown until the code of the actions is loaded. */
export function PlainQuestion({ question }: QuestionProps) {
  const strings = useStrings();
  return (
    <article class="question" aria-label={strings.you}>
      <p dir="auto">{question.text}</p>
    </article>
  );
}
