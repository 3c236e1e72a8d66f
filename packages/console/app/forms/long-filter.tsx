import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../../translations/translate.ts';
import { submits } from './submits.ts';

interface LongFilterProps {
  /** `true`: the list is filtered. */
  readonly isSet: boolean;
  readonly onFilter: () => void;
  /** The fields. */
  readonly children: ComponentChildren;
  /** Elements after the button. */
  readonly after?: ComponentChildren;
}

/** The form of a filter with many fields. Narrow windows show it if the list is filtered, or after a click on "Filters". */
export function LongFilter({ isSet, onFilter, children, after }: LongFilterProps) {
  const [isOpen, setOpen] = useState(isSet);
  return (
    <search>
      <button
        type="button"
        class="unfold"
        aria-expanded={isOpen}
        aria-controls="filter"
        onClick={() => setOpen(!isOpen)}
      >
        {t('Filters')}
      </button>
      <form id="filter" class={isOpen ? 'row' : 'row folded'} onSubmit={submits(onFilter)}>
        {children}
        <button type="submit">{t('Filter')}</button>
        {after}
      </form>
    </search>
  );
}
