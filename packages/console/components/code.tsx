import { useState } from 'preact/hooks';
import { t } from '../translations/translate.ts';

export interface CodeProps {
  readonly text: string;
  /** Name of the text for screen readers, such as `command`. */
  readonly name: string;
}

/** Text to copy, such as a command or a secret. */
export function Code({ text, name }: CodeProps) {
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      setState('failed');
    }
  };
  return (
    <div class="code">
      <section aria-label={name}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll long lines. */}
        <pre tabIndex={0}>
          <code>{text}</code>
        </pre>
      </section>
      <button type="button" class="small" onClick={() => void copy()}>
        {t('Copy')} <span class="visually-hidden">{name}</span>
      </button>
      <span class="hint" role="status">
        {state === 'copied' && t('Copied')}
        {state === 'failed' && t('The browser did not permit copying. Select the text instead.')}
      </span>
    </div>
  );
}
