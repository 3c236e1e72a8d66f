import type { Source } from '../../chat/message.ts';
import { AnswerText } from '../../markdown/index.ts';
import { useWords } from '../strings-context.ts';

/** The text of an answer, in which each citation of a source opens it. */
export function CitedText(props: {
  readonly text: string;
  readonly isComing: boolean;
  readonly sources: readonly Source[];
  readonly onCite: (source: Source) => void;
}) {
  const { text, isComing, sources, onCite } = props;
  const words = useWords();
  const byNumber = new Map(sources.map((source) => [source.number, source]));
  return (
    <AnswerText
      text={text}
      isComing={isComing}
      words={words}
      sources={byNumber}
      onCite={(number) => {
        const source = byNumber.get(number);
        if (source !== undefined) onCite(source);
      }}
    />
  );
}
