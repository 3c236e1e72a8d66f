import type { Source } from '../../chat/message.ts';
import { visible } from '../../text/visible.ts';
import { useWords } from '../strings-context.ts';

/** The places that an answer cites, as cards that open them. */
export function Sources(props: {
  readonly sources: readonly Source[];
  readonly onOpen: (source: Source) => void;
}) {
  const { sources, onOpen } = props;
  const words = useWords();
  return (
    <section class="sources" aria-label={words.sources}>
      <ul>
        {sources.map((source) => (
          <li key={source.number}>
            <button type="button" class="source" onClick={() => onOpen(source)}>
              <span class="number">{source.number}</span>
              <span class="name" dir="auto">
                {source.title}
              </span>
              {source.heading !== null && (
                <span class="place" dir="auto">
                  {visible(source.heading)}
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
