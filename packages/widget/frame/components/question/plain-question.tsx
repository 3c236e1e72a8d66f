import type { Question } from '../../chat/message.ts';
import { isolate } from '../../text/isolate.ts';
import { ATTACH_ICON, Icon } from '../icon.tsx';
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
      {question.files?.map(({ url, filename }) => (
        <p key={url} dir="auto">
          <Icon shape={ATTACH_ICON} /> {isolate(filename)}
        </p>
      ))}
    </article>
  );
}
