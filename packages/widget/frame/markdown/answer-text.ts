import { h, type JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { Strings } from '../translations/strings.ts';
import { Block, directionOf } from './block.ts';
import { IncrementalLexer } from './incremental-lexer.ts';
import type { RenderContext } from './inline.ts';

interface AnswerTextProps {
  readonly text: string;
  readonly isStreaming: boolean;
  readonly strings: Strings;
  readonly sources: RenderContext['sources'];
  readonly onCite: (number: number) => void;
}

/**
 * Renders the untrusted Markdown of an answer. Renders no HTML and no images. The only attribute that the text
 * controls is the target of a link, which must have an allowed scheme.
 */
export function AnswerText(props: AnswerTextProps): JSX.Element {
  const lexer = useRef<IncrementalLexer>(null);
  lexer.current ??= new IncrementalLexer();
  const context = useRenderContext(props);
  const blocks = lexer.current.lex(props.text, props.isStreaming);
  return h(
    'div',
    { class: 'answer-text', dir: directionOf(props.text) },
    blocks.map((token, key) => h(Block, { key, token, context })),
  );
}

/** Returns the same object while strings and sources are unchanged, so that blocks are not rendered again. */
function useRenderContext({ strings, sources, onCite }: AnswerTextProps): RenderContext {
  const latest = useRef(onCite);
  latest.current = onCite;
  const context = useRef<RenderContext>(null);
  if (context.current?.strings !== strings || !areSame(context.current.sources, sources))
    context.current = {
      strings,
      sources: new Map(sources),
      cite: (number) => latest.current(number),
    };
  return context.current;
}

function areSame(one: RenderContext['sources'], other: RenderContext['sources']): boolean {
  if (one.size !== other.size) return false;
  for (const [number, { title }] of other) if (one.get(number)?.title !== title) return false;
  return true;
}
