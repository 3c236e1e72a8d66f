import { useWords } from '../strings-context.ts';
import { MOST_CHARACTERS } from './composer.tsx';

/** As many as a bot may have; a link may say anything. */
const MOST_SUGGESTIONS = 10;

/** Questions to begin with, those that the service would take. */
export function Suggestions(props: {
  readonly texts: readonly string[];
  readonly onAsk: (text: string) => void;
}) {
  const words = useWords();
  const texts = props.texts.filter(canBeAsked).slice(0, MOST_SUGGESTIONS);
  if (texts.length === 0) return null;
  return (
    <section class="suggestions" aria-label={words.youCouldAsk}>
      <ul>
        {texts.map((text, at) => (
          <li key={at}>
            <button type="button" dir="auto" onClick={() => props.onAsk(text)}>
              {text}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function canBeAsked(text: string): boolean {
  return text.trim() !== '' && text.length <= MOST_CHARACTERS && !text.includes('\0');
}
