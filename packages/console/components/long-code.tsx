import { useState } from 'preact/hooks';
import { plural } from '../translations/translate.ts';
import { Code, type CodeProps } from './code.tsx';

/** Number of characters that a browser lays out without a noticeable delay. */
const SHOWN = 20_000;

/** Text to copy. Only the beginning of a long text is shown until the user asks for all of it. */
export function LongCode({ text, name }: CodeProps) {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > SHOWN && !isWhole;
  return (
    <>
      <Code name={name} text={isLong ? text.slice(0, SHOWN) : text} />
      {isLong && (
        <p>
          {plural(
            text.length - SHOWN,
            '{count} more character is not shown.',
            '{count} more characters are not shown.',
          )}{' '}
          <button type="button" class="small" onClick={() => setWhole(true)}>
            {plural(text.length, 'Show {count} character', 'Show all {count} characters')}
          </button>
        </p>
      )}
    </>
  );
}
