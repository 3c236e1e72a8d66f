import { type Signal, signal } from '@preact/signals';
import { Fragment, h, type JSX } from 'preact';

/** Number of lines that remain in the page, so that no line is removed before a screen reader reads the line. */
const MAX_LINES = 30;

interface Line {
  readonly id: number;
  readonly text: string;
}

export class SpeechQueue {
  readonly lines: Signal<readonly Line[]> = signal([]);
  #next = 0;

  say(texts: readonly string[]): void {
    if (texts.length === 0) return;
    const lines = texts.map((text) => ({ id: this.#next++, text }));
    this.lines.value = [...this.lines.value, ...lines].slice(-MAX_LINES);
  }
}

/** The content of a live region. Each line is a separate node, so that screen readers announce only new lines. */
export function SpokenLines({ speech }: { readonly speech: SpeechQueue }): JSX.Element {
  return h(
    Fragment,
    null,
    speech.lines.value.map(({ id, text }) => h('p', { key: id, dir: 'auto' }, text)),
  );
}
