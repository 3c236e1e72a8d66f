import { isQuestion } from '../../../protocol/messages.ts';
import { visible } from '../../text/visible.ts';
import { useStrings } from '../strings-context.ts';

/** Suggested further questions after the last answer. */
export function FollowUps(props: {
  readonly texts: readonly string[];
  readonly onAsk: (text: string) => void;
}) {
  const strings = useStrings();
  const texts = props.texts.filter(isQuestion);
  if (texts.length === 0) return null;
  return (
    <section class="suggestions" aria-label={strings.suggestions}>
      <ul>
        {texts.map((text) => (
          <li key={text}>
            <button type="button" dir="auto" onClick={() => props.onAsk(text)}>
              {visible(text)}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
