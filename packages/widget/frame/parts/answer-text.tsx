import { signal } from '@preact/signals';
import type { Source } from '../chat/message.ts';
import { useWords } from './spoken.ts';

type Room = typeof import('../answer/index.ts');

/** What shows Markdown, once it is here: nothing needs it before the first answer. */
const room = signal<Room | null>(null);
let fetching: Promise<void> | null = null;

/** Fetches what an answer needs, so that it is there when the answer comes. */
export function prepareAnswers(): Promise<void> {
  fetching ??= import('../answer/index.ts').then(
    (fetched) => {
      room.value = fetched;
    },
    () => {
      fetching = null;
    },
  );
  return fetching;
}

/** The text of an answer: as it is until Markdown can be shown, which takes a moment the first time. */
export function AnswerText(props: {
  readonly text: string;
  readonly isComing: boolean;
  readonly sources: readonly Source[];
  readonly onCite: (source: Source) => void;
}) {
  const { text, isComing, sources, onCite } = props;
  const words = useWords();
  if (room.value === null) {
    void prepareAnswers();
    return (
      <p class="plain" dir="auto">
        {text}
      </p>
    );
  }
  const Text = room.value.AnswerText;
  const byNumber = new Map(sources.map((source) => [source.number, source]));
  return (
    <Text
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
