import type { Document } from '@gatehouse/client';
import { t } from '../../translations/translate.ts';

export interface MetadataSummaryProps {
  readonly metadata: Document['metadata'];
  /** Maximum length in UTF-16 code units. Default 120. */
  readonly maxLength?: number;
}

/** The metadata of a document in a cell of a table. Long metadata are cut off. */
export function MetadataSummary({ metadata, maxLength = 120 }: MetadataSummaryProps) {
  const entries = Object.entries(metadata);
  if (entries.length === 0) return <span class="hint">{t('none')}</span>;
  const text = entries
    .map(([name, value]) => `${name}: ${[value].flat().map(toText).join(', ')}`)
    .join(' · ');
  return (
    <bdi class="hint metadata-summary">
      {text.length > maxLength ? `${text.slice(0, maxLength)}…` : text}
    </bdi>
  );
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
