import { h, type JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { Words } from '../translations/strings.ts';
import { Block } from './block.ts';
import { AnswerLexer } from './incremental-lexer.ts';
import type { View } from './view.ts';

export interface AnswerTextProps {
  /** Markdown: all of the answer so far. */
  readonly text: string;
  readonly isComing: boolean;
  readonly words: Words;
  /** Those that the answer may cite, by their number. */
  readonly sources: View['sources'];
  readonly onCite: (number: number) => void;
}

/**
 * An answer as elements. Nothing in its text can do more than be shown: no HTML, no image, no attribute but
 * the target of a link, and that by an allow-list.
 */
export function AnswerText(props: AnswerTextProps): JSX.Element {
  const lexer = useRef<AnswerLexer>(null);
  lexer.current ??= new AnswerLexer();
  const view = useView(props);
  const blocks = lexer.current.read(props.text, props.isComing);
  return h(
    'div',
    { class: 'answer-text' },
    blocks.map((token, key) => h(Block, { key, token, view })),
  );
}

/** One that stays the same while words and sources say the same, so that blocks need not be rendered again. */
function useView({ words, sources, onCite }: AnswerTextProps): View {
  const latest = useRef(onCite);
  latest.current = onCite;
  const view = useRef<View>(null);
  if (view.current?.words !== words || !areSame(view.current.sources, sources))
    view.current = {
      words,
      sources: new Map(sources),
      cite: (number) => latest.current(number),
    };
  return view.current;
}

function areSame(one: View['sources'], other: View['sources']): boolean {
  if (one.size !== other.size) return false;
  for (const [number, { title }] of other) if (one.get(number)?.title !== title) return false;
  return true;
}
